# SPDX-License-Identifier: Apache-2.0
"""What every executable does first: options, logs, traces, checks."""

from collections.abc import Sequence
import sys
from typing import NoReturn

from oslo_config import cfg
from oslo_log import log as logging
from oslo_reports import guru_meditation_report
from oslo_reports import opts as report_opts

from zun.common import config
from zun.common import crypt
from zun.common import profiler
import zun.conf
from zun import version

CONF = zun.conf.CONF
LOG = logging.getLogger(__name__)


def fail(message: str) -> NoReturn:
    """End the process with one line that says why."""
    sys.exit(f'{CONF.prog or "zun"}: {message}')


def prepare_service(argv: Sequence[str] | None = None,
                    default_config_files: Sequence[str] | None = None
                    ) -> None:
    """Read the options, start the log and the traces.

    An option that cannot be ends the process with one line on standard
    error.

    :param argv: the command line with the program first; None is the
        process's own
    :param default_config_files: see :func:`zun.common.config.parse_args`
    """
    argv = sys.argv if argv is None else argv
    try:
        config.parse_args(argv, default_config_files)
        config.set_config_defaults()
        config.check_values()
        logging.setup(CONF, 'zun')
    except (cfg.Error, logging.LogConfigError) as error:
        fail(str(error))
    report_opts.set_defaults(CONF)
    guru_meditation_report.TextGuruMeditation.setup_autorun(
        version.version_info, conf=CONF)
    profiler.setup(CONF.prog or 'zun', CONF.host)


def refuse_published_key() -> None:
    """End the process if the encryption key is the one that is public."""
    if crypt.uses_published_key():
        fail('auth_encryption_key in zun.conf has its published default, '
             'with which anybody can read the passwords of registries. Set '
             'it to 32 random characters, such as those of '
             '"openssl rand -hex 16".')
