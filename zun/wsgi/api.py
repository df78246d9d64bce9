# SPDX-License-Identifier: Apache-2.0
"""The REST API for WSGI servers that load a module.

They name it ``zun.wsgi.api:application``.
"""

from zun.api import wsgi

application = wsgi.init_application()
