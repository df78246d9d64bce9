# SPDX-License-Identifier: Apache-2.0
"""One container of a Pod, as a local process."""

import asyncio
import pathlib
import shutil
import signal
from typing import Any
import uuid

from zun.standalone.cluster import environment
from zun.standalone.cluster import images
from zun.standalone.cluster import logs
from zun.standalone.cluster import processes

_UNSTOPPABLE = (signal.SIGKILL, signal.SIGSTOP, signal.SIGCONT)
START_FAILED = ('failed to create containerd task: failed to create shim '
                'task: OCI runtime create failed: runc create failed: '
                'unable to start container process: %s')


class Container:
    """A container: created once, started once.

    :param spec: the entry of the Pod's ``containers``.
    :param directory: becomes the process's working directory.
    """

    def __init__(self, pod_uid: str, spec: dict[str, Any],
                 image: images.Image, directory: pathlib.Path,
                 log: pathlib.Path) -> None:
        self.id = uuid.uuid4().hex + uuid.uuid4().hex
        self.mark = '%s/%s' % (directory, self.id)
        self.pod_uid = pod_uid
        self.name = spec['name']
        self.spec = spec
        self.image = image
        self.directory = directory
        self.log = logs.LogWriter(log)
        self.process: processes.LocalProcess | None = None
        self.exit_code: int | None = None
        self.paused = False
        self.killed_for = ''
        self.size = (80, 24)
        self.env: dict[str, str] = {}
        self.cwd = str(directory)
        self.attached: set[processes.Output] = set()
        self.ended = asyncio.Event()

    @property
    def running(self) -> bool:
        """Whether its first process runs."""
        return self.process is not None and self.exit_code is None

    def start(self, env: dict[str, str]) -> None:
        """Start the first process.

        :raises processes.StartError: when there is no such program.
        """
        self.furnish()
        workdir = self.spec.get('workingDir') or self.image.workdir
        cwd = self.directory / (workdir or '').lstrip('/')
        cwd.mkdir(parents=True, exist_ok=True)
        self.cwd = str(cwd)
        self.env = dict(env)
        self.env[processes.MARK] = self.mark
        argv = environment.arguments(self.spec, self.image, env)
        if not argv:
            raise processes.StartError('no command specified')
        try:
            self.process = processes.start(
                argv, self.env, self.cwd, self._output,
                tty=bool(self.spec.get('tty')),
                stdin=bool(self.spec.get('stdin')), size=self.size)
        except processes.StartError:
            self.log.close()
            self.ended.set()
            raise

    def furnish(self) -> None:
        """Make the directory, with the files of the image, once."""
        if self.directory.exists():
            return
        self.directory.mkdir(parents=True)
        if self.image.files:
            shutil.copytree(self.image.files, self.directory, symlinks=True,
                            dirs_exist_ok=True)

    async def run(self) -> int:
        """Wait for the end; stray processes are killed; the exit code."""
        if self.process is None:
            raise processes.StartError('the container was not started')
        await asyncio.shield(self.process.exit_code)
        processes.kill_members(self.mark)
        code = await self.process.wait()
        self.exit_code = code
        self.log.close()
        self.ended.set()
        return code

    def signal(self, signum: int) -> bool:
        """Send a signal to process 1; False if it has ended.

        As in a PID namespace, a signal without a handler is ignored.
        """
        if self.process is None or self.exit_code is not None:
            return False
        pid = self.process.pid
        if signum == signal.SIGKILL:
            processes.kill_members(self.mark)
            return True
        if signum in _UNSTOPPABLE or processes.catches(pid, signum):
            return processes.send(pid, signum)
        return True

    def pause(self) -> None:
        """Stop all processes (SIGSTOP)."""
        for pid in processes.members(self.mark):
            processes.send(pid, signal.SIGSTOP)
        self.paused = True

    def resume(self) -> None:
        """Let all processes go on (SIGCONT)."""
        for pid in processes.members(self.mark):
            processes.send(pid, signal.SIGCONT)
        self.paused = False

    def execute(self, argv: list[str], output: processes.Output, *,
                tty: bool, stdin: bool) -> processes.LocalProcess:
        """Start one more process in the container.

        :raises processes.StartError: also when the container is paused.
        """
        if self.paused:
            raise processes.StartError('cannot exec in a paused state')
        env = dict(self.env, TERM='xterm') if tty else self.env
        return processes.start(argv, env, self.cwd, output, tty=tty,
                               stdin=stdin)

    def resize(self, width: int, height: int) -> None:
        """Set the size of the container's terminal."""
        self.size = (width, height)
        if self.process is not None:
            self.process.resize(width, height)

    def destroy(self) -> None:
        """Kill everything and delete the directory."""
        processes.kill_members(self.mark)
        self.log.close()
        shutil.rmtree(self.directory, ignore_errors=True)

    def _output(self, stream: str, data: bytes) -> None:
        self.log.write(stream, data)
        for sink in list(self.attached):
            sink(stream, data)
