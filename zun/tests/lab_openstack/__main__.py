# SPDX-License-Identifier: Apache-2.0
"""The service with real OpenStack services, and what is tried on it.

    python -m zun.tests.lab_openstack [--keep] [--lab DIR] [--work DIR]
        [--venv DIR] {serve,tempest,clients,tests} [ARGUMENT ...]

``serve`` runs until it is told to end, and then the others use it.
``tempest [VERSION ...] [-- REGEX]`` runs the Tempest plugin, ``clients``
writes the table of clients, ``tests`` runs the tests in this folder. Needs
root and the packages of the labs. With ``--keep`` the labs stay.
"""

import argparse
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

import zun
from zun.tests.lab_network import space
from zun.tests.lab_openstack import clients
from zun.tests.lab_openstack import deployment
from zun.tests.lab_openstack import labs
from zun.tests.lab_openstack import tempest

_ROOT = pathlib.Path(zun.__file__).parents[1]


def parse(words):
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--lab', type=pathlib.Path, default=os.environ.get(
        'ZUN_LAB') or _ROOT.parent / 'shared' / 'lab')
    parser.add_argument('--work', type=pathlib.Path,
                        default='/var/tmp/zun-lab-openstack')
    parser.add_argument('--venv', type=pathlib.Path,
                        default='/var/tmp/peers-lab',
                        help='of the OpenStack services; made if needed')
    parser.add_argument('--keep', action='store_true')
    parser.add_argument('--inside', action='store_true',
                        help=argparse.SUPPRESS)
    parser.add_argument('action', choices=sorted(_ACTIONS))
    parser.add_argument('arguments', nargs='*')
    return parser.parse_args(words)


def serve(options) -> int:
    """Wait for a signal."""
    print('The service is up; its configuration and logs are in %s'
          % (options.work / 'run'), flush=True)
    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_arguments: ended.set())
    ended.wait()
    return 0


def tests(options) -> int:
    """Run the tests of this folder, or those named."""
    folder = pathlib.Path(__file__).parent
    return subprocess.run(
        [sys.executable, '-m', 'unittest', '-v'] + (
            options.arguments or ['discover', '-t', str(_ROOT), '-s',
                                  str(folder)]),
        env={**os.environ, labs.VARIABLE: str(options.work)},
        check=False).returncode


_ACTIONS = {'serve': serve, 'tempest': tempest.main, 'clients': clients.main,
            'tests': tests}


def _inside(options) -> int:
    began = time.monotonic()
    found = labs.Labs(options)
    found.start()
    print('Both labs are up after %.0f s' % (time.monotonic() - began),
          flush=True)
    try:
        if deployment.is_running():
            return _ACTIONS[options.action](options)
        with deployment.Deployment(options.work):
            return _ACTIONS[options.action](options)
    finally:
        if not options.keep:
            found.stop()


def main() -> int:
    """The status of the process."""
    words = sys.argv[1:]
    options = parse(words)
    if options.inside:
        return _inside(options)
    labs.install(options)
    for prepare in (tempest.install, clients.install):
        prepare(options)
    place = space.Space(options.work)
    try:
        return subprocess.run(place.command(
            sys.executable, '-m', __package__, '--inside', *words),
            check=False).returncode
    finally:
        if not options.keep:
            place.end()


if __name__ == '__main__':
    sys.exit(main())
