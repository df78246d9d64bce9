# SPDX-License-Identifier: Apache-2.0
"""python -m benchmarks.api [--quick] [--json FILE]"""

import argparse
import contextlib
import json
import os
import pathlib
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time

from benchmarks.api import database
from benchmarks.api import load
from benchmarks.api import peers
from benchmarks.api import table
from zun.tests import databases
from zun.tests import reference

HERE = pathlib.Path(__file__).parent

CONFIGURATION = """[DEFAULT]
host = api-1
my_ip = 127.0.0.1
transport_url = fake://
use_stderr = False
log_file = {directory}/api.log
default_log_levels = zun=WARNING
service_down_time = 864000
auth_encryption_key = {key}
[api]
api_paste_config = {directory}/api-paste.ini
[database]
connection = {url}
[quota]
containers = -1
cpu = -1
memory = -1
disk = -1
[keystone_auth]
auth_type = password
auth_url = http://127.0.0.1:{peers}/identity/v3
username = zun
password = secret
project_name = service
user_domain_name = Default
project_domain_name = Default
[keystone_authtoken]
www_authenticate_uri = http://127.0.0.1:{peers}/identity/v3
"""

# The stock pipeline less the token filter: who asks is in the headers.
PIPELINE = """[pipeline:main]
pipeline = cors request_id osprofiler api_v1
[app:api_v1]
paste.app_factory = zun.api.app:app_factory
[filter:osprofiler]
paste.filter_factory = zun.common.profiler:WsgiMiddleware.factory
[filter:request_id]
paste.filter_factory = oslo_middleware:RequestId.factory
[filter:cors]
paste.filter_factory = oslo_middleware.cors:filter_factory
oslo_config_project = zun
"""

CASES = {
    'list of 1,000': load.Request('GET', '/v1/containers?limit=1000', 200),
    'filtered list': load.Request('GET', '/v1/containers?status=Error', 200),
    'show': load.Request(
        'GET', '/v1/containers/' + database.container(500)['uuid'], 200),
    'create': load.Request('POST', '/v1/containers', 202, {
        'image': 'nginx', 'cpu': 0.5, 'memory': '256',
        'nets': [{'network': peers.NETWORK}]}),
}


# In how many turns the time for a case is divided.
TURNS = 5


def free_port() -> int:
    """A TCP port of this machine that nobody uses."""
    with socket.socket() as listener:
        listener.bind(('127.0.0.1', 0))
        return listener.getsockname()[1]


def wait_for(port: int, process: subprocess.Popen) -> None:
    """Wait until a server answers.

    :raises SystemExit: it ended, or was silent for a minute.
    """
    for _attempt in range(600):
        if process.poll() is not None:
            sys.exit('%s ended with %d' % (process.args, process.returncode))
        try:
            socket.create_connection(('127.0.0.1', port), 1).close()
            return
        except OSError:
            time.sleep(0.1)
    sys.exit('%s does not listen' % process.args)


class Api:
    """An API as a process of its own."""

    def __init__(self, flavour: str, python: str, url: str, directory: str,
                 peers_port: int, threads: int):
        self.port = free_port()
        where = pathlib.Path(directory, flavour)
        where.mkdir()
        (where / 'api-paste.ini').write_text(PIPELINE)
        (where / 'zun.conf').write_text(CONFIGURATION.format(
            directory=where, url=url, peers=peers_port,
            key=secrets.token_hex(16)))
        # The reference must not find this project's modules.
        environment = {name: value for name, value in os.environ.items()
                       if name != 'PYTHONPATH'}
        self._process = subprocess.Popen([
            python, '-W', 'ignore', str(HERE / 'server.py'), flavour,
            str(where / 'zun.conf'), str(self.port), str(threads)],
            cwd=where, env=environment,
            stderr=open(where / 'stderr', 'wb'))
        wait_for(self.port, self._process)

    def memory(self) -> float:
        """Resident memory in MiB."""
        status = pathlib.Path('/proc/%d/status' % self._process.pid)
        for line in status.read_text().splitlines():
            if line.startswith('VmRSS:'):
                return int(line.split()[1]) / 1024
        raise LookupError('VmRSS')

    def cpu(self) -> float:
        """Seconds of a processor that the process has used."""
        stat = pathlib.Path('/proc/%d/stat' % self._process.pid).read_text()
        fields = stat.rpartition(')')[2].split()
        return sum(map(int, fields[11:13])) / os.sysconf('SC_CLK_TCK')

    def stop(self) -> None:
        """End the process."""
        self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


class Contender:
    """An API on a database of its own, and what it was measured at."""

    def __init__(self, flavour: str, api: Api, rows: database.Database):
        self.flavour = flavour
        self._api, self._rows = api, rows
        self._reset()

    def _reset(self) -> None:
        self._seconds: list[float] = []
        self._elapsed = self._cpu = 0.0
        self._statements = 0

    def needs(self, seconds: float) -> bool:
        """Whether it was not asked for so long yet."""
        return self._elapsed < seconds

    def warm_up(self, request: load.Request, seconds: float) -> None:
        """Ask without a look at the figures."""
        load.run(self._api.port, request, 2, seconds)

    def ask(self, request: load.Request, clients: int,
            seconds: float) -> None:
        """Measure for a while."""
        before, cpu = self._rows.statements(), self._api.cpu()
        result = load.run(self._api.port, request, clients, seconds)
        self._cpu += self._api.cpu() - cpu
        self._statements += self._rows.statements() - before
        self._seconds += result.seconds
        self._elapsed += result.elapsed

    def take(self) -> dict:
        """The figures since the last time."""
        result, number = load.Result(self._seconds, self._elapsed), len(
            self._seconds)
        figures = {
            'flavour': self.flavour, 'rate': result.rate,
            'p50': result.percentile(0.5), 'p99': result.percentile(0.99),
            'requests': number,
            'statements': round(self._statements / number, 1),
            'cpu': 1000 * self._cpu / number, 'memory': self._api.memory()}
        self._reset()
        return figures


def measure(contenders: list[Contender], options) -> list[dict]:
    """All cases with each number of clients.

    The contenders take turns, so that whatever else the machine does is
    as much in the way of one as of the other.
    """
    results = []
    for case, request in CASES.items():
        for one in contenders:
            one.warm_up(request, options.seconds / 4)
        for clients in options.clients:
            while waiting := [one for one in contenders
                              if one.needs(options.seconds)]:
                for one in waiting:
                    one.ask(request, clients, options.seconds / TURNS)
            for one in contenders:
                results.append({'case': case, 'clients': clients,
                                **one.take()})
                print(table.line(results[-1]), flush=True)
    return results


def run(options) -> list[dict]:
    """All contenders with each number of containers."""
    server = databases.get('mariadb')
    peers_port = free_port()
    peers_process = subprocess.Popen([
        sys.executable, str(HERE / 'peers.py'), str(peers_port)])
    results = []
    try:
        wait_for(peers_port, peers_process)
        for containers in options.containers:
            print('%d containers' % containers, flush=True)
            for found in run_with(options, server, containers, peers_port):
                results.append(dict(found, containers=containers))
    finally:
        peers_process.terminate()
        peers_process.wait()
    return results


def run_with(options, server: databases.Server, containers: int,
             peers_port: int) -> list[dict]:
    """All contenders, each on a fresh database."""
    pythons = {'reference': reference.python, 'project':
               lambda: sys.executable}
    contenders = []
    with contextlib.ExitStack() as stack:
        directory = stack.enter_context(tempfile.TemporaryDirectory())
        for flavour in options.flavours:
            url = server.create_database()
            stack.callback(server.drop_database, url)
            rows = database.Database(url, containers)
            stack.callback(rows.close)
            api = Api(flavour, pythons[flavour](), url, directory,
                      peers_port, options.threads)
            stack.callback(api.stop)
            contenders.append(Contender(flavour, api, rows))
        return measure(contenders, options)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--quick', action='store_true',
                        help='1,000 containers and 2 seconds a case')
    parser.add_argument('--json', help='write the figures to this file')
    parser.add_argument('--seconds', type=float, default=10)
    parser.add_argument('--threads', type=int, default=8,
                        help='of the WSGI server')
    parser.add_argument('--only', choices=('reference', 'project'))
    parser.add_argument('--case', help='cases whose name has this')
    options = parser.parse_args()
    options.containers = [1000] if options.quick else [1000, 10000]
    options.clients = [1, 8]
    options.flavours = [options.only] if options.only else \
        ['reference', 'project']
    if options.quick:
        options.seconds = min(options.seconds, 2)
    if options.case:
        for name in [name for name in CASES if options.case not in name]:
            del CASES[name]
    results = run(options)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(results, indent=1))
    if not options.only:
        print(table.render(results))


if __name__ == '__main__':
    main()
