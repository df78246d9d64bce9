# SPDX-License-Identifier: Apache-2.0
"""Options of sandboxes, which Kubernetes makes by itself.

All are accepted so that configuration files of older releases keep working.
"""

from oslo_config import cfg

_UNUSED = "Unused: the nodes' runtime makes the sandbox of a Pod."

sandbox_opts = [
    cfg.StrOpt('sandbox_image', default='kubernetes/pause', help=_UNUSED),
    cfg.StrOpt('sandbox_image_driver', default='docker', help=_UNUSED),
    cfg.StrOpt('sandbox_image_pull_policy', default='ifnotpresent',
               help=_UNUSED),
]


def register_opts(conf):
    conf.register_opts(sandbox_opts)


def list_opts():
    return {'DEFAULT': sandbox_opts}
