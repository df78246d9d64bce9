# SPDX-License-Identifier: Apache-2.0
"""A place of its own for both labs: a network and a mount namespace.

What listens in it is not seen outside, so that the labs' fixed ports and
bridges are in nobody's way.
"""

import os
import pathlib
import signal
import subprocess
import sys

_HOLD = '''
set -e
mkdir -p "$0/sys"
mount -t sysfs sysfs "$0/sys"
mount --rbind /sys/fs/cgroup "$0/sys/fs/cgroup"
mount --move "$0/sys" /sys
ip link set lo up
echo ready
exec sleep infinity
'''


class Space:
    """Held by one process; found again by a later run.

    :param folder: keeps its number.
    """

    def __init__(self, folder: pathlib.Path):
        self._folder = folder
        self._file = folder / 'space'
        folder.mkdir(parents=True, exist_ok=True)
        self.pid = self._running() or self._start()

    def _running(self):
        if not self._file.exists():
            return None
        pid, born = self._file.read_text().split()
        return int(pid) if _birth(int(pid)) == born else None

    def _start(self):
        holder = subprocess.Popen(
            ['unshare', '--net', '--mount', '--propagation', 'private',
             'sh', '-c', _HOLD, str(self._folder)],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
            start_new_session=True)
        if holder.stdout.readline().strip() != 'ready':
            raise RuntimeError('The namespaces of %s could not be made: '
                               'this needs root' % self._folder)
        self._file.write_text('%d %s' % (holder.pid, _birth(holder.pid)))
        return holder.pid

    def command(self, *words: str) -> list[str]:
        """A command, to be run in here."""
        return ['nsenter', '--target', str(self.pid), '--net', '--mount',
                '--wd=' + os.getcwd(), *words]

    def run_self(self, *arguments: str) -> int:
        """Run this program in here; its status."""
        return subprocess.run(self.command(
            sys.executable, '-m', __package__, *arguments),
            check=False).returncode

    def end(self) -> None:
        os.kill(self.pid, signal.SIGTERM)
        self._file.unlink()


def _birth(pid):
    """When a process began, which tells it from a later one."""
    try:
        return pathlib.Path('/proc/%d/stat' % pid).read_text().rpartition(
            ')')[2].split()[19]
    except OSError:
        return None
