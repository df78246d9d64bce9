# SPDX-License-Identifier: Apache-2.0
"""The HTTPS listener of the agent of a node."""

import ssl
import threading

from cheroot import errors as cheroot_errors
from cheroot.ssl import builtin
from cheroot import wsgi
from oslo_log import log as logging

from zun.common import process
from zun.compute.streams import application
import zun.conf

CONF = zun.conf.CONF
LOG = logging.getLogger(__name__)

THREADS = 8
_HEADER_BYTES = 64 * 1024


def is_wanted() -> bool:
    """Whether the configuration has all that the listener needs.

    :raises StartError: it has a part of that.
    """
    group = CONF.agent
    given = [group.stream_cert_file, group.stream_key_file,
             group.stream_ca_file]
    if not group.stream_port or not any(given[:2]):
        return False
    if not all(given):
        raise process.StartError(
            '[agent] stream_cert_file, stream_key_file and stream_ca_file '
            'are needed together.')
    return True


class _Server(wsgi.Server):
    """Speaks through the service's own log."""

    def error_log(self, msg='', level=20, traceback=False):
        LOG.log(level, msg, exc_info=traceback)


class StreamServer:
    """The listener, as a part of the agent's process.

    :param driver: with the runtime of this node.
    """

    def __init__(self, driver) -> None:
        group = CONF.agent
        self._server = _Server(
            (group.stream_host, group.stream_port),
            application.Application(driver), numthreads=THREADS,
            server_name=CONF.host, request_queue_size=64)
        self._server.max_request_header_size = _HEADER_BYTES
        self._server.max_request_body_size = (
            CONF.kubernetes.max_archive_size)
        self._server.ssl_adapter = self._adapter(group)
        self._thread: threading.Thread | None = None

    @staticmethod
    def _adapter(group) -> builtin.BuiltinSSLAdapter:
        try:
            adapter = builtin.BuiltinSSLAdapter(group.stream_cert_file,
                                                group.stream_key_file)
            adapter.context.minimum_version = ssl.TLSVersion.TLSv1_2
            adapter.context.load_verify_locations(group.stream_ca_file)
            # Nobody is spoken to who cannot say who he is.
            adapter.context.verify_mode = ssl.CERT_REQUIRED
        except (OSError, ssl.SSLError) as error:
            raise process.StartError(
                'the files of [agent] stream_* (%s, %s, %s) are no good: %s'
                % (group.stream_cert_file, group.stream_key_file,
                   group.stream_ca_file, error)) from error
        return adapter

    @property
    def port(self) -> int:
        """The TCP port, once started."""
        return self._server.bind_addr[1]

    def start(self) -> None:
        """Begin to listen.

        :raises StartError: the address can't be used.
        """
        try:
            self._server.prepare()
        except (OSError, cheroot_errors.FatalSSLAlert) as error:
            raise process.StartError(
                '%s port %s of [agent] cannot be listened on: %s'
                % (CONF.agent.stream_host, CONF.agent.stream_port,
                   error)) from error
        LOG.info('Listening for streams on https://%(host)s:%(port)d',
                 {'host': CONF.agent.stream_host, 'port': self.port})
        self._thread = threading.Thread(
            target=self._server.serve, name='streams', daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Answer what is under way, then stop listening."""
        self._server.stop()
        self._thread.join()
