# SPDX-License-Identifier: Apache-2.0
"""The way of the reference: a cast through oslo.messaging and RabbitMQ.

The message holds a container as the reference's does; the endpoint does
nothing.  The broker runs for this measurement alone.
"""

import multiprocessing
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from typing import Any

import oslo_messaging

from benchmarks.tasks import load
from zun.common import context as zun_context
import zun.conf
from zun.db import api as db_api
from zun import objects
from zun.objects import base as objects_base

CONF = zun.conf.CONF

START_TIMEOUT = 60
TOPIC = 'zun-compute'
_FORK = multiprocessing.get_context('fork')


class BrokerUnavailable(Exception):
    """There is no RabbitMQ; the message says what to do."""


class Broker:
    """A private RabbitMQ node."""

    def __init__(self) -> None:
        program = pathlib.Path('/usr/lib/rabbitmq/bin/rabbitmq-server')
        if not program.exists():
            raise BrokerUnavailable('install the package rabbitmq-server')
        self._directory = pathlib.Path(tempfile.mkdtemp(prefix='zun-bus-'))
        self.port, distribution, mapper = _free_ports(3)
        (self._directory / 'enabled_plugins').write_text('[].\n')
        (self._directory / 'rabbitmq.conf').write_text(
            'default_user = zun\ndefault_pass = zun\n'
            'log.console = false\ndisk_free_limit.absolute = 50MB\n')
        environment = {
            **os.environ, 'HOME': str(self._directory),
            'RABBITMQ_NODENAME': 'bench%d@localhost' % self.port,
            'RABBITMQ_NODE_IP_ADDRESS': '127.0.0.1',
            'RABBITMQ_NODE_PORT': str(self.port),
            'RABBITMQ_DIST_PORT': str(distribution),
            'RABBITMQ_MNESIA_BASE': str(self._directory / 'data'),
            'RABBITMQ_LOG_BASE': str(self._directory / 'log'),
            'RABBITMQ_PID_FILE': str(self._directory / 'pid'),
            'RABBITMQ_ENABLED_PLUGINS_FILE': str(
                self._directory / 'enabled_plugins'),
            'RABBITMQ_CONFIG_FILE': str(self._directory / 'rabbitmq'),
            'RABBITMQ_CONF_ENV_FILE': '/dev/null',
            'ERL_EPMD_ADDRESS': '127.0.0.1', 'ERL_EPMD_PORT': str(mapper)}
        self._log = open(self._directory / 'out', 'wb')
        self._processes = [
            subprocess.Popen(command, env=environment, stdout=self._log,
                             stderr=self._log, start_new_session=True)
            for command in (['epmd', '-address', '127.0.0.1', '-port',
                             str(mapper)], [str(program)])]
        self._wait()

    def _wait(self) -> None:
        deadline = time.monotonic() + START_TIMEOUT
        while True:
            try:
                socket.create_connection(('127.0.0.1', self.port)).close()
                return
            except OSError:
                if time.monotonic() > deadline:
                    self.stop()
                    raise BrokerUnavailable('RabbitMQ does not start')
                time.sleep(0.2)

    @property
    def url(self) -> str:
        """What transport_url would be."""
        return 'rabbit://zun:zun@127.0.0.1:%d/' % self.port

    def stop(self) -> None:
        """Stop the node and remove what it left."""
        for process in reversed(self._processes):
            os.killpg(process.pid, signal.SIGTERM)
            process.wait(START_TIMEOUT)
        self._log.close()
        shutil.rmtree(self._directory, ignore_errors=True)


def _free_ports(number: int) -> list[int]:
    sockets = [socket.create_server(('127.0.0.1', 0))
               for _ in range(number)]
    ports = [sock.getsockname()[1] for sock in sockets]
    for sock in sockets:
        sock.close()
    return ports


class _Serializer(objects_base.ZunObjectSerializer):
    """Objects as primitives, contexts as dictionaries."""

    def serialize_context(self, context: Any) -> dict[str, Any]:
        return context.to_dict()

    def deserialize_context(self, context: dict[str, Any]) -> Any:
        return zun_context.RequestContext.from_dict(context)


class _Endpoint:
    """What stands for the reference's compute manager."""

    def __init__(self) -> None:
        self.began: dict[str, float] = {}

    def container_start(self, context: Any, container: Any) -> None:
        self.began[context.request_id] = time.monotonic()


def _serve(url: str, server: str, pipe: Any) -> None:
    ended = threading.Event()
    signal.signal(signal.SIGTERM, lambda number, frame: ended.set())
    endpoint = _Endpoint()
    rpc = oslo_messaging.get_rpc_server(
        oslo_messaging.get_rpc_transport(CONF, url),
        oslo_messaging.Target(topic=TOPIC, server=server), [endpoint],
        executor='threading', serializer=_Serializer())
    rpc.start()
    pipe.send('ready')
    ended.wait()
    rpc.stop()
    pipe.send(endpoint.began)
    os._exit(0)


class Bus:
    """Servers behind a broker, and a client.

    :param loaded: the database that the client writes its rows to
    """

    def __init__(self, url: str, loaded: load.Load) -> None:
        db_api.dispose()
        self._loaded = loaded
        self._servers = []
        for index in range(load.PROCESSES):
            mine, theirs = _FORK.Pipe()
            process = _FORK.Process(target=_serve, daemon=True, args=(
                url, 'node-%d' % index, theirs))
            process.start()
            self._servers.append((process, mine))
        for _, pipe in self._servers:
            pipe.recv()
        self._client = oslo_messaging.get_rpc_client(
            oslo_messaging.get_rpc_transport(CONF, url),
            oslo_messaging.Target(topic=TOPIC), serializer=_Serializer())
        self._sent: dict[str, float] = {}

    def cast(self, number: int) -> None:
        """Have a container started as the reference's API does.

        It writes down the action, then casts to the servers in turn.
        """
        context, container = self._loaded.container(number)
        self._sent[context.request_id] = time.monotonic()
        objects.ContainerAction.action_start(
            context, container.uuid, 'start', want_result=False)
        self._client.prepare(
            server='node-%d' % (number % load.PROCESSES)).cast(
                context, 'container_start', container=container)

    def stop(self) -> list[tuple[float, float]]:
        """End the servers; when each cast was made and begun."""
        began: dict[str, float] = {}
        for process, pipe in self._servers:
            os.kill(process.pid, signal.SIGTERM)
            began.update(pipe.recv())
            process.join()
        return [(at, began[request_id]) for request_id, at
                in self._sent.items() if request_id in began]


def measure(loaded: load.Load, tasks: int, casts: int) -> dict[str, Any]:
    """Rate and latency of casts through a RabbitMQ of its own.

    :param loaded: a database with containers
    :raises BrokerUnavailable: there is none
    """
    broker = Broker()
    try:
        return {**_rate(Bus(broker.url, loaded), tasks),
                **_latency(Bus(broker.url, loaded), casts)}
    finally:
        for process in multiprocessing.active_children():
            process.kill()
        broker.stop()


def _rate(bus: Bus, tasks: int) -> dict[str, Any]:
    began = time.monotonic()
    for number in range(tasks):
        bus.cast(number)
    cast = time.monotonic() - began
    time.sleep(2)
    times = bus.stop()
    return {'tasks': len(times), 'enqueued_per_s': tasks / cast,
            'tasks_per_s': len(times) / (
                max(end for _, end in times) - began)}


def _latency(bus: Bus, casts: int) -> dict[str, Any]:
    due = time.monotonic()
    for number in range(casts):
        due += 1 / load.PACE
        time.sleep(max(0, due - time.monotonic()))
        bus.cast(number)
    time.sleep(1)
    p50, p99 = load.quantiles([(end - at) * 1e3 for at, end in bus.stop()])
    return {'end_to_end_p50_ms': p50, 'end_to_end_p99_ms': p99}
