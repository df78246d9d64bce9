# SPDX-License-Identifier: Apache-2.0
"""Traces of osprofiler: set-up, the WSGI filter and decorators."""

from collections.abc import Callable
from collections.abc import Mapping
from typing import Any

from oslo_log import log as logging
from osprofiler import initializer
from osprofiler import profiler
from osprofiler import web

import zun.conf

CONF = zun.conf.CONF
LOG = logging.getLogger(__name__)


class WsgiMiddleware(web.WsgiMiddleware):
    """Traces requests, if ``[profiler] enabled`` is set."""

    @classmethod
    def factory(cls, global_conf: Mapping[str, Any],
                **local_conf: Any) -> Callable[[Any], Any]:
        """Return what paste puts around the application."""
        if not CONF.profiler.enabled:
            return lambda app: app
        return lambda app: cls(app, hmac_keys=CONF.profiler.hmac_keys,
                               enabled=True, **local_conf)


def setup(binary: str, host: str) -> None:
    """Start to trace a process, if ``[profiler] enabled`` is set.

    :param binary: name of the executable, shown in the traces
    :param host: name of the host, shown in the traces
    """
    if not CONF.profiler.enabled:
        return
    initializer.init_from_conf(conf=CONF, context=None, project='zun',
                               service=binary, host=host)
    LOG.warning('Traces are on: whoever knows [profiler] hmac_keys can '
                'make every request be traced to %s.',
                CONF.profiler.connection_string.partition('://')[0])


def trace_cls(name: str, **kwargs: Any) -> Callable[[type], type]:
    """Return a decorator that traces the public methods of a class."""
    def decorate(cls: type) -> type:
        if not CONF.profiler.enabled:
            return cls
        return profiler.trace_cls(name, **kwargs)(cls)
    return decorate
