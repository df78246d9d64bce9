# SPDX-License-Identifier: Apache-2.0
"""Thousands of containers on simulated nodes."""

from concurrent import futures
import configparser
import re
import time
from typing import Any

import psutil
import sqlalchemy as sa

from benchmarks.driver import latency
from zun.common.k8s import client
from zun.compute import node_reporter
import zun.conf
from zun.container.k8s import names
from zun.db import api as db_api
from zun.db.sqlalchemy import models
from zun import objects
from zun.tests import processes

CONF = zun.conf.CONF
CONTAINER = models.Container.__table__

CLIENTS = 8
# Pods deleted while the compute process is away.
DELETED_BEHIND = 100
# Seconds that a phase may take for each container, and at least.
SECONDS_EACH, SECONDS_MIN = 1.0, 120.0
# What the deployment asks for; simulated nodes take any.
RUNTIME_CLASS = {
    'apiVersion': 'node.k8s.io/v1', 'kind': 'RuntimeClass',
    'metadata': {'name': 'kata'}, 'handler': 'kata'}
# A line about a request; a watch is one, too.
REQUEST = re.compile(r' "(?:GET|POST|PUT|PATCH|DELETE) /')


class Deployment(processes.Deployment):
    """All executables; the compute process writes its requests down."""

    def _configure(self) -> None:
        super()._configure()
        parser = configparser.RawConfigParser()
        parser.read(self.folder.config_file)
        for section, name, value in (
                ('DEFAULT', 'debug', 'false'),
                ('DEFAULT', 'default_log_levels',
                 'urllib3.connectionpool=DEBUG'),
                ('DEFAULT', 'service_down_time', '86400'),
                ('quota', 'containers', '-1'), ('quota', 'cpu', '-1'),
                ('quota', 'memory', '-1'), ('quota', 'disk', '-1'),
                ('kubernetes', 'unschedulable_timeout', '600')):
            if section != 'DEFAULT' and not parser.has_section(section):
                parser.add_section(section)
            parser.set(section, name, value)
        with open(self.folder.config_file, 'w') as file:
            parser.write(file)


class Crowd:
    """Measures on one deployment.

    :param deployment: running, on a cluster of simulated nodes
    """

    def __init__(self, deployment: Deployment, kubeconfig: str) -> None:
        self._zun = deployment
        self._kubeconfig = kubeconfig
        CONF(['--config-file', str(deployment.folder.config_file)],
             project='zun')
        client.reset()
        objects.register_all()
        db_api.configure(CONF.database.connection)

    def report_nodes(self) -> int:
        """Make every node one that containers are placed on; how many."""
        nodes, _ = client.get_cluster().list(client.NODES)
        self._each(_report, [node['metadata']['name'] for node in nodes])
        return len(nodes)

    def measure(self, containers: int) -> dict[str, Any]:
        """Create, restart the compute process, delete."""
        result: dict[str, Any] = {'nodes': self.report_nodes(),
                                  'containers': containers}
        limit = max(SECONDS_MIN, SECONDS_EACH * containers)
        cpu, calls, began = self._cpu(), self._calls(), time.monotonic()
        uuids = self._each(self._create, range(containers))
        result['accepted_per_s'] = containers / (time.monotonic() - began)
        self._await('Running', containers, limit)
        result['running_per_s'] = containers / (time.monotonic() - began)
        result['create_calls_each'] = (self._calls() - calls) / containers
        result['create_cpu_ms_each'] = \
            1000 * (self._cpu() - cpu) / containers
        result['memory_mib'] = self._memory()
        result['catch_up_s'] = self._catch_up(containers, limit)
        left = self._count()
        cpu, calls, began = self._cpu(), self._calls(), time.monotonic()
        self._each(self._delete, uuids)
        self._await(None, 0, limit)
        result['deleted_per_s'] = left / (time.monotonic() - began)
        result['delete_calls_each'] = (self._calls() - calls) / left
        result['delete_cpu_ms_each'] = 1000 * (self._cpu() - cpu) / left
        return result

    def _each(self, call: Any, arguments: Any) -> list[Any]:
        with futures.ThreadPoolExecutor(CLIENTS) as pool:
            return list(pool.map(call, arguments))

    def _create(self, number: int) -> str:
        # Simulated nodes have no disk to ask for.
        answer = self._zun.request(
            'POST', '/containers', params={'run': 'true'},
            json={'image': 'busybox', 'cpu': 0.1, 'memory': '64'})
        if answer.status_code != 202:
            raise RuntimeError('Container %d is not created: %d %s' % (
                number, answer.status_code, answer.text))
        return answer.json()['uuid']

    def _delete(self, uuid: str) -> None:
        answer = self._zun.request('DELETE', '/containers/' + uuid,
                                   params={'force': 'true'}, admin=True)
        if answer.status_code not in (204, 404):
            raise RuntimeError('%s is not deleted: %d %s' % (
                uuid, answer.status_code, answer.text))

    def _catch_up(self, containers: int, limit: float) -> float:
        """Seconds from the start of a compute process until the rows tell
        what happened while there was none.
        """
        compute = self._zun.processes['zun-compute']
        compute.end()
        number = min(DELETED_BEHIND, containers // 10)
        pods, _ = client.get_cluster().list(
            client.PODS, labels=names.MANAGED_SELECTOR)
        # All of one project, so of one namespace.
        latency.Kubectl(
            self._kubeconfig, pods[0]['metadata']['namespace']).run(
                'delete', 'pod', '--force', '--grace-period', '0',
                *(pod['metadata']['name'] for pod in pods[:number]))
        compute.begin()
        began = time.monotonic()
        self._await('Running', containers - number, limit)
        return time.monotonic() - began

    def _count(self, status: str | None = None) -> int:
        query = sa.select(sa.func.count()).select_from(CONTAINER)
        if status is not None:
            query = query.where(CONTAINER.c.status == status,
                                CONTAINER.c.task_state.is_(None))
        with db_api.reader(None) as session:
            return session.execute(query).scalar_one()

    def _await(self, status: str | None, number: int,
               limit: float) -> None:
        processes.wait_for(
            '%d containers %s' % (number, status or 'left'),
            lambda: self._count(status) == number, limit)

    def _tree(self) -> list[psutil.Process]:
        parent = psutil.Process(
            self._zun.processes['zun-compute']._process.pid)
        return [parent, *parent.children(recursive=True)]

    def _cpu(self) -> float:
        return sum(sum(one.cpu_times()[:2]) for one in self._tree())

    def _memory(self) -> float:
        return sum(one.memory_info().rss for one in self._tree()) / 2 ** 20

    def _calls(self) -> int:
        """Requests to the API server that the process wrote down, less
        those for its Lease, which cost the same without containers.
        """
        with open(self._zun.processes['zun-compute'].log) as log:
            return sum(bool(REQUEST.search(line)) and '/api' in line and
                       '/leases' not in line for line in log)


def _report(node: str) -> None:
    reporter = node_reporter.NodeReporter(node)
    reporter.beat()
    reporter.report()
