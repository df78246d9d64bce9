# SPDX-License-Identifier: Apache-2.0
"""Logs of former runs, kept on the node.

A container's log goes with its Pod, and on a node short of disk before
that. What a run has said is copied here at its end, in the lines that the
kubelet's log files have: ``TIME stdout|stderr F|P TEXT``.
"""

from collections.abc import Iterator
import gzip
import os
import pathlib
import re
import shutil

from oslo_log import log as logging

LOG = logging.getLogger(__name__)

_NAME = re.compile(r'(?P<generation>\d+)\.log\Z')
_SAFE = re.compile(r'[A-Za-z0-9][A-Za-z0-9._-]*\Z')


class SavedLogs:
    """Logs by container and run.

    :param folder: where they are kept.
    :param limit: bytes kept of a container; the oldest runs go first.
    """

    def __init__(self, folder: pathlib.Path, limit: int):
        self._folder = folder
        self._limit = limit

    def save(self, uuid: str, name: str, generation: int,
             source: pathlib.Path) -> None:
        """Copy the log of a run that has ended.

        :param name: of the container in its Pod.
        :param source: the kubelet's newest log file of it.
        """
        folder = self._of(uuid, name)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        made = folder / ('%d.new' % generation)
        with open(made, 'wb') as out:
            for piece in pieces(source):
                with piece:
                    shutil.copyfileobj(piece, out)
        made.replace(folder / ('%d.log' % generation))
        self._shorten(folder)

    def runs(self, uuid: str, name: str) -> list[tuple[int, pathlib.Path]]:
        """(generation, file) of the runs that are kept, in order."""
        try:
            entries = list(self._of(uuid, name).iterdir())
        except FileNotFoundError:
            return []
        found = [(int(match['generation']), entry) for entry in entries
                 if (match := _NAME.match(entry.name))]
        return sorted(found)

    def owners(self) -> list[str]:
        """Uuids of the containers that something is kept of."""
        try:
            return sorted(entry.name for entry in self._folder.iterdir())
        except FileNotFoundError:
            return []

    def drop(self, uuid: str) -> None:
        """Remove what is kept of a container; nothing is no error."""
        shutil.rmtree(self._folder / _safe(uuid), ignore_errors=True)

    def _of(self, uuid, name):
        return self._folder / _safe(uuid) / _safe(name)

    def _shorten(self, folder):
        left = self._limit
        kept = sorted((path for path in folder.iterdir()
                       if _NAME.match(path.name)),
                      key=lambda path: int(path.stem), reverse=True)
        for number, path in enumerate(kept):
            left -= path.stat().st_size
            if left < 0 and number:
                path.unlink()


def _safe(part):
    """A name as part of a path.

    :raises ValueError: it would lead elsewhere.
    """
    if not _SAFE.match(part):
        raise ValueError('%r is no name of a log' % part)
    return part


def pieces(source: pathlib.Path) -> Iterator:
    """The files of a log, opened, the oldest first.

    The kubelet renames a full one to ``N.log.TIME`` and packs it later.
    """
    rotated = sorted(source.parent.glob(source.name + '.*'))
    for path in rotated:
        if path.suffix == '.gz':
            yield gzip.open(path)
        elif path.suffix != '.tmp':
            yield open(path, 'rb')
    if os.path.exists(source):
        yield open(source, 'rb')
