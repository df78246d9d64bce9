# SPDX-License-Identifier: Apache-2.0
"""A container's changes as one image layer, read from its overlay.

An overlay mount names the directories that it is made of. All above those
of the original image is merged to one layer: what was written, a whiteout
for what was removed, an opaque mark for a directory that was replaced. The
image itself is not read, so the work grows with the changes alone, and
extended attributes and times are kept as they are.

It can't be done where the kernel may keep files in parts (``metacopy``) or
renamed directories as references (``redirect_dir``).
"""

from collections.abc import Sequence
import os
import pathlib
import stat
import tarfile
import typing

WHITEOUT = '.wh.'
OPAQUE = '.wh..wh..opq'

_KEPT = ('user.', 'security.capability', 'system.posix_acl_')
_OVERLAY = ('trusted.overlay.', 'user.overlay.')
_PARAMETERS = pathlib.Path('/sys/module/overlay/parameters')
_BUFFER = 1 << 18


class Overlay(typing.NamedTuple):
    """The directories of an overlay mount, the uppermost first.

    :ivar tops: what belongs to the container.
    :ivar bases: what belongs to the original image.
    """

    tops: list[str]
    bases: list[str]


def is_complete() -> bool:
    """Whether overlays of this kernel keep whole files at their paths."""
    for name in ('metacopy', 'redirect_dir'):
        try:
            value = (_PARAMETERS / name).read_text().strip()
        except OSError:
            # Not a choice of this kernel.
            continue
        if value not in ('N', '0', 'off', 'nofollow', 'follow'):
            return False
    return True


def overlay_of(options: Sequence[str], base_layers: int) -> Overlay | None:
    """The directories of a mount with these options, or None.

    :param base_layers: how many layers the original image has.
    """
    values = dict(option.split('=', 1) for option in options
                  if '=' in option)
    if 'upperdir' not in values or 'lowerdir' not in values:
        return None
    lower = values['lowerdir'].split(':')
    extra = len(lower) - base_layers
    if extra < 0:
        return None
    return Overlay([values['upperdir'], *lower[:extra]], lower[extra:])


def write(overlay: Overlay, out: typing.BinaryIO) -> None:
    """Write the changes of an overlay as a tar archive.

    The same tree gives the same bytes.
    """
    with tarfile.open(fileobj=out, mode='w|', format=tarfile.PAX_FORMAT,
                      bufsize=_BUFFER) as archive:
        _Writer(archive).walk('', overlay.tops, overlay.bases)


class _Writer:

    def __init__(self, archive):
        self._archive = archive
        # (device, inode) -> the first name of a file with several.
        self._first: dict[tuple[int, int], str] = {}

    def walk(self, where: str, tops: Sequence[str],
             bases: Sequence[str]) -> None:
        """Write what ``tops`` have in a directory."""
        names = {name for top in tops
                 for name in os.listdir(os.path.join(top, where))}
        for name in sorted(names):
            self._entry(where, name, tops, bases)

    def _entry(self, where, name, tops, bases):
        inside = os.path.join(where, name)
        path, seen, stack, opaque = _look(inside, tops)
        if _is_whiteout(seen):
            if _is_below(bases, inside):
                self._mark(os.path.join(where, WHITEOUT + name))
            return
        self._add(path, inside, seen)
        if not stack:
            return
        if opaque and _is_below(bases, inside):
            self._mark(os.path.join(inside, OPAQUE))
        self.walk(inside, stack, () if opaque else bases)

    def _mark(self, name):
        info = tarfile.TarInfo(name)
        info.mode = 0o600
        self._archive.addfile(info)

    def _add(self, path, name, seen):
        info = self._archive.gettarinfo(path, name)
        if info is None:
            # A socket: it means nothing without the one who listens.
            return
        info.uname = info.gname = ''
        info.pax_headers = {'mtime': seconds(seen.st_mtime_ns),
                            **_attributes(path)}
        if not stat.S_ISREG(seen.st_mode):
            self._archive.addfile(info)
            return
        first = self._first.setdefault((seen.st_dev, seen.st_ino), name)
        if seen.st_nlink > 1 and first != name:
            info.type, info.linkname, info.size = (
                tarfile.LNKTYPE, first, 0)
            self._archive.addfile(info)
            return
        # A name seen before would make tarfile write a link by itself.
        info.type, info.linkname, info.size = (
            tarfile.REGTYPE, '', seen.st_size)
        with open(path, 'rb') as file:
            self._archive.addfile(info, file)


def seconds(nanoseconds: int) -> str:
    """A time as a tar archive has it, to the nanosecond."""
    whole, rest = divmod(abs(nanoseconds), 10 ** 9)
    return '%s%d.%09d' % ('-' if nanoseconds < 0 else '', whole, rest)


def _look(inside, tops):
    """What a path is, and which directories its contents come from.

    :returns: path, stat, the ``tops`` that add to a directory, and
        whether they hide what is below them.
    """
    path = seen = None
    stack = []
    for top in tops:
        here = os.path.join(top, inside)
        found = _stat(here)
        if found is None:
            continue
        if path is None:
            path, seen = here, found
            if not stat.S_ISDIR(found.st_mode):
                return path, seen, [], False
        elif not stat.S_ISDIR(found.st_mode):
            return path, seen, stack, True
        stack.append(top)
        if _is_opaque(here):
            return path, seen, stack, True
    return path, seen, stack, False


def _stat(path):
    try:
        return os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None


def _is_whiteout(seen):
    return stat.S_ISCHR(seen.st_mode) and seen.st_rdev == 0


def _is_opaque(path):
    for prefix in _OVERLAY:
        try:
            if os.getxattr(path, prefix + 'opaque',
                           follow_symlinks=False) == b'y':
                return True
        except OSError:
            # It has no such attribute.
            continue
    return False


def _is_below(bases, inside):
    for one in bases:
        seen = _stat(os.path.join(one, inside))
        if seen is not None:
            return not _is_whiteout(seen)
    return False


def _attributes(path):
    kept = {}
    for key in os.listxattr(path, follow_symlinks=False):
        if key.startswith(_KEPT) and not key.startswith(_OVERLAY):
            value = os.getxattr(path, key, follow_symlinks=False)
            kept['SCHILY.xattr.' + key] = value.decode(
                'utf-8', 'surrogateescape')
    return kept
