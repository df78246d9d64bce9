# SPDX-License-Identifier: Apache-2.0
"""Command line and configuration files."""

from collections.abc import Sequence
import os
import re

from oslo_config import cfg
from oslo_log import log
from oslo_middleware import cors

import zun.conf
from zun import version

CONF = zun.conf.CONF

# Chatty below the level of a warning, whatever the service logs.
QUIET_LOGGERS = (
    'alembic.runtime.plugins=WARN',
    'kubernetes=WARN',
    'urllib3=WARN',
    'websocket=WARN',
)

# How oslo.config prints where a value stands.
_LOCATION = re.compile(r"LocationInfo\(.*, detail='(.*)'\)")


def parse_args(argv: Sequence[str],
               default_config_files: Sequence[str] | None = None) -> None:
    """Read the command line and the configuration files.

    :param argv: the command line with the name of the program first
    :param default_config_files: files read if the command line names none;
        None: zun.conf in ~/.zun, ~, /etc/zun and /etc
    :raises oslo_config.cfg.Error: on an option that cannot be
    """
    try:
        log.register_options(CONF)
    except cfg.ArgsAlreadyParsedError:
        # Parsed before, with the same options.
        CONF.clear()
        log.register_options(CONF)
    log.set_defaults(default_log_levels=[
        *log.get_default_log_levels(), *QUIET_LOGGERS])
    CONF(list(argv[1:]),
         project='zun',
         prog=os.path.basename(argv[0]),
         version=version.version_info.release_string(),
         default_config_files=default_config_files)


def check_values() -> None:
    """Read every option once; oslo.config looks at values when they are read.

    :raises oslo_config.cfg.ConfigSourceValueError: naming the first value
        that cannot be, and where it stands
    """
    for name in CONF:
        if name in CONF._groups:
            for option in CONF[name]:
                _check_value(option, name)
        else:
            _check_value(name, None)


def _check_value(name: str, group: str | None) -> None:
    try:
        CONF[group][name] if group else CONF[name]
    except cfg.ConfigSourceValueError as error:
        where = _LOCATION.sub(r'\1', str(error))
        raise cfg.ConfigSourceValueError(f'[{group or "DEFAULT"}] {where}')


def set_config_defaults() -> None:
    """Set the service's own defaults of options that libraries define.

    The sample generator calls it too (``oslo.config.opts.defaults``).
    """
    cors.set_defaults(
        allow_headers=[
            'X-Auth-Token',
            'X-Identity-Status',
            'X-Roles',
            'X-Service-Catalog',
            'X-User-Id',
            'X-Project-Id',
            'X-OpenStack-Request-ID',
            'X-Server-Management-Url',
            'OpenStack-API-Version',
        ],
        expose_headers=[
            'X-Auth-Token',
            'X-Subject-Token',
            'X-Service-Token',
            'X-OpenStack-Request-ID',
            'X-Server-Management-Url',
            'OpenStack-API-Version',
        ],
        allow_methods=['GET', 'PUT', 'POST', 'DELETE', 'PATCH'])
