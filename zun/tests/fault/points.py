# SPDX-License-Identifier: Apache-2.0
"""Where a worker can be made to die.

Each effect of a task that others can see is a point: a commit, a statement
that commits itself, a request that changes something, what a node's runtime
is asked to change. The first and the last moment of an attempt are points
too. They are counted for each attempt, from 0; the process dies of SIGKILL
before or after one, as a *shot* says.

Shots are files in a folder that the processes and the test share:
``shots/<lane>`` is for the task of that lane, ``shots/any.<kind>.<id>`` for
the first task of that kind which begins. A file holds ``kind number phase
signal``. It is moved to ``fired`` by whom it hits.
"""

import os
import pathlib
import signal
import threading
from urllib import parse

import sqlalchemy as sa
from sqlalchemy.engine import default
import urllib3

from zun.compute.tasks import execution

BEFORE, AFTER = 'before', 'after'
_READS = ('GET', 'HEAD', 'OPTIONS')
_WRITES = ('INSERT', 'UPDATE', 'DELETE')
# What changes something, of a container runtime.
RUNTIME = ('signal', 'pause', 'resume', 'freeze', 'commit', 'remove_image',
           'pull', 'discard', 'import_archive')


class Folder:
    """What the test and the processes tell each other.

    :param path: made when it is not there.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = pathlib.Path(path)
        for name in ('shots', 'fired', 'journal'):
            (self.path / name).mkdir(parents=True, exist_ok=True)

    def arm(self, target: str, kind: str, number: int, phase: str,
            name: str = 'SIGKILL') -> None:
        """Let a task of a lane (or ``any.<kind>.<id>``) be fatal.

        :param name: of the signal.
        """
        new = self.path / ('new.' + target)
        new.write_text('%s %d %s %s' % (kind, number, phase, name))
        new.rename(self.path / 'shots' / target)

    def disarm(self, target: str) -> bool:
        """Take a shot back.

        :returns: False when it has been fired, or taken by another lane.
        """
        try:
            (self.path / 'shots' / target).unlink()
        except FileNotFoundError:
            return False
        return True

    def take(self, lane: str, kind: str) -> None:
        """Take a shot for any task of a kind, if this lane has none."""
        for found in sorted((self.path / 'shots').glob('any.%s.*' % kind)):
            target = self.path / 'shots' / lane
            if target.exists():
                return
            try:
                found.rename(target)
            except FileNotFoundError:
                continue

    def fired(self) -> int:
        """Processes that have died so far."""
        return len(list((self.path / 'fired').iterdir()))

    def stopped(self) -> list[tuple[int, float]]:
        """Processes that were stopped, and since when (time.time)."""
        return [(int(one.name.rpartition('.')[2]), one.stat().st_ctime)
                for one in (self.path / 'fired').glob('*.SIGSTOP.*')]

    def points(self, lane: str, kind: str) -> list[str]:
        """The points of the last attempt of a lane's task, by number."""
        path = self.path / 'journal' / ('%s.%s' % (lane, kind))
        found: list[str] = []
        for line in path.read_text().splitlines() if path.exists() else ():
            number, _, what = line.partition(' ')
            if number == '0':
                found = []
            found.append(what)
        return found


class _Current(threading.local):
    """The task of this thread."""

    lane: str | None = None
    kind = ''
    number = 0
    depth = 0


class Points:
    """Counts the points of this process, and dies at one."""

    def __init__(self, folder: Folder) -> None:
        self.folder = folder
        self._current = _Current()

    def install(self) -> None:
        """Count from now on what any thread of this process does."""
        self._around_tasks()
        self._around_requests()
        self._around_transactions()

    def around(self, what: str, effect, *args, **kwargs):
        """Carry an effect out, as a point if a task does it."""
        current = self._current
        if current.lane is None or current.depth:
            return effect(*args, **kwargs)
        number = current.number
        current.number += 1
        self._note(number, what)
        self._perhaps_die(number, BEFORE)
        current.depth += 1
        try:
            return effect(*args, **kwargs)
        finally:
            current.depth -= 1
            self._perhaps_die(number, AFTER)

    def _note(self, number, what):
        current = self._current
        name = '%s.%s' % (current.lane, current.kind)
        with open(self.folder.path / 'journal' / name, 'a') as file:
            file.write('%d %s\n' % (number, what))

    def _perhaps_die(self, number, phase):
        current = self._current
        shot = self.folder.path / 'shots' / current.lane
        try:
            wanted = shot.read_text()
        except FileNotFoundError:
            return
        point, _, name = wanted.rpartition(' ')
        if point != '%s %d %s' % (current.kind, number, phase):
            return
        try:
            shot.rename(self.folder.path / 'fired' / (
                '%s.%s.%d.%s.%s.%d' % (
                    current.lane, current.kind, number, phase, name,
                    os.getpid())))
        except FileNotFoundError:
            return
        os.kill(os.getpid(), signal.Signals[name])

    def _around_tasks(self):
        run = execution.Executor.run

        def counted(executor, row, lease_held):
            current = self._current
            # A task without a lane is named by itself.
            current.lane = row.lane or row.uuid
            current.kind = row.kind
            current.number = 0
            self.folder.take(current.lane, row.kind)
            try:
                self.around('begin', lambda: None)
                run(executor, row, lease_held)
                self.around('end', lambda: None)
            finally:
                current.lane = None

        execution.Executor.run = counted

    def _around_requests(self):
        pool = urllib3.connectionpool.HTTPConnectionPool
        urlopen = pool.urlopen

        def counted(connections, method, url, *args, **kwargs):
            if method.upper() in _READS:
                return urlopen(connections, method, url, *args, **kwargs)
            return self.around(
                '%s %s' % (method, parse.urlsplit(url).path), urlopen,
                connections, method, url, *args, **kwargs)

        pool.urlopen = counted

    def _around_transactions(self):
        do_commit = default.DefaultDialect.do_commit

        def counted(dialect, connection):
            return self.around('commit', do_commit, dialect, connection)

        default.DefaultDialect.do_commit = counted
        # In front of a dialect's own way to execute.
        sa.event.listen(sa.Engine, 'do_execute', self._in_statement)

    def _in_statement(self, cursor, statement, parameters, context):
        # The engine of statements that are transactions of their own.
        if context.dialect._on_connect_isolation_level != 'AUTOCOMMIT' \
                or not statement.startswith(_WRITES):
            return None
        self.around('statement', cursor.execute, statement, parameters)
        return True

    def wrap_runtime(self, runtime) -> None:
        """Count what a runtime is asked to change."""
        for name in RUNTIME:
            self._wrap(runtime, name)

    def _wrap(self, runtime, name):
        plain = getattr(runtime, name)
        setattr(runtime, name, lambda *args, **kwargs: self.around(
            'runtime ' + name, plain, *args, **kwargs))
