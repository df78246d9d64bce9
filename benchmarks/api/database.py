# SPDX-License-Identifier: Apache-2.0
"""The rows that both APIs work on, and what they ask the database."""

import uuid

import sqlalchemy as sa

from benchmarks.api import peers
from zun.db.sqlalchemy import models
from zun.db.sqlalchemy import schema

STATEMENTS = ('Com_select', 'Com_insert', 'Com_update', 'Com_delete')
# One in so many containers is in Error, for the filtered list.
ERRORS = 100


def container(number: int) -> dict:
    """A row as a busy deployment has it."""
    return {
        'uuid': str(uuid.UUID(int=number + 1)), 'project_id': 'p',
        'user_id': 'u', 'name': 'container-%d' % number,
        'image': 'nginx:1.25', 'cpu': 0.5, 'memory': '256', 'disk': 10,
        'command': ['nginx', '-g', 'daemon off;'], 'entrypoint': [],
        'status': 'Error' if number % ERRORS == 0 else 'Running',
        'environment': {'NAME': 'value-%d' % number, 'DEBUG': 'false'},
        'image_driver': 'docker', 'workdir': '/', 'ports': [80, 443],
        'hostname': 'host-%d' % number, 'labels': {'tier': 'web'},
        'addresses': {peers.NETWORK: [{
            'addr': '10.0.%d.%d' % divmod(number % 65536, 256),
            'version': 4, 'preserve_on_delete': False,
            'port': str(uuid.UUID(int=number + 10 ** 6)),
            'subnet_id': str(uuid.UUID(int=7))}]},
        'host': 'host-%d' % (number % peers.HOSTS), 'interactive': False,
        'restart_policy': {'Name': 'always', 'MaximumRetryCount': '0'},
        'status_detail': 'Up 3 hours', 'auto_remove': False, 'tty': False,
        'container_id': 'zun-%d' % number, 'container_type': 0,
        'security_groups': [str(uuid.UUID(int=9))], 'auto_heal': False,
        'privileged': False, 'cpu_policy': 'shared', 'runtime': 'runc',
        'cpuset': {}}


class Database:
    """One of the two databases.

    :param url: of an empty MariaDB database.
    """

    def __init__(self, url: str, containers: int):
        self.url = url
        self._engine = sa.create_engine(url)
        schema.create_all(self._engine)
        with self._engine.begin() as connection:
            self._fill(connection, containers)
            connection.execute(sa.text('ANALYZE TABLE container'))

    @staticmethod
    def _fill(connection, containers: int) -> None:
        for number in range(peers.HOSTS):
            provider = peers.PROVIDER % number
            connection.execute(models.ComputeNode.__table__.insert().values(
                uuid=provider, rp_uuid=provider, hostname='host-%d' % number,
                cpus=64, mem_total=10 ** 6, disk_total=10 ** 5, labels={},
                numa_topology={'nodes': []}, runtimes=['runc'],
                disk_quota_supported=True, enable_cpu_pinning=False))
            connection.execute(models.ZunService.__table__.insert().values(
                host='host-%d' % number, binary='zun-compute',
                disabled=False, forced_down=False, report_count=1,
                last_seen_up=sa.func.utc_timestamp()))
        table = models.Container.__table__
        for start in range(0, containers, 500):
            connection.execute(table.insert(), [
                container(number) for number in
                range(start, min(start + 500, containers))])

    def statements(self) -> int:
        """Statements that the server was asked to run, of all clients."""
        with self._engine.connect() as connection:
            rows = connection.execute(sa.text(
                'SHOW GLOBAL STATUS WHERE Variable_name IN (%s)' % ', '.join(
                    "'%s'" % name for name in STATEMENTS)))
            return sum(int(value) for _name, value in rows)

    def close(self) -> None:
        """Let the connections go."""
        self._engine.dispose()
