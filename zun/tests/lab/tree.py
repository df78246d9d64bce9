# SPDX-License-Identifier: Apache-2.0
"""A tree of files with all that a file system knows of them."""

import hashlib
import os
import pathlib
import stat

# Every Pod has its own of these, and directories over which something is
# mounted show that instead.
_OWN = {'proc', 'sys', 'dev', 'run', 'etc/hosts', 'etc/hostname',
        'etc/resolv.conf', 'dev/termination-log'}


def describe(root: pathlib.Path) -> dict[str, tuple]:
    """By path: type, mode, owner, size, times, attributes, contents.

    Names of one file share the first of them.
    """
    found: dict[str, tuple] = {}
    links: dict[tuple, str] = {}
    for folder, folders, files in os.walk(root):
        inside = os.path.relpath(folder, root)
        folders[:] = sorted(name for name in folders
                            if os.path.normpath(os.path.join(
                                inside, name)) not in _OWN)
        for name in sorted(folders + files):
            path = os.path.normpath(os.path.join(inside, name))
            if path not in _OWN:
                found[path] = _entry(os.path.join(folder, name), path,
                                     links)
    return found


def _entry(path, name, links):
    seen = os.lstat(path)
    attributes = {key: os.getxattr(path, key, follow_symlinks=False)
                  for key in os.listxattr(path, follow_symlinks=False)
                  if not key.startswith('trusted.')}
    contents = size = None
    if stat.S_ISREG(seen.st_mode):
        size = seen.st_size
        with open(path, 'rb') as file:
            contents = hashlib.file_digest(file, 'sha256').hexdigest()
    elif stat.S_ISLNK(seen.st_mode):
        contents = os.readlink(path)
    first = name
    if seen.st_nlink > 1 and not stat.S_ISDIR(seen.st_mode):
        first = links.setdefault((seen.st_dev, seen.st_ino), name)
    return (oct(seen.st_mode), seen.st_uid, seen.st_gid, size,
            seen.st_rdev, seen.st_mtime_ns, attributes, contents, first)


def differences(before: dict, after: dict) -> dict[str, tuple]:
    """By path: what was and what is, where that is not the same."""
    return {path: (before.get(path), after.get(path))
            for path in sorted(before.keys() | after.keys())
            if before.get(path) != after.get(path)}
