# SPDX-License-Identifier: Apache-2.0
"""Local processes under an asyncio loop: pipes or a terminal, and signals."""

import asyncio
import errno
import fcntl
import functools
import os
import pathlib
import pty
import shutil
import signal
import struct
import subprocess
import termios
from typing import Callable

#: Environment variable that marks all processes of one container.
MARK = 'ZUN_SIMULATED_CONTAINER'
#: Seconds to wait for output held open by others after a process ended.
DRAIN = 1.0
_CHUNK = 65536

Output = Callable[[str, bytes], None]


class StartError(Exception):
    """A program that cannot be started; text as the OCI runtime's."""


@functools.cache
def _launcher(terminal: bool) -> tuple[str, ...]:
    """Programs put in front: die with the cluster, own the terminal."""
    argv: tuple[str, ...] = ()
    if shutil.which('setpriv'):
        argv += ('setpriv', '--pdeathsig', 'KILL')
    if terminal:
        argv += ('setsid', '--ctty')
    return argv


def resolve(argv: list[str], env: dict[str, str], cwd: str) -> str:
    """The path of the program that ``argv`` names.

    :raises StartError: with the words of runc.
    """
    program = argv[0]
    if '/' not in program:
        path = shutil.which(program, path=env.get('PATH', os.defpath))
        if path is None:
            raise StartError('exec: "%s": executable file not found in '
                             '$PATH' % program)
        return path
    path = os.path.join(cwd, program)
    if not os.path.exists(path):
        raise StartError('exec: "%s": stat %s: no such file or directory'
                         % (program, program))
    if os.path.isdir(path):
        raise StartError('exec: "%s": is a directory' % program)
    if not os.access(path, os.X_OK) or not os.stat(path).st_mode & 0o111:
        raise StartError('exec: "%s": permission denied' % program)
    return path


class LocalProcess:
    """One process. Create it with :func:`start`."""

    def __init__(self, popen: subprocess.Popen[bytes], output: Output,
                 master: int | None, keep_stdin: bool) -> None:
        self.pid = popen.pid
        self.exit_code: asyncio.Future[int] = (
            asyncio.get_running_loop().create_future())
        self.tty = master is not None
        self._popen = popen
        self._output = output
        self._loop = asyncio.get_running_loop()
        self._open: dict[int, str] = {}
        self._drained = asyncio.Event()
        self._stdin: int | None = None
        self._master = master
        if master is not None:
            self._read(master, 'stdout')
            self._stdin = master
        else:
            for pipe, name in ((popen.stdout, 'stdout'),
                               (popen.stderr, 'stderr')):
                if pipe is not None:
                    self._read(os.dup(pipe.fileno()), name)
                    pipe.close()
            if popen.stdin is not None and keep_stdin:
                self._stdin = os.dup(popen.stdin.fileno())
                os.set_blocking(self._stdin, False)
            if popen.stdin is not None:
                popen.stdin.close()
        self._pidfd = os.pidfd_open(popen.pid)
        self._loop.add_reader(self._pidfd, self._ended)

    async def wait(self) -> int:
        """The exit code (128 + signal when killed), after all output."""
        code = await asyncio.shield(self.exit_code)
        try:
            async with asyncio.timeout(DRAIN):
                await self._drained.wait()
        except TimeoutError:
            self._close_all()
        return code

    async def write(self, data: bytes) -> None:
        """Write to standard input, waiting while the process is slow."""
        view = memoryview(data)
        while view and self._stdin is not None:
            try:
                view = view[os.write(self._stdin, view):]
            except BlockingIOError:
                await self._writable(self._stdin)
            except OSError as e:
                if e.errno not in (errno.EPIPE, errno.EIO, errno.EBADF):
                    raise
                self.close_stdin()

    def close_stdin(self) -> None:
        """End standard input (a terminal gets its end-of-file character)."""
        if self._stdin is None:
            return
        if self._stdin == self._master:
            if not self.exit_code.done():
                os.write(self._master, b'\x04')
            return
        os.close(self._stdin)
        self._stdin = None

    def resize(self, width: int, height: int) -> None:
        """Set the terminal's size in characters."""
        if self._master is not None and not self.exit_code.done():
            set_size(self._master, width, height)

    def hold(self) -> None:
        """Read no output for now: the process waits when its pipe is full."""
        for fd in self._open:
            self._loop.remove_reader(fd)

    def release(self) -> None:
        """Read output again."""
        for fd, name in self._open.items():
            self._loop.add_reader(fd, self._readable, fd, name)

    def _read(self, fd: int, name: str) -> None:
        os.set_blocking(fd, False)
        self._open[fd] = name
        self._loop.add_reader(fd, self._readable, fd, name)

    def _readable(self, fd: int, name: str) -> None:
        try:
            data = os.read(fd, _CHUNK)
        except BlockingIOError:
            return
        except OSError:
            data = b''  # a terminal without a process answers EIO
        if data:
            self._output(name, data)
        else:
            self._close(fd)

    def _close(self, fd: int) -> None:
        if fd not in self._open:
            return
        del self._open[fd]
        self._loop.remove_reader(fd)
        if fd == self._master:
            self._master = None
            if self._stdin == fd:
                self._stdin = None
        os.close(fd)
        if not self._open:
            self._drained.set()

    def _close_all(self) -> None:
        for fd in list(self._open):
            self._close(fd)

    def _ended(self) -> None:
        code = self._popen.poll()
        if code is None:
            return
        self._loop.remove_reader(self._pidfd)
        os.close(self._pidfd)
        if self._stdin is not None and self._stdin != self._master:
            os.close(self._stdin)
            self._stdin = None
        if not self._open:
            self._drained.set()
        self.exit_code.set_result(128 - code if code < 0 else code)

    async def _writable(self, fd: int) -> None:
        ready = self._loop.create_future()
        self._loop.add_writer(fd, lambda: ready.done() or
                              ready.set_result(None))
        try:
            await asyncio.wait({ready, self.exit_code},
                               return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._loop.remove_writer(fd)


def start(argv: list[str], env: dict[str, str], cwd: str, output: Output, *,
          tty: bool = False, stdin: bool = False,
          size: tuple[int, int] = (80, 24)) -> LocalProcess:
    """Start a process in a session of its own.

    :param output: called with 'stdout' or 'stderr' and the bytes.
    :param stdin: keep standard input open; else it is empty.
    :param size: width and height of a new terminal.
    :raises StartError: when the program cannot be started.
    """
    program = [resolve(argv, env, cwd)]
    command = [*_launcher(tty), *program, *argv[1:]]
    try:
        if not tty:
            popen = subprocess.Popen(
                command, env=env, cwd=cwd, stdout=subprocess.PIPE,
                stdin=subprocess.PIPE if stdin else subprocess.DEVNULL,
                stderr=subprocess.PIPE, start_new_session=True)
            return LocalProcess(popen, output, None, stdin)
        master, slave = pty.openpty()
        set_size(master, *size)
        try:
            popen = subprocess.Popen(command, env=env, cwd=cwd, stdin=slave,
                                     stdout=slave, stderr=slave)
        finally:
            os.close(slave)
        return LocalProcess(popen, output, master, stdin)
    except OSError as e:
        raise StartError('exec: "%s": %s' % (argv[0], e.strerror)) from e


def set_size(terminal: int, width: int, height: int) -> None:
    """Set a terminal's window size in characters."""
    fcntl.ioctl(terminal, termios.TIOCSWINSZ,
                struct.pack('HHHH', height, width, 0, 0))


def members(mark: str) -> list[int]:
    """All processes whose environment carries ``MARK=mark...``."""
    wanted = ('%s=%s' % (MARK, mark)).encode()
    found = []
    for entry in pathlib.Path('/proc').iterdir():
        if not entry.name.isdigit():
            continue
        try:
            env = (entry / 'environ').read_bytes()
        except OSError:
            continue  # gone meanwhile, or another user's
        if any(item.startswith(wanted) for item in env.split(b'\0')):
            found.append(int(entry.name))
    return found


def kill_members(mark: str) -> int:
    """SIGKILL all processes of a container; how many there were."""
    count = 0
    for _ in range(10):  # a dying process may have forked meanwhile
        alive = [pid for pid in members(mark) if send(pid, signal.SIGKILL)]
        if not alive:
            break
        count += len(alive)
    return count


def send(pid: int, signum: int) -> bool:
    """Send a signal; False if the process is gone."""
    try:
        os.kill(pid, signum)
    except ProcessLookupError:
        return False
    return True


def catches(pid: int, signum: int) -> bool:
    """Whether a process has a handler for a signal.

    The first process of a container gets no other signals (but KILL and
    STOP): the kernel protects the first process of a PID namespace.
    """
    try:
        status = pathlib.Path('/proc/%d/status' % pid).read_text()
    except OSError:
        return False
    for line in status.splitlines():
        if line.startswith('SigCgt:'):
            return bool(int(line.split()[1], 16) >> (signum - 1) & 1)
    return False
