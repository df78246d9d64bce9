# SPDX-License-Identifier: Apache-2.0
"""Archives of a container's files, made and unpacked on its node."""

from collections.abc import Iterator
import contextlib
import io
import json
import pathlib
import subprocess
import sys
import tempfile
import threading

from zun.common import exception
from zun.common.i18n import _
from zun.container.runtime import inside

SECONDS = 300.0


def get(root: pathlib.Path, path: str, limit: int) -> tuple[bytes, dict]:
    """What is at a path as a tar archive, and its description.

    :param root: of the container's files.
    :param limit: bytes of the archive at most.
    :raises Invalid: there is nothing, or it is too large.
    """
    with tempfile.TemporaryFile() as errors:
        child = _child('get', root, path, subprocess.DEVNULL, errors)
        with child, _bounded(child):
            data = child.stdout.read(limit + 1)
            if len(data) > limit:
                child.kill()
        if len(data) > limit:
            raise exception.Invalid(
                _('The archive of %(path)s is larger than %(limit)d bytes.')
                % {'path': path, 'limit': limit})
        return data, _outcome(child, path, errors)


def put(root: pathlib.Path, path: str, data: bytes) -> None:
    """Unpack a tar archive in a directory.

    :raises Invalid: there is no such directory, or it is no archive.
    """
    with tempfile.TemporaryFile() as errors, (
            tempfile.TemporaryFile()) as source:
        source.write(data)
        source.seek(0, io.SEEK_SET)
        child = _child('put', root, path, source, errors)
        with child, _bounded(child):
            child.wait()
        _outcome(child, path, errors)


def _child(verb, root, path, source, errors):
    return subprocess.Popen(
        [sys.executable, '-I', '-S', inside.__file__, verb, str(root), path],
        stdin=source, stdout=subprocess.PIPE, stderr=errors, env={},
        cwd='/')


@contextlib.contextmanager
def _bounded(child) -> Iterator[None]:
    """End a child that reads what never comes to an end."""
    timer = threading.Timer(SECONDS, child.kill)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _outcome(child, path, errors) -> dict:
    errors.seek(0)
    lines = errors.read().decode('utf-8', 'replace').splitlines()
    try:
        found = json.loads(lines[-1])
    except (IndexError, ValueError):
        found = {'error': _('it ended with code %d') % child.returncode}
    if child.returncode or 'error' in found:
        text = found.get('error')
        if found.get('kind') == 'missing':
            text = _('Could not find the file %s in the container') % path
        raise exception.Invalid(
            _('Archive of path %(path)s failed: %(error)s')
            % {'path': path, 'error': text})
    return found
