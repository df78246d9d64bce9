# SPDX-License-Identifier: Apache-2.0
"""A private Galera cluster of three MariaDB nodes.

``databases.get('galera')`` starts one once this module is imported.  Its
``create_database()`` gives the URL on the first node; ``urls()`` those on all
nodes.  Needs the packages ``mariadb-server``, ``galera-4`` and ``rsync``.
"""

import glob
import shutil
import socket
import time

import sqlalchemy as sa

from zun.tests import databases

NODES = 3
PROVIDERS = '/usr/lib*/galera*/libgalera_smm.so'


def _free_ports(number: int) -> list[int]:
    """Ports that nobody listens on just now."""
    sockets = [socket.socket() for _ in range(number)]
    try:
        for sock in sockets:
            sock.bind(('127.0.0.1', 0))
        return [sock.getsockname()[1] for sock in sockets]
    finally:
        for sock in sockets:
            sock.close()


class Node(databases.MariaDB):
    """One node of a cluster.

    :param name: in the cluster
    :param ports: of replication, incremental and full state transfer
    :param peers: host:port of all nodes' replication
    """

    name = 'Galera'
    package = 'galera-4'

    def __init__(self, name: str, ports: tuple[int, int, int],
                 peers: list[str]) -> None:
        super().__init__()
        self.node_name = name
        self._ports = ports
        self._peers = peers
        # The first node makes the cluster, the others join it.
        self.founds = False

    def command(self) -> list[str]:
        base, increments, full = self._ports
        options = {
            'wsrep-on': 'ON', 'wsrep-provider': self._provider(),
            'wsrep-cluster-name': 'tests', 'wsrep-node-name': self.node_name,
            'wsrep-cluster-address': 'gcomm://' + ','.join(self._peers),
            'wsrep-node-address': '127.0.0.1:%d' % base,
            'wsrep-sst-method': 'rsync',
            'wsrep-sst-receive-address': '127.0.0.1:%d' % full,
            'wsrep-provider-options': ';'.join((
                'base_port=%d' % base,
                'gmcast.listen_addr=tcp://127.0.0.1:%d' % base,
                'ist.recv_addr=127.0.0.1:%d' % increments,
                'gcache.size=32M', 'gcs.fc_limit=64')),
            'binlog-format': 'ROW', 'innodb-autoinc-lock-mode': '2',
        }
        return [*super().command(),
                *('--%s=%s' % item for item in options.items()),
                *(['--wsrep-new-cluster'] if self.founds else [])]

    @staticmethod
    def _provider() -> str:
        found = glob.glob(PROVIDERS)
        if not found:
            raise databases.DatabaseUnavailable(
                'There is no libgalera_smm.so: install the package galera-4')
        return found[0]

    def initialise(self) -> None:
        """The data directory is there, or comes from another node."""
        self._run(['mkdir', '-p', str(self.data)])

    def install(self) -> None:
        """Make a data directory."""
        super().initialise()

    def wait_until_synced(self) -> None:
        """Wait until the node takes part in the cluster.

        :raises DatabaseUnavailable: it doesn't
        """
        deadline = time.monotonic() + databases.START_TIMEOUT
        while self.status('wsrep_local_state_comment') != 'Synced':
            if time.monotonic() > deadline:
                raise databases.DatabaseUnavailable(
                    '%s does not join: %s' % (self.node_name,
                                              self._last_lines()))
            time.sleep(0.1)

    def status(self, name: str) -> str | None:
        """A status variable; None while the node does not answer."""
        engine = sa.create_engine(self.url(self.main_database),
                                  poolclass=sa.pool.NullPool)
        try:
            with engine.connect() as connection:
                row = connection.execute(
                    sa.text('SHOW STATUS LIKE :name'), {'name': name}).first()
        except sa.exc.DBAPIError:
            return None
        return row and row[1]

    def stop(self) -> None:
        if (self.directory / 'pid').exists() and (
                self.status('wsrep_ready') != 'ON'):
            # A node that has not joined does not end when it is asked to.
            self.crash()
        super().stop()

    def rejoin(self) -> None:
        """Start the server again, to catch up with the others."""
        self.founds = False
        self.launch()
        self.wait_until_synced()


class Galera(databases.Server):
    """The cluster; statements go to its first node."""

    name = 'Galera'
    package = 'galera-4'
    users = ('mysql',)
    main_database = Node.main_database
    _create_statement = Node._create_statement

    def __init__(self) -> None:
        super().__init__()
        ports = iter(_free_ports(3 * NODES))
        groups = [(next(ports), next(ports), next(ports))
                  for _ in range(NODES)]
        peers = ['127.0.0.1:%d' % group[0] for group in groups]
        self.nodes = [Node('node-%d' % number, group, peers)
                      for number, group in enumerate(groups)]

    def initialise(self) -> None:
        self.nodes[0].install()

    def command(self) -> list[str]:
        """The first node's; the others have their own."""
        return self.nodes[0].command()

    def _pid(self) -> int:
        return self.nodes[0]._pid()

    def start(self) -> None:
        """Start the nodes; they are one cluster when this returns."""
        self.initialise()
        self.nodes[0].founds = True
        for node in self.nodes:
            node.start()
            node.wait_until_synced()

    def stop(self) -> None:
        """Stop the nodes and remove their directories."""
        for node in reversed(self.nodes):
            node.stop()
        shutil.rmtree(self.directory, ignore_errors=True)

    def url(self, database: str) -> str:
        return self.nodes[0].url(database)

    def urls(self, url: str) -> list[str]:
        """The URLs of a database on each node, from that on the first."""
        name = sa.make_url(url).database
        return [node.url(name) for node in self.nodes]


databases.KINDS['galera'] = Galera
