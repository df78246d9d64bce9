# SPDX-License-Identifier: Apache-2.0
"""The WSGI application and its pipeline."""

import os

from oslo_config import cfg
from oslo_log import log
from paste import deploy
import pecan

from zun.api import config as api_config
from zun.api import rendering
from zun.api import signatures
from zun.common.i18n import _
import zun.conf

CONF = zun.conf.CONF
LOG = log.getLogger(__name__)

# Connections to the database that a process keeps open if its threads use
# so many at once. Making one anew costs as much as several requests.
POOL_SIZE = 32


def setup_app():
    """The API itself, without the filters of the pipeline."""
    signatures.remember()
    return pecan.Pecan(custom_renderers={'json': rendering.JsonRenderer},
                       **api_config.APP)


def paste_config_file() -> str:
    """The path of the pipeline's file ([api] api_paste_config).

    :raises ConfigFilesNotFoundError: when it isn't there.
    """
    name = CONF.api.api_paste_config
    path = name if os.path.isabs(name) else CONF.find_file(name)
    if not path or not os.path.exists(path):
        raise cfg.ConfigFilesNotFoundError([name])
    return path


def load_app():
    """The API behind the filters of the pipeline's file."""
    CONF.set_default('max_pool_size', POOL_SIZE, 'database')
    path = paste_config_file()
    LOG.info(_('Full WSGI config used: %s'), path)
    return deploy.loadapp('config:' + path)


def app_factory(global_config, **local_conf):
    """paste.app_factory of [app:api_v1]."""
    return setup_app()
