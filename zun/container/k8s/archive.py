# SPDX-License-Identifier: Apache-2.0
"""Files of a running container, by tar over exec.

The caller's path goes to tar as one word of an argument list and tar runs
inside the container, so it reaches no further than the container does.
"""

import datetime
import io
import posixpath
import tarfile

from zun.common import exception
from zun.common.i18n import _
from zun.common.k8s import stream

# Bits of Go's file mode, which the API has always shown.
_GO_MODES = {tarfile.DIRTYPE: 1 << 31, tarfile.SYMTYPE: 1 << 27,
             tarfile.FIFOTYPE: 1 << 25, tarfile.BLKTYPE: 1 << 26,
             tarfile.CHRTYPE: (1 << 26) | (1 << 21)}


def pack_command(path: str) -> list[str]:
    """Command that prints a file or directory as a tar archive."""
    clean = posixpath.normpath(posixpath.join('/', path))
    parent, name = posixpath.split(clean)
    return ['tar', '-cf', '-', '-C', parent, '--', name or '.']


def unpack_command(path: str) -> list[str]:
    """Command that unpacks the archive on its input in a directory."""
    return ['tar', '-xf', '-', '-C', posixpath.join('/', path)]


def describe(path: str, data: bytes) -> dict:
    """What an archive's first member is, in the words of the API.

    :returns: ``name``, ``size``, ``mode``, ``mtime``, ``linkTarget``.
    :raises Invalid: the data is no tar archive.
    """
    try:
        with tarfile.open(fileobj=io.BytesIO(data), mode='r:') as archive:
            member = archive.next()
    except tarfile.TarError as exc:
        raise exception.Invalid(
            _('The archive of %(path)s cannot be read: %(error)s')
            % {'path': path, 'error': exc})
    if member is None:
        raise exception.Invalid(_('The archive of %s is empty.') % path)
    moment = datetime.datetime.fromtimestamp(member.mtime,
                                             datetime.timezone.utc)
    return {'name': posixpath.basename(posixpath.normpath(path)) or '/',
            'size': member.size,
            'mode': member.mode | _GO_MODES.get(member.type, 0),
            'mtime': moment.strftime('%Y-%m-%dT%H:%M:%SZ'),
            'linkTarget': member.linkname}


def check(path: str, output: stream.Output) -> None:
    """Turn a failure of tar into an error that tells the caller why.

    :raises Invalid: the path does not exist or is no directory.
    :raises Conflict: the image has no tar.
    """
    code = output.outcome.exit_code
    if code == 0:
        return
    text = output.stderr.decode('utf-8', 'replace').strip()
    if code in (126, 127) and output.outcome.error:
        raise exception.Conflict(_(
            'The image of the container has no tar, which archives need '
            'where zun-compute-agent does not run.'))
    raise exception.Invalid(
        _('Archive of path %(path)s failed: %(error)s')
        % {'path': path,
           'error': text or output.outcome.error or _('exit code %s') % code})
