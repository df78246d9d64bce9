# SPDX-License-Identifier: Apache-2.0
"""Options of directories, and functions that build paths on them."""

import os
import pathlib

from oslo_config import cfg

path_opts = [
    cfg.StrOpt(
        'pybasedir',
        default=str(pathlib.Path(__file__).parents[1]),
        help='Directory of the installed package.'),
    cfg.StrOpt(
        'bindir',
        default='$pybasedir/bin',
        help='Directory of the executables.'),
    cfg.StrOpt(
        'state_path',
        default='$pybasedir',
        help='Directory for what a service keeps on disk. Set it to a '
             'directory that the service may write to, such as '
             '/var/lib/zun.'),
]


def state_path_def(*parts: str) -> str:
    """Return a path below ``state_path``, to be a default of an option."""
    return os.path.join('$state_path', *parts)


def register_opts(conf):
    conf.register_opts(path_opts)


def list_opts():
    return {'DEFAULT': path_opts}
