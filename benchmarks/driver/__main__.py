# SPDX-License-Identifier: Apache-2.0
"""python -m benchmarks.driver [--real FILE] [--simulated FILE] [--quick]

The files are kubeconfigs: of a cluster with a real node, and of one whose
nodes are simulated by kwok.
"""

import argparse
import contextlib
import json
import pathlib
from typing import Any

from benchmarks.driver import crowd
from benchmarks.driver import latency
from benchmarks.driver import table
from zun.tests import databases


def measure_latency(kubeconfig: str, rounds: int) -> dict[str, Any]:
    """One container at a time on the cluster's first node."""
    with _deployed(latency.processes.Deployment, kubeconfig) as deployment:
        return latency.Latency(deployment, kubeconfig).measure(rounds)


def measure_crowd(kubeconfig: str, containers: int) -> dict[str, Any]:
    """Many containers on all of the cluster's nodes."""
    latency.Kubectl(kubeconfig).run('apply', '-f', '-',
                                    document=crowd.RUNTIME_CLASS)
    with _deployed(crowd.Deployment, kubeconfig) as deployment:
        return crowd.Crowd(deployment, kubeconfig).measure(containers)


@contextlib.contextmanager
def _deployed(kind: type, kubeconfig: str):
    nodes = latency.Kubectl(kubeconfig).get('nodes')['items']
    server = databases.get('mariadb')
    url = server.create_database()
    try:
        with kind(kubeconfig, url,
                  nodes[0]['metadata']['name']) as deployment:
            yield deployment
    finally:
        server.drop_database(url)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--real', help='kubeconfig of a real node')
    parser.add_argument('--simulated', help='kubeconfig of simulated nodes')
    parser.add_argument('--rounds', type=int, default=30)
    parser.add_argument('--containers', type=int, default=5000)
    parser.add_argument('--quick', action='store_true',
                        help='8 rounds and 200 containers')
    parser.add_argument('--json', help='write the figures to this file')
    options = parser.parse_args()
    if not options.real and not options.simulated:
        parser.error('nothing to measure: give --real, --simulated or both')
    if options.quick:
        options.rounds = min(options.rounds, 8)
        options.containers = min(options.containers, 200)
    results = {}
    if options.real:
        results['latency'] = measure_latency(options.real, options.rounds)
        print(table.render(table.LATENCY, results['latency']), flush=True)
    if options.simulated:
        results['crowd'] = measure_crowd(options.simulated,
                                         options.containers)
        print(table.render(table.CROWD, results['crowd']), flush=True)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(results, indent=1))


if __name__ == '__main__':
    main()
