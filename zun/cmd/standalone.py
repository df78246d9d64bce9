# SPDX-License-Identifier: Apache-2.0
"""zun-standalone: the whole service in one process, for a first try.

It listens on loopback only. Unless a kubeconfig is given, containers are
processes of this machine: nothing is isolated.
"""

import argparse
import shlex
import signal
import sys
import threading
from typing import Any
from typing import Sequence

from oslo_log import log as logging

from zun.common import process
from zun.standalone.cluster import kubelet
from zun.standalone import main as standalone
from zun.standalone import settings

LOG = logging.getLogger(__name__)

WARNING = ('This is for trying things out. Containers of the simulated '
           'cluster are processes of this machine, run as this user: '
           'nothing is isolated.')


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(prog='zun-standalone',
                                   description=__doc__)
    made.add_argument('--state-dir', default='zun-standalone',
                      help='folder for everything that is kept '
                           '(default: %(default)s)')
    made.add_argument('--kubeconfig',
                      help='use this real cluster instead of a simulated '
                           'one')
    for name, default in vars(settings.Ports()).items():
        made.add_argument('--%s-port' % name, type=int, default=default,
                          help='port of the %s on 127.0.0.1 '
                               '(default: %%(default)s)' % name)
    made.add_argument('--node', action='append', metavar='NAME[=CPU,MEMORY]',
                      type=node_spec, dest='nodes',
                      help='a node of the simulated cluster, for instance '
                           'n1=4,8Gi; may be repeated')
    only = made.add_mutually_exclusive_group()
    only.add_argument('--peers-only', action='store_true',
                      help='run only the stand-ins for Keystone, '
                           'Placement, Neutron, Cinder and Glance')
    only.add_argument('--cluster-only', action='store_true',
                      help='run only the simulated cluster')
    made.add_argument('--debug', action='store_true',
                      help='write debugging messages to the log file')
    return made


def node_spec(text: str) -> kubelet.NodeSpec:
    """``NAME`` or ``NAME=CPU,MEMORY``."""
    name, _, sizes = text.partition('=')
    cpu, _, memory = sizes.partition(',')
    sizes_given = {key: value for key, value in (
        ('cpu', cpu), ('memory', memory)) if value}
    return kubelet.NodeSpec(name, **sizes_given)


def say(line: str) -> None:
    """Tell the terminal, at once."""
    print(line, flush=True)


def show_environment(values: dict[str, str]) -> None:
    """Print variables as shell commands."""
    for key, value in values.items():
        say('export %s=%s' % (key, shlex.quote(value)))


def build(args: argparse.Namespace) -> Any:
    """What the command line asks for: has start() and stop()."""
    folder = settings.Folder(args.state_dir)
    ports = settings.Ports(**{
        name: getattr(args, name + '_port')
        for name in vars(settings.Ports())})
    nodes = tuple(args.nodes or [kubelet.NodeSpec(settings.HOST)])
    if args.peers_only:
        return PeersOnly(folder, ports)
    if args.cluster_only:
        return ClusterOnly(folder, ports, nodes)
    return Everything(standalone.Standalone(
        folder, ports, args.kubeconfig, nodes, say, args.debug))


class Everything:
    """All parts."""

    def __init__(self, service: standalone.Standalone) -> None:
        self._service = service

    def start(self) -> None:
        """Start, then print how to log in."""
        if self._service.kubeconfig is None:
            say(WARNING)
        self._service.start()
        show_environment(self._service.folder.environment(
            self._service.identity_url))

    def stop(self) -> None:
        """Stop all parts."""
        self._service.stop()


class PeersOnly:
    """The stand-ins of the peers."""

    def __init__(self, folder: settings.Folder, ports: settings.Ports
                 ) -> None:
        self._folder, self._ports = folder, ports

    def start(self) -> None:
        """Start, then print how to log in."""
        self._peers = standalone.start_peers(self._folder, self._ports)
        say('stand-ins: %s' % self._peers.url)
        for user in ('demo', 'zun'):
            say('# user %s' % user)
            show_environment(self._folder.environment(
                self._peers.url + '/identity/v3', user))

    def stop(self) -> None:
        """Stop them."""
        self._peers.stop()


class ClusterOnly:
    """The simulated cluster."""

    def __init__(self, folder: settings.Folder, ports: settings.Ports,
                 nodes: tuple[kubelet.NodeSpec, ...]) -> None:
        self._arguments = folder, ports, nodes

    def start(self) -> None:
        """Start, then print how to reach it."""
        say(WARNING)
        self._cluster = standalone.start_cluster(*self._arguments)
        show_environment({'KUBECONFIG': self._cluster.kubeconfig()})

    def stop(self) -> None:
        """Stop it."""
        self._cluster.stop()


def main(argv: Sequence[str] | None = None) -> int:
    """Run until SIGTERM or SIGINT."""
    args = parser().parse_args(argv)
    ended = threading.Event()
    for signum in (signal.SIGTERM, signal.SIGINT):
        signal.signal(signum, lambda *_: ended.set())
    service = build(args)
    try:
        service.start()
    except Exception as error:
        if not isinstance(error, (process.StartError, OSError)):
            LOG.exception('zun-standalone cannot start')
        print('zun-standalone: cannot start: %s' % process.one_line(error),
              file=sys.stderr)
        return 1
    say('ready (SIGTERM or Ctrl-C ends it)')
    ended.wait()
    service.stop()
    say('ended')
    return 0
