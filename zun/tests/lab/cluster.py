# SPDX-License-Identifier: Apache-2.0
"""The real cluster of the tests.

The cluster of ``KUBECONFIG`` where that is set, else one that is started
from the lab in ``ZUN_LAB`` (default ``../shared/lab``) for this process and
removed at its end.
"""

import atexit
import functools
import os
import pathlib
import shutil
import subprocess
import tempfile

import zun

ROOT = pathlib.Path(zun.__file__).parents[1]
START_SECONDS = 300


def _script() -> pathlib.Path:
    lab = os.environ.get('ZUN_LAB') or ROOT.parent / 'shared' / 'lab'
    return pathlib.Path(lab) / 'kubernetes' / 'kube-lab'


class Cluster:
    """A cluster, and the lab's folder if its programs can be stopped.

    :ivar kubeconfig: path of its configuration file.
    :ivar disposable: it was made for this process and goes with it.
    """

    def __init__(self, kubeconfig: str, folder: pathlib.Path | None,
                 disposable: bool = False):
        self.kubeconfig = kubeconfig
        self.disposable = disposable
        self._folder = folder

    @property
    def containerd(self) -> str | None:
        """The socket of the node's containerd, if it is on this machine."""
        if self._folder is None:
            return None
        found = sorted(self._folder.glob('run/**/containerd.sock'))
        return 'unix://%s' % found[0]

    def kill(self, program: str) -> None:
        """End a program of the lab, at once."""
        self._run('kill', program)

    def restore(self) -> None:
        """Start what was killed, and wait until all is ready."""
        self._run('start', '--again')

    def _run(self, verb, *arguments):
        if self._folder is None:
            raise RuntimeError(
                'Programs of the cluster %s cannot be stopped: it is not the '
                'lab\'s. Unset KUBECONFIG and set ZUN_LAB.' % self.kubeconfig)
        run_lab(verb, '--dir', str(self._folder), *arguments)


def run_lab(*arguments: str) -> None:
    """Run the lab's script.

    :raises RuntimeError: it failed; the text is what it said.
    """
    done = subprocess.run(
        [str(_script()), *arguments], capture_output=True, text=True,
        stdin=subprocess.DEVNULL, timeout=START_SECONDS)
    if done.returncode:
        raise RuntimeError('kube-lab %s: %s%s' % (
            ' '.join(arguments), done.stdout[-2000:], done.stderr[-2000:]))


@functools.cache
def get() -> Cluster:
    """The cluster; the first call may start it."""
    given = os.environ.get('KUBECONFIG')
    if given:
        folder = pathlib.Path(given).parent
        return Cluster(given, folder if (
            folder / 'lab.json').exists() and _script().exists() else None)
    if not _script().exists():
        raise RuntimeError(
            'There is no cluster: %s is not there and KUBECONFIG is not set.'
            % _script())
    return _start()


def _start():
    folder = pathlib.Path(tempfile.mkdtemp(prefix='zun-lab-', dir='/tmp'))
    # Beside a lab that may run already: names and addresses of its own.
    number = os.getpid() % 50
    start = ['start', '--dir', str(folder), '--name', 'zt%d' % number,
             '--node-name', 'zun-lab-node',
             '--port-offset', str(11000 + number * 200),
             '--node-ip', '10.89.%d.1' % (100 + number),
             '--pod-cidr', '10.%d.0.0/16' % (130 + number),
             '--service-cidr', '10.%d.0.0/16' % (190 + number)]
    atexit.register(_stop, folder)
    run_lab(*start)
    return Cluster(str(folder / 'admin.kubeconfig'), folder, True)


def _stop(folder):
    run_lab('stop', '--dir', str(folder), '--wipe')
    shutil.rmtree(folder, ignore_errors=True)
