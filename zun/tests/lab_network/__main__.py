# SPDX-License-Identifier: Apache-2.0
"""Containers on real Neutron ports: both labs, the service, the tests.

    python -m zun.tests.lab_network [--keep] [--lab DIR] [--work DIR]
        [--venv DIR] [--module MODULE] [TEST ...]

Needs root and the packages of the labs. With ``--keep`` the labs stay for
the next run, which then takes seconds to begin.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import time

import zun
from zun.tests.lab_network import labs
from zun.tests.lab_network import space

_ROOT = pathlib.Path(zun.__file__).parents[1]


def parse():
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--lab', type=pathlib.Path, default=os.environ.get(
        'ZUN_LAB') or _ROOT.parent / 'shared' / 'lab')
    parser.add_argument('--work', type=pathlib.Path,
                        default='/var/tmp/zun-lab-network')
    parser.add_argument('--venv', type=pathlib.Path,
                        default='/var/tmp/peers-lab',
                        help='of the OpenStack services; made if needed')
    parser.add_argument('--keep', action='store_true')
    parser.add_argument('--module', default='unittest',
                        help='run this instead of the tests, with the '
                        'arguments after "--"')
    parser.add_argument('--inside', action='store_true',
                        help=argparse.SUPPRESS)
    parser.add_argument('tests', nargs='*')
    return parser.parse_args()


def arguments(options):
    """What the module that runs is told."""
    if options.module != 'unittest':
        return options.tests
    return ['-v'] + (options.tests or [
        'discover', '-t', str(_ROOT), '-s',
        str(pathlib.Path(__file__).parent)])


def main():
    """Run the tests; the status of the process."""
    options = parse()
    if not options.inside:
        labs.install(options)
        place = space.Space(options.work)
        try:
            return place.run_self('--inside', *sys.argv[1:])
        finally:
            if not options.keep:
                place.end()
    began = time.monotonic()
    found = labs.Labs(options)
    found.start()
    print('Both labs are up after %.0f s' % (time.monotonic() - began),
          flush=True)
    try:
        return subprocess.run(
            [sys.executable, '-m', options.module, *arguments(options)],
            env={**os.environ, labs.VARIABLE: str(options.work)},
            check=False).returncode
    finally:
        if not options.keep:
            found.stop()


if __name__ == '__main__':
    sys.exit(main())
