# SPDX-License-Identifier: Apache-2.0
"""The application for other WSGI servers (``zun-api-wsgi``)."""

import threading

from zun.api import app
from zun.common import service

_lock = threading.Lock()
_application = None


def init_application():
    """The application, made once a process."""
    global _application
    with _lock:
        if _application is None:
            service.prepare_service(['zun-api'])
            _application = app.load_app()
        return _application
