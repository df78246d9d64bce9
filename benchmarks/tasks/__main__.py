# SPDX-License-Identifier: Apache-2.0
"""python -m benchmarks.tasks [--quick] [--json FILE]"""

import argparse
import json
import logging
import pathlib
import tempfile
from typing import Any
import warnings

from benchmarks.tasks import bus
from benchmarks.tasks import load
from benchmarks.tasks import table
from benchmarks.tasks import takeover
from zun.common import config
import zun.conf
from zun.db import api as db_api
from zun.tests import databases
from zun.tests import galera

CONF = zun.conf.CONF
DATABASES = ('mariadb', 'postgresql', 'galera', 'sqlite')
BUS = 'RabbitMQ'
# Rows that nothing is done with but by the tasks.
CONTAINERS = 1000


def measure(name: str, options: argparse.Namespace) -> dict[str, Any]:
    """All cases on a database of a kind."""
    if name == 'sqlite':
        with tempfile.TemporaryDirectory() as directory:
            return measure_on(['sqlite:///%s/zun.sqlite' % directory], name,
                              options)
    server = databases.get(name)
    url = server.create_database()
    try:
        urls = server.urls(url) if isinstance(server, galera.Galera) else [
            url]
        return measure_on(urls, name, options)
    finally:
        db_api.dispose()
        server.drop_database(url)


def measure_on(urls: list[str], name: str,
               options: argparse.Namespace) -> dict[str, Any]:
    """All cases on a database."""
    loaded = load.Load(urls, CONTAINERS)
    result = {}

    def add(found: dict[str, Any], prefix: str = '') -> None:
        for key, value in found.items():
            result[prefix + key] = value
            print('  %-45s %10.2f' % (prefix + key, value), flush=True)
    add(loaded.drain(options.tasks))
    loaded.clear()
    add(loaded.drain(options.tasks, save=True), 'saving_')
    add(loaded.latency(options.casts, poke=False), 'polled_')
    add(loaded.latency(options.casts, poke=True), 'poked_')
    add(loaded.idle(options.idle))
    if name == 'mariadb' and options.kills:
        add(takeover.measure(loaded, options.kills))
    if name in options.crowded:
        loaded.clear()
        loaded.fill_with_finished(options.finished)
        add(loaded.drain(options.tasks), 'crowded_')
    return result


def run(options: argparse.Namespace) -> dict[str, dict[str, Any]]:
    """Everything, one kind after the other."""
    results = {}
    for name in options.databases:
        print(name, flush=True)
        results[name] = measure(name, options)
    if not options.no_bus:
        print(BUS, flush=True)
        url = databases.get('mariadb').create_database()
        found = bus.measure(load.Load([url], CONTAINERS), options.tasks,
                            options.casts)
        # A message is pushed: there is no other way to measure.
        results[BUS] = {('poked_' + key if key.startswith('end') else key):
                        value for key, value in found.items()}
        for item in found.items():
            print('  %-45s %10.2f' % item, flush=True)
    return results


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--quick', action='store_true',
                        help='fewer tasks and finished rows')
    parser.add_argument('--json', help='write the figures to this file')
    parser.add_argument('--databases', nargs='+', default=DATABASES,
                        choices=DATABASES)
    parser.add_argument('--no-bus', action='store_true',
                        help='leave RabbitMQ out')
    parser.add_argument('--kills', type=int, default=50,
                        help='of workers, for take-over; 0: none')
    options = parser.parse_args()
    options.tasks, options.casts, options.idle = 4000, 300, 30
    options.finished, options.crowded = 10 ** 6, ('mariadb', 'postgresql')
    if options.quick:
        options.tasks, options.casts, options.idle = 1000, 60, 10
        options.finished = 20000
        options.kills = min(options.kills, 20)
    logging.disable(logging.WARNING)
    warnings.simplefilter('ignore')
    config.parse_args(['benchmark'], default_config_files=[])
    CONF.set_override('my_ip', '127.0.0.1')
    CONF.set_override('max_pool_size', 30, 'database')
    results = run(options)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(results, indent=1))
    print(table.render(results))


if __name__ == '__main__':
    main()
