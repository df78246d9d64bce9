# SPDX-License-Identifier: Apache-2.0
"""zun-cni-daemon: plugs the node's containers into their ports."""

import os

import os_vif
from vif_plug_ovs import privsep as ovs_privsep

from zun.cni import attachments
from zun.cni.binding import switch
from zun.cni import daemon
from zun.cni import plugging
from zun.cni import server
from zun.common import process
from zun.common import service
import zun.conf

CONF = zun.conf.CONF


def check_rights() -> None:
    """Network namespaces can be entered."""
    if os.geteuid() != 0:
        raise process.StartError(
            'zun-cni-daemon has to run as root: it enters the network '
            'namespaces of containers')


class DaemonPart:
    """The daemon as a part of its process."""

    def __init__(self) -> None:
        # This process has the rights: no second one is started for them.
        ovs_privsep.vif_plug.set_client_mode(False)
        os_vif.initialize()
        store = attachments.Store(CONF.agent.cni_state_path)
        store.load()
        self._switch = switch.Switch(CONF.os_vif_ovs.ovsdb_connection)
        self._daemon = daemon.Daemon(plugging.Plugger(store, self._switch))
        self._server = server.Server(
            CONF.agent.cni_socket, self._daemon.answer,
            CONF.cni_daemon.worker_num)

    def start(self) -> None:
        """Serve.

        :raises StartError: the socket cannot be made.
        """
        try:
            self._server.start()
        except OSError as error:
            raise process.StartError(
                '[agent] cni_socket %s cannot be listened on: %s' % (
                    CONF.agent.cni_socket, error)) from error
        self._daemon.start()

    def stop(self) -> None:
        """End the requests that run, then the rest."""
        self._server.stop()
        self._daemon.stop()
        self._switch.close()


def main() -> None:
    """Serve zun-cni until asked to end."""
    service.prepare_service()
    process.run('zun-cni-daemon', lambda worker_id: [DaemonPart()],
                checks=[check_rights])
