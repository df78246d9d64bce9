# SPDX-License-Identifier: Apache-2.0
"""zun-compute: carries out what the API has queued."""

from collections.abc import Sequence

from oslo_utils import uuidutils
import prometheus_client

from zun.cmd import preflight
from zun.common import admin
from zun.common.k8s import client
from zun.common.k8s import lease
from zun.common import process
from zun.common import service
from zun.compute import manager
from zun.compute.operations import sync
from zun.compute import service as compute_service
from zun.compute.tasks import metrics
import zun.conf

CONF = zun.conf.CONF


def _elector() -> lease.Elector:
    options = CONF.kubernetes
    return lease.Elector(
        client.get_cluster(), options.service_namespace, options.lease_name,
        '%s-%s' % (CONF.host, uuidutils.generate_uuid()),
        options.lease_duration)


def build(worker_id: int) -> Sequence[process.Part]:
    """The parts of one process."""
    leadership = compute_service.Leadership(
        _elector(), lambda: [sync.StateSync()])
    tasks = compute_service.Tasks(manager.Manager(), CONF.host,
                                  leadership.is_leader,
                                  process.shutdown_time)
    parts: list[process.Part] = [tasks, leadership]
    if CONF.task.admin_port:
        prometheus_client.REGISTRY.register(metrics.QueueCollector())
        parts.insert(0, admin.AdminServer(
            CONF.task.admin_host, CONF.task.admin_port,
            alive={'worker': tasks.check}, ready={'worker': tasks.check},
            cert_file=CONF.task.admin_cert_file,
            key_file=CONF.task.admin_key_file))
    return parts


def main() -> None:
    service.prepare_service()
    service.refuse_published_key()
    # One for each thread that runs tasks, and those of the process itself.
    CONF.set_default('max_pool_size', CONF.task.concurrency + 8, 'database')
    process.run('zun-compute', build,
                (preflight.database, preflight.cluster))
