# SPDX-License-Identifier: Apache-2.0
"""zun-wsproxy: attach and interactive exec over WebSockets."""

import threading

from zun.cmd import preflight
from zun.common import exception
from zun.common import process
from zun.common import service
import zun.conf
from zun.container import driver as container_driver
from zun import objects
from zun.websocket import proxy

CONF = zun.conf.CONF


def check_certificate() -> None:
    """The certificate can be used."""
    try:
        proxy.tls_context()
    except exception.ConfigInvalid as error:
        raise process.StartError(str(error)) from error


class ProxyPart:
    """The proxy as a part of its process."""

    def __init__(self) -> None:
        self._proxy = proxy.Proxy(container_driver.load_container_driver())
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin to listen.

        :raises StartError: the address can't be used.
        """
        group = CONF.websocket_proxy
        try:
            self._proxy.listen()
        except OSError as error:
            raise process.StartError(
                '%s port %s of [websocket_proxy] cannot be listened on: %s'
                % (group.wsproxy_host, group.wsproxy_port, error)
            ) from error
        self._thread = threading.Thread(
            target=self._proxy.serve_forever, name='proxy', daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the sessions and the listening."""
        self._proxy.stop()
        self._thread.join()


def main() -> None:
    """Serve sessions until asked to end."""
    service.prepare_service()
    service.refuse_published_key()
    objects.register_all()
    process.run('zun-wsproxy', lambda worker_id: [ProxyPart()],
                checks=[check_certificate, preflight.database,
                        preflight.cluster])
