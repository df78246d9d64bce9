# SPDX-License-Identifier: Apache-2.0
"""The HTTP server of zun-api: threads, and TLS where it is asked for."""

import ssl
import threading

from cheroot import errors as cheroot_errors
from cheroot.ssl import builtin
from cheroot import wsgi
from oslo_log import log as logging

from zun.common import process
import zun.conf

CONF = zun.conf.CONF
LOG = logging.getLogger(__name__)

THREADS = 16
# Largest body: an archive of 64 MiB in base64, and its wrapping.
BODY_BYTES = 96 * 1024 * 1024
_VERSIONS = {'TLSv1.2': ssl.TLSVersion.TLSv1_2,
             'TLSv1.3': ssl.TLSVersion.TLSv1_3}


def tls_adapter() -> builtin.BuiltinSSLAdapter | None:
    """What ``[api] enable_ssl_api`` and ``[ssl]`` ask for.

    :raises StartError: a file is missing or is no good.
    """
    if not CONF.api.enable_ssl_api:
        return None
    group = CONF.ssl
    if not group.cert_file or not group.key_file:
        raise process.StartError(
            '[api] enable_ssl_api needs [ssl] cert_file and key_file.')
    try:
        adapter = builtin.BuiltinSSLAdapter(
            group.cert_file, group.key_file, ciphers=group.ciphers)
        adapter.context.minimum_version = _VERSIONS.get(
            group.version or 'TLSv1.2', ssl.TLSVersion.TLSv1_2)
        if group.ca_file:
            adapter.context.load_verify_locations(group.ca_file)
            adapter.context.verify_mode = ssl.CERT_REQUIRED
    except (OSError, ssl.SSLError) as error:
        raise process.StartError(
            'the files of [ssl] (%s, %s, %s) are no good: %s'
            % (group.cert_file, group.key_file, group.ca_file,
               error)) from error
    return adapter


class _Server(wsgi.Server):
    """Speaks through the service's own log."""

    def error_log(self, msg='', level=20, traceback=False):
        LOG.log(level, msg, exc_info=traceback)


class ApiServer:
    """One process's listener; several share the port.

    :param application: the WSGI application.
    """

    def __init__(self, application):
        self._server = _Server(
            (CONF.api.host_ip, CONF.api.port), application,
            numthreads=THREADS, server_name=CONF.host,
            request_queue_size=128, reuse_port=True)
        self._server.max_request_body_size = BODY_BYTES
        self._server.ssl_adapter = tls_adapter()
        self._thread: threading.Thread | None = None

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
                '%s port %s of [api] cannot be listened on: %s'
                % (CONF.api.host_ip, CONF.api.port, error)) from error
        LOG.info('Listening on %(scheme)s://%(host)s:%(port)d',
                 {'scheme': 'https' if CONF.api.enable_ssl_api else 'http',
                  'host': CONF.api.host_ip, 'port': self.port})
        self._thread = threading.Thread(
            target=self._server.serve, name='api', daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Answer what is under way, then stop listening."""
        self._server.stop()
        self._thread.join()
