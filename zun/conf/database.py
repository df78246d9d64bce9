# SPDX-License-Identifier: Apache-2.0
"""Options of the database: oslo.db's and the storage engine."""

from oslo_config import cfg
from oslo_db import options

mysql_opts = [
    cfg.StrOpt(
        'mysql_engine',
        default='InnoDB',
        help='Storage engine of the tables in MySQL and MariaDB.'),
]

# The reference documents mysql_engine under [DEFAULT] and reads it from
# [database]. A file may have it in either; the latter wins.
database_opts = [
    cfg.StrOpt(
        'mysql_engine',
        default='InnoDB',
        deprecated_group='DEFAULT',
        help='Storage engine of the tables in MySQL and MariaDB.'),
]


def register_opts(conf):
    conf.register_opts(mysql_opts)
    conf.register_opts(options.database_opts, group='database')
    conf.register_opts(database_opts, group='database')


def list_opts():
    # oslo.db lists its own.
    return {'DEFAULT': mysql_opts}
