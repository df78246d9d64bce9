# SPDX-License-Identifier: Apache-2.0
"""Private MariaDB and PostgreSQL servers of a test process.

``get('mariadb')`` starts a server in a directory of its own the first time,
without durability and reachable by a socket in that directory alone; it ends
with the process, however that ends.  ``create_database()`` gives an empty
database and its SQLAlchemy URL.  The servers' programs come from the packages
``mariadb-server`` and ``postgresql``.
"""

import abc
import atexit
import glob
import os
import pathlib
import pwd
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import uuid

import psutil
import sqlalchemy as sa

# Not the directory that a test has to itself, which is another user's and
# goes with the test.  Paths of sockets are short (107 bytes), too.
PARENT = '/tmp'  # nosec B108

# Seconds that a server may take to start on a busy machine.
START_TIMEOUT = 120
STOP_TIMEOUT = 60

# Runs a command until standard input ends, as it does when the process that
# holds its other end dies, and removes the directory then.
_UNTIL_EOF = ('directory=$1; shift; "$@" & pid=$!; cat >/dev/null; '
              'kill "$pid"; wait "$pid"; rm -rf "$directory"')


class DatabaseUnavailable(Exception):
    """A server cannot be started; the message says what to do."""


class Server(abc.ABC):
    """A database server in a temporary directory."""

    # What the server calls itself in error messages, and its package.
    name: str
    package: str
    # Users that the server may run as when the tests run as root.
    users: tuple[str, ...]

    def __init__(self) -> None:
        self.directory = pathlib.Path(
            tempfile.mkdtemp(prefix='zun-db-', dir=PARENT))
        self.data = self.directory / 'data'
        self.log = self.directory / 'log'
        self._user = self._choose_user()
        self._processes: list[subprocess.Popen] = []
        if self._user is not None:
            shutil.chown(self.directory, self._user)

    def _choose_user(self) -> str | None:
        if os.geteuid() != 0:
            return None
        for user in (*self.users, 'nobody'):
            try:
                pwd.getpwnam(user)
            except KeyError:
                continue
            return user
        raise DatabaseUnavailable('No user to run %s as' % self.name)

    def _find(self, program: str, *directories: str) -> str:
        for pattern in directories:
            for directory in sorted(glob.glob(pattern), reverse=True):
                path = os.path.join(directory, program)
                if os.access(path, os.X_OK):
                    return path
        path = shutil.which(program)
        if path is None:
            raise DatabaseUnavailable(
                'There is no program %s: install the package %s'
                % (program, self.package))
        return path

    def _as_user(self, command: list[str], **kwargs) -> subprocess.Popen:
        if self._user is not None:
            entry = pwd.getpwnam(self._user)
            kwargs.update(user=entry.pw_uid, group=entry.pw_gid,
                          extra_groups=[])
        with open(self.log, 'ab') as log:
            return subprocess.Popen(command, stdout=log, stderr=log,
                                    cwd=self.directory, **kwargs)

    def _run(self, command: list[str]) -> None:
        process = self._as_user(command, stdin=subprocess.DEVNULL)
        if process.wait(START_TIMEOUT):
            raise DatabaseUnavailable('%s failed: %s' % (
                command[0], self._last_lines()))

    def _last_lines(self) -> str:
        return self.log.read_text(errors='replace')[-2000:]

    @abc.abstractmethod
    def initialise(self) -> None:
        """Make the data directory."""

    @abc.abstractmethod
    def command(self) -> list[str]:
        """Return the command that runs the server in the foreground."""

    @abc.abstractmethod
    def url(self, database: str) -> str:
        """Return the SQLAlchemy URL of a database."""

    @property
    @abc.abstractmethod
    def main_database(self) -> str:
        """The database that is there from the start."""

    def start(self) -> None:
        """Start the server and wait until it answers.

        :raises DatabaseUnavailable: it doesn't
        """
        self.initialise()
        self.launch()

    def launch(self) -> None:
        """Start the server on the data that is there.

        :raises DatabaseUnavailable: it doesn't answer
        """
        self._processes.append(self._as_user(
            ['/bin/sh', '-c', _UNTIL_EOF, 'sh', str(self.directory),
             *self.command()],
            stdin=subprocess.PIPE))
        deadline = time.monotonic() + START_TIMEOUT
        while True:
            try:
                self.execute('SELECT 1')
                return
            except sa.exc.DBAPIError as e:
                if time.monotonic() > deadline:
                    self.stop()
                    raise DatabaseUnavailable('%s does not start: %s: %s' % (
                        self.name, e, self._last_lines())) from e
                time.sleep(0.1)

    def shut_down(self) -> None:
        """End the server in good order; :meth:`launch` starts it again."""
        self._end(self._shutdown_signal)

    def crash(self) -> None:
        """End the server at once; what it wrote last may be lost."""
        self._end(signal.SIGKILL)

    def _end(self, number: signal.Signals) -> None:
        server = psutil.Process(self._pid())
        server.send_signal(number)
        # What started it only takes note of its end in stop().
        while server.is_running() and (server.status() !=
                                       psutil.STATUS_ZOMBIE):
            time.sleep(0.05)

    _shutdown_signal = signal.SIGTERM

    @abc.abstractmethod
    def _pid(self) -> int:
        """Return the process id of the server."""

    def stop(self) -> None:
        """Stop the server and remove its directory."""
        while self._processes:
            process = self._processes.pop()
            process.stdin.close()
            process.wait(STOP_TIMEOUT)
        shutil.rmtree(self.directory, ignore_errors=True)

    def execute(self, statement: str, database: str | None = None) -> None:
        """Run a statement outside of a transaction."""
        engine = sa.create_engine(self.url(database or self.main_database),
                                  isolation_level='AUTOCOMMIT',
                                  poolclass=sa.pool.NullPool)
        with engine.connect() as connection:
            connection.exec_driver_sql(statement)

    def create_database(self) -> str:
        """Create an empty database and return its URL."""
        name = 'zun_' + uuid.uuid4().hex[:16]
        self.execute(self._create_statement % name)
        return self.url(name)

    _create_statement = 'CREATE DATABASE %s'

    def drop_database(self, url: str) -> None:
        """Drop a database by its URL."""
        self.execute(self._drop_statement % sa.make_url(url).database)

    _drop_statement = 'DROP DATABASE IF EXISTS %s'


class MariaDB(Server):
    """A MariaDB server."""

    name = 'MariaDB'
    package = 'mariadb-server'
    users = ('mysql',)
    main_database = 'mysql'

    _create_statement = 'CREATE DATABASE %s CHARACTER SET utf8mb4'

    def initialise(self) -> None:
        self._run([self._find('mariadb-install-db'), '--no-defaults',
                   '--auth-root-authentication-method=normal',
                   '--skip-test-db', '--datadir=%s' % self.data,
                   '--tmpdir=%s' % self.directory])

    def command(self) -> list[str]:
        return [self._find('mariadbd', '/usr/sbin'), '--no-defaults',
                '--datadir=%s' % self.data, '--socket=%s' % self.socket,
                '--tmpdir=%s' % self.directory,
                '--pid-file=%s' % (self.directory / 'pid'),
                '--skip-networking', '--skip-log-bin',
                '--innodb-flush-log-at-trx-commit=0',
                '--innodb-doublewrite=OFF', '--innodb-lock-wait-timeout=30',
                '--innodb-buffer-pool-size=64M', '--max-connections=300']

    def _pid(self) -> int:
        return int((self.directory / 'pid').read_text())

    @property
    def socket(self) -> pathlib.Path:
        """The path of the server's socket."""
        return self.directory / 'socket'

    def load(self, url: str, script: bytes) -> None:
        """Run a script, such as a dump, in a database by its URL."""
        with tempfile.TemporaryFile() as file:
            file.write(script)
            file.seek(0)
            process = self._as_user(
                [self._find('mariadb'), '--no-defaults', '--user=root',
                 '--socket=%s' % self.socket,
                 '--default-character-set=utf8mb4',
                 sa.make_url(url).database], stdin=file)
            if process.wait(START_TIMEOUT):
                raise DatabaseUnavailable('The script failed: %s'
                                          % self._last_lines())

    def url(self, database: str) -> str:
        return ('mysql+pymysql://root@localhost/%s?unix_socket=%s'
                '&charset=utf8mb4' % (database, self.socket))


class PostgreSQL(Server):
    """A PostgreSQL server."""

    name = 'PostgreSQL'
    package = 'postgresql'
    users = ('postgres',)
    main_database = 'postgres'

    _drop_statement = 'DROP DATABASE IF EXISTS %s WITH (FORCE)'
    # Without waiting for the clients to leave.
    _shutdown_signal = signal.SIGINT
    _directories = '/usr/lib/postgresql/*/bin'

    def initialise(self) -> None:
        self._run([self._find('initdb', self._directories),
                   '--pgdata=%s' % self.data, '--username=postgres',
                   '--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8',
                   '--no-sync'])

    def command(self) -> list[str]:
        settings = {'listen_addresses': '', 'fsync': 'off',
                    'synchronous_commit': 'off', 'full_page_writes': 'off',
                    'max_connections': '300',
                    'unix_socket_directories': str(self.directory)}
        return [self._find('postgres', self._directories),
                '-D', str(self.data),
                *('--%s=%s' % item for item in settings.items())]

    def _pid(self) -> int:
        lines = (self.data / 'postmaster.pid').read_text().splitlines()
        return int(lines[0])

    def url(self, database: str) -> str:
        return 'postgresql+psycopg2://postgres@/%s?host=%s' % (
            database, self.directory)


KINDS: dict[str, type[Server]] = {'mariadb': MariaDB,
                                  'postgresql': PostgreSQL}

_servers: dict[str, Server] = {}
_lock = threading.Lock()


def get(kind: str) -> Server:
    """Return the process's server of a kind, started when it was not yet.

    :param kind: ``mariadb`` or ``postgresql``
    :raises DatabaseUnavailable: it cannot be started
    """
    with _lock:
        if kind not in _servers:
            server = KINDS[kind]()
            atexit.register(server.stop)
            server.start()
            _servers[kind] = server
        return _servers[kind]
