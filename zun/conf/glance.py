# SPDX-License-Identifier: Apache-2.0
"""Options of images that come from the Image service."""

from oslo_config import cfg

glance_group = cfg.OptGroup(
    'glance',
    title='Images of the Image service',
    help='What happens to images of the Image service.')

glance_opts = [
    cfg.StrOpt(
        'images_directory',
        default='$state_path/images',
        help='Directory on a host for image archives on their way into '
             "the node's runtime."),
]


def register_opts(conf):
    conf.register_group(glance_group)
    conf.register_opts(glance_opts, group=glance_group)


def list_opts():
    return {glance_group: glance_opts}
