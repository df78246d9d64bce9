# SPDX-License-Identifier: Apache-2.0
"""One API under the WSGI server, as a program of either environment.

    python server.py reference|project CONFIGURATION PORT THREADS

The reference asks its compute host when a container is shown and sends
messages when one is created. Neither a host nor a message bus is here: its
messages are answered, or dropped, at once, which is in its favour.
"""

import signal
import sys

from cheroot import wsgi


def reference(configuration: str):
    """The application of Zun 18.0.0 without its message bus."""
    from oslo_log import log
    from zun.common import config
    from zun.common import rpc_service
    import zun.conf

    log.register_options(zun.conf.CONF)
    config.parse_args(['api', '--config-file', configuration])
    config.set_config_defaults()

    def init(self, context=None, topic=None, server=None, timeout=None):
        self._context = context

    def call(self, server, method, *args, **kwargs):
        return kwargs.get('container')

    def cast(self, server, method, *args, **kwargs):
        return None

    api = rpc_service.API
    api.__init__, api._call, api._cast = init, call, cast
    from zun.api import app
    return app.load_app()


def project(configuration: str):
    """The application of this project as it is."""
    from zun.api import app
    from zun.common import config

    config.parse_args(['api', '--config-file', configuration])
    config.set_config_defaults()
    return app.load_app()


def main() -> None:
    flavour, configuration, port, threads = sys.argv[1:]
    build = {'reference': reference, 'project': project}[flavour]
    server = wsgi.Server(('127.0.0.1', int(port)), build(configuration),
                         numthreads=int(threads), request_queue_size=128)
    signal.signal(signal.SIGTERM, lambda *_args: server.stop())
    server.safe_start()


if __name__ == '__main__':
    main()
