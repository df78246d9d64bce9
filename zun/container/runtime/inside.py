# SPDX-License-Identifier: Apache-2.0
"""Files of a container, read and written by a child that is shut in.

A program of its own, run with nothing but Python's library: it makes the
root of the container its own before it looks at any path, so that no link
and no name leads out, and needs no program of the image.

    inside.py get ROOT PATH        the archive goes to standard output
    inside.py put ROOT PATH        the archive comes from standard input

The last line on standard error is a JSON document: what is known of the
path (``get``), or ``{"error": ..., "kind": ...}``.
"""

import errno
import json
import os
import stat
import sys
import tarfile
import time

# What tarfile imports only when it needs it, which is after the chroot.
import bz2  # noqa: F401
import encodings.idna  # noqa: F401
import encodings.latin_1  # noqa: F401
import encodings.utf_8  # noqa: F401
import grp  # noqa: F401
import gzip  # noqa: F401
import lzma  # noqa: F401
import pwd  # noqa: F401
import zlib  # noqa: F401

# Bits of Go's file mode, which the API has always shown.
_GO_BITS = ((stat.S_ISUID, 1 << 23), (stat.S_ISGID, 1 << 22),
            (stat.S_ISVTX, 1 << 20))
_GO_KINDS = {stat.S_IFDIR: 1 << 31, stat.S_IFLNK: 1 << 27,
             stat.S_IFIFO: 1 << 25, stat.S_IFSOCK: 1 << 24,
             stat.S_IFBLK: 1 << 26, stat.S_IFCHR: (1 << 26) | (1 << 21)}


def describe(path: str) -> dict:
    """``name``, ``size``, ``mode``, ``mtime``, ``linkTarget`` of a path."""
    found = os.lstat(path)
    mode = found.st_mode & 0o777
    mode |= _GO_KINDS.get(stat.S_IFMT(found.st_mode), 0)
    for bit, shown in _GO_BITS:
        if found.st_mode & bit:
            mode |= shown
    return {
        'name': os.path.basename(path) or '/', 'size': found.st_size,
        'mode': mode, 'mtime': time.strftime(
            '%Y-%m-%dT%H:%M:%SZ', time.gmtime(found.st_mtime)),
        'linkTarget': os.readlink(path)
        if stat.S_ISLNK(found.st_mode) else ''}


def get(path: str, out) -> dict:
    """Write what is at a path, a link as such, to an open file."""
    path = os.path.normpath('/' + path)
    found = describe(path)
    name = '.' if path == '/' else found['name']
    with tarfile.open(fileobj=out, mode='w|',
                      format=tarfile.PAX_FORMAT) as archive:
        archive.add(path, arcname=name)
    return found


def put(path: str, source) -> dict:
    """Unpack an archive in a directory."""
    path = '/' + path
    if not stat.S_ISDIR(os.stat(path).st_mode):
        raise NotADirectoryError(errno.ENOTDIR, 'not a directory', path)
    with tarfile.open(fileobj=source, mode='r|*') as archive:
        # What a member can reach is what the container can. Releases of
        # Python that have no filters trust as well.
        archive.extraction_filter = getattr(
            tarfile, 'fully_trusted_filter', None)
        archive.extractall(path, numeric_owner=True)  # nosec B202
    return {}


def main(verb: str, root: str, path: str) -> int:
    os.umask(0)
    try:
        os.chroot(root)
        os.chdir('/')
        found = (get(path, sys.stdout.buffer) if verb == 'get' else
                 put(path, sys.stdin.buffer))
    except Exception as exc:
        kind = 'missing' if isinstance(exc, FileNotFoundError) else 'bad'
        text = exc.strerror if isinstance(exc, OSError) else None
        print('\n' + json.dumps({'error': text or str(exc), 'kind': kind}),
              file=sys.stderr)
        return 1
    sys.stdout.flush()
    print('\n' + json.dumps(found), file=sys.stderr)
    return 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
