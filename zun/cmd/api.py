# SPDX-License-Identifier: Apache-2.0
"""zun-api: the REST API."""

import os

from oslo_config import cfg

from zun.api import app
from zun.api import server
from zun.cmd import preflight
from zun.common import admin
from zun.common import process
from zun.common import service
import zun.conf
from zun import objects

CONF = zun.conf.CONF


def check_listener() -> None:
    """The pipeline can be read and the certificate used."""
    server.tls_adapter()
    try:
        app.paste_config_file()
    except cfg.Error as error:
        raise process.StartError(
            '[api] api_paste_config: %s' % process.one_line(error)
        ) from error


def build(worker_id: int) -> list[process.Part]:
    """The parts of one child; the first one has the admin port too."""
    parts: list[process.Part] = []
    if worker_id == 0 and CONF.task.admin_port:
        parts.append(admin.AdminServer(
            CONF.task.admin_host, CONF.task.admin_port,
            ready={'database': preflight.database},
            cert_file=CONF.task.admin_cert_file,
            key_file=CONF.task.admin_key_file))
    parts.append(server.ApiServer(app.load_app()))
    return parts


def main() -> None:
    """Serve the API until asked to end."""
    service.prepare_service()
    service.refuse_published_key()
    objects.register_all()
    process.run('zun-api', build,
                checks=[check_listener, preflight.database],
                workers=CONF.api.workers or os.cpu_count() or 1)
