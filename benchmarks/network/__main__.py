# SPDX-License-Identifier: Apache-2.0
"""From a Neutron port to a container's first packet.

    python -m zun.tests.lab_network --module benchmarks.network \\
        -- [--rounds 20] [--json FILE]

Runs between the labs of OpenStack services and of Kubernetes. Each round
makes a port, then a container on it, whose first process calls a neighbour
by TCP; times begin with the request for the port.
"""

import argparse
import json
import re
import statistics
import subprocess
import time

from zun.tests.lab_network import cases
from zun.tests.lab_network import deployment
from zun.tests import processes

_PORT = 9999
_CALL = 'trap "exit 0" TERM; while :; do nc -w 1 %s %d </dev/null; done'
_LISTEN = '''
import socket, time
server = socket.create_server(('0.0.0.0', %d))
server.settimeout(%d)
print('ready', flush=True)
while True:
    near, (source, __) = server.accept()
    print(source, time.monotonic(), flush=True)
    near.close()
''' % (_PORT, processes.LIMIT)


class Neighbour:
    """A container that notes who calls it, and when."""

    def __init__(self, shared: cases.Shared):
        zun = deployment.get()
        cases.add_rule(zun.neutron, cases.group_id(
            zun.neutron, shared.group), 'IPv4', 'tcp', _PORT)
        self.address = shared.a1.address()
        self._listener = subprocess.Popen(
            ['nsenter', '--net=' + shared.a1.attachment()['netns_path'],
             'python3', '-c', _LISTEN], stdout=subprocess.PIPE, text=True,
            stdin=subprocess.DEVNULL)
        self._listener.stdout.readline()

    def first_from(self, address: str) -> float:
        """When the first connection of an address came.

        :raises RuntimeError: none did.
        """
        for line in self._listener.stdout:
            source, moment = line.split()
            if source == address:
                return float(moment)
        raise RuntimeError('No packet of %s came' % address)

    def close(self) -> None:
        self._listener.kill()
        self._listener.wait()


def one_round(shared: cases.Shared, neighbour: Neighbour
              ) -> dict[str, float]:
    """Seconds since the port was asked for."""
    zun = deployment.get()
    since, began = zun.log_size(), time.monotonic()
    port = zun.resource(zun.neutron, 'ports', network_id=shared.net_a.id)
    made = time.monotonic()
    one = cases.Container(
        zun.demo, [{'port': port['id']}],
        command=['sh', '-c', _CALL % (neighbour.address, _PORT)])
    accepted = time.monotonic()
    address = next(ip['ip_address'] for ip in port['fixed_ips']
                   if '.' in ip['ip_address'])
    packet = neighbour.first_from(address)
    one.await_running()
    plugged = re.search(r'ADD \w+ took ([\d.]+) ms', zun.log_since(since))
    one.delete()
    zun.neutron.ask('DELETE', '/ports/' + port['id'])
    return {'port made': made - began,
            'request accepted': accepted - began,
            'first packet': packet - began,
            'ADD in the daemon': float(plugged.group(1)) / 1e3}


def summary(rounds: list[dict[str, float]]) -> dict[str, dict[str, float]]:
    """By step: median, 95th percentile and largest, in seconds."""
    found = {}
    for step in rounds[0]:
        values = sorted(one[step] for one in rounds)
        found[step] = {
            'p50': statistics.median(values),
            'p95': values[min(len(values) - 1, int(len(values) * 0.95))],
            'max': values[-1]}
    return found


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--rounds', type=int, default=20)
    parser.add_argument('--json')
    options = parser.parse_args()
    shared = cases.shared()
    neighbour = Neighbour(shared)
    try:
        found = summary([one_round(shared, neighbour)
                         for __ in range(options.rounds)])
    finally:
        neighbour.close()
    print('%-20s %9s %9s %9s' % ('seconds', 'p50', 'p95', 'max'))
    for step, values in found.items():
        print('%-20s %9.3f %9.3f %9.3f' % (step, *values.values()))
    if options.json:
        with open(options.json, 'w') as file:
            json.dump(found, file, indent=1)


if __name__ == '__main__':
    main()
