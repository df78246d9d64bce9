# SPDX-License-Identifier: Apache-2.0
"""Workers that may die, and a process that always has some.

``python -m zun.tests.fault.worker compute 2 FOLDER --config-file FILE``
keeps two zun-compute processes alive, which share nothing but what their
executables share; ``agent`` keeps agents, whose runtime is asked over the
socket ``runtime`` in the folder. New ones are forks, since to import
everything takes longer than to die.
"""

import os
import signal
import sys
import threading

from zun.cmd import compute
from zun.cmd import compute_agent
from zun.common import service
import zun.conf
from zun import objects
from zun.tests.fault import points
from zun.tests.fault import remote

CONF = zun.conf.CONF


class Keeper:
    """Keeps processes alive.

    :param main: what each of them runs.
    """

    def __init__(self, main, count: int) -> None:
        self._main = main
        self._count = count
        self._children: set[int] = set()
        self._ended = False

    def run(self) -> None:
        """Until SIGTERM; the processes end with this one."""
        signal.signal(signal.SIGTERM, self._end)
        while not self._ended:
            while len(self._children) < self._count:
                self._fork()
            try:
                pid, _status = os.wait()
            except InterruptedError:
                continue
            self._children.discard(pid)
        for pid in self._children:
            os.waitpid(pid, 0)

    def _end(self, _number, _frame):
        self._ended = True
        for pid in self._children:
            os.kill(pid, signal.SIGKILL)

    def _fork(self):
        pid = os.fork()
        if pid:
            self._children.add(pid)
            return
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        try:
            self._main()
            threading.Event().wait()
        finally:
            os._exit(1)


def _compute() -> list:
    return list(compute.build(0))


def _agent(folder: points.Folder, counted: points.Points) -> list:
    compute_agent._load_runtime = lambda: _runtime(folder, counted)
    objects.register_all()
    return compute_agent.build(0)


def _runtime(folder, counted):
    runtime = remote.connect(folder.path / 'runtime')
    counted.wrap_runtime(runtime)
    return runtime


def main() -> None:
    """Keep workers of one kind alive."""
    what, count, path, *options = sys.argv[1:]
    folder = points.Folder(path)

    def work():
        sys.argv[1:] = options
        service.prepare_service()
        CONF.set_default('max_pool_size', CONF.task.concurrency + 8,
                         'database')
        counted = points.Points(folder)
        counted.install()
        parts = _compute() if what == 'compute' else _agent(folder, counted)
        for part in parts:
            part.start()

    Keeper(work, int(count)).run()


if __name__ == '__main__':
    main()
