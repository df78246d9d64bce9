# SPDX-License-Identifier: Apache-2.0
"""zun-compute-agent: what a node does itself."""

from zun.cmd import preflight
from zun.common import admin
from zun.common import process
from zun.common import service
from zun.compute import manager
from zun.compute import node_keeper
from zun.compute import node_reporter
from zun.compute.streams import server as stream_server
from zun.compute.tasks import registry
from zun.compute.tasks import service as task_service
import zun.conf
from zun.container import driver as container_driver
from zun.container import runtime
from zun.container.runtime import base as runtime_base
from zun import objects

CONF = zun.conf.CONF


def check_runtime() -> None:
    """The container runtime of the node answers."""
    try:
        _load_runtime().version()
    except runtime_base.RuntimeError as error:
        raise process.StartError(
            '[agent] runtime_endpoint: %s' % process.one_line(error)
        ) from error


def _load_runtime() -> runtime_base.Runtime:
    return runtime.load_runtime(CONF.agent.runtime,
                                CONF.agent.runtime_endpoint)


class NodeTasks:
    """The tasks of this node's queue, as a part of the process."""

    def __init__(self, driver: container_driver.ContainerDriver) -> None:
        self._service = task_service.TaskService(
            registry.from_manager(manager.Manager(driver)), CONF.host,
            registry.AGENT_BINARY, is_leader=lambda: False,
            queue=registry.AGENT + CONF.host)

    def start(self) -> None:
        self._service.start()

    def stop(self) -> None:
        self._service.stop(process.shutdown_time())

    def check(self) -> None:
        """Raise if this worker cannot be counted on."""
        self._service.check()


def build(worker_id: int) -> list[process.Part]:
    """The parts of the process."""
    driver = container_driver.load_container_driver()
    driver.runtime = _load_runtime()
    keeper = node_keeper.NodeKeeper(driver, CONF.host)
    tasks = NodeTasks(driver)
    parts: list[process.Part] = []
    if CONF.task.admin_port:
        parts.append(admin.AdminServer(
            CONF.task.admin_host, CONF.task.admin_port,
            alive={'worker': tasks.check},
            ready={'database': preflight.database,
                   'runtime': check_runtime},
            cert_file=CONF.task.admin_cert_file,
            key_file=CONF.task.admin_key_file))
    if stream_server.is_wanted():
        parts.append(stream_server.StreamServer(driver))
    return parts + [node_reporter.NodeReporter(CONF.host), keeper, tasks]


def main() -> None:
    """Report the node and run its tasks until asked to end."""
    service.prepare_service()
    service.refuse_published_key()
    objects.register_all()
    process.run('zun-compute-agent', build,
                checks=[preflight.database, preflight.cluster,
                        check_runtime])
