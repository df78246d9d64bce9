# SPDX-License-Identifier: Apache-2.0
"""python -m zun.tests.differential [--seeds N | --seed S] [--count M]

The contract kit's ``fuzz.py`` (found by ``ZUN_CONTRACT``, else in
``../shared/contract`` beside the project) sends random valid and broken
requests to Zun 18.0.0, which is installed in an environment of its own, and
records all that happens: answers, rows, calls to peers and to compute. The
recordings are replayed against this project; each difference that the
conformance page does not list is printed, and the exit status is 1.
"""

import argparse
import json
import logging
import os
import pathlib
import secrets
import subprocess
import sys
import tempfile
import time

import zun
from zun.tests.contract import recordings
from zun.tests.contract import replay
from zun.tests import reference

COUNT = 2500
# Differences of an exchange that are printed.
SHOWN = 4


def kit() -> pathlib.Path:
    """The folder of the contract kit.

    :raises SystemExit: it is not there; the message says what to set.
    """
    beside = pathlib.Path(zun.__file__).parents[2] / 'shared' / 'contract'
    folder = pathlib.Path(os.environ.get('ZUN_CONTRACT') or beside)
    if not (folder / 'fuzz.py').exists():
        sys.exit('There is no fuzz.py in %s: name the folder of the contract '
                 'kit in ZUN_CONTRACT.' % folder)
    return folder.resolve()


def record(seed: str, count: int, folder: pathlib.Path) -> pathlib.Path:
    """Record the reference's answers to the requests of a seed.

    :returns: the file, with its fixtures beside it.
    """
    path = folder / ('fuzz-%s.jsonl' % seed)
    environment = {name: value for name, value in os.environ.items()
                   if name != 'PYTHONPATH'}
    subprocess.run(
        [reference.python(), 'fuzz.py', '--seed', seed, '--count',
         str(count), '--out', str(path)],
        cwd=kit(), env=dict(environment, PYTHONHASHSEED='0'), check=True,
        stdout=sys.stderr)
    return path


def compare(path: pathlib.Path) -> tuple[int, int]:
    """Replay recordings and print what differs.

    :returns: how many were replayed, and how many differ.
    """
    os.environ['ZUN_CONTRACT_EXCHANGES'] = str(path.parent)
    runner = replay.Replay()
    total = differing = 0
    for exchange in recordings.exchanges(path):
        if 'container_show' in (exchange.get('answers') or {}):
            # What compute would answer to a show is not asked for.
            continue
        total += 1
        found = runner.run(exchange)
        if found:
            differing += 1
            report(exchange, found)
    runner.close()
    return total, differing


def report(exchange: dict, found: list[tuple]) -> None:
    """Print the differences of an exchange."""
    request = exchange['request']
    print('%s %s %s %s' % (exchange['id'], request['method'],
                           request['path'], json.dumps(
                               request.get('body', request.get('raw')))))
    for where, want, got in found[:SHOWN]:
        print('    %s\n      reference %s\n      project   %s' % (
            where, json.dumps(want)[:400], json.dumps(got)[:400]))


def main() -> None:
    parser = argparse.ArgumentParser(
        prog='python -m zun.tests.differential')
    parser.add_argument('--seed', action='append',
                        help='of the requests; may be repeated')
    parser.add_argument('--seeds', type=int, default=1,
                        help='how many fresh seeds to take')
    parser.add_argument('--count', type=int, default=COUNT,
                        help='requests a seed')
    parser.add_argument('--keep', help='a folder for the recordings')
    options = parser.parse_args()
    seeds = options.seed or [str(secrets.randbelow(10 ** 9))
                             for _number in range(options.seeds)]
    logging.disable(logging.CRITICAL)
    failed = False
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(options.keep or temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for seed in seeds:
            start = time.monotonic()
            path = folder / ('fuzz-%s.jsonl' % seed)
            if not path.exists():
                record(seed, options.count, folder)
            total, differing = compare(path)
            failed = failed or differing > 0
            print('seed %s: %d requests, %d differ, %.0f s' % (
                seed, total, differing, time.monotonic() - start),
                flush=True)
    sys.exit(1 if failed else 0)


if __name__ == '__main__':
    main()
