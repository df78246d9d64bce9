# SPDX-License-Identifier: Apache-2.0
"""Options of the REST API."""

from oslo_config import cfg

api_group = cfg.OptGroup(
    'api',
    title='REST API',
    help='Where zun-api listens and what it accepts.')

api_opts = [
    cfg.PortOpt(
        'port',
        default=9517,
        help='Port that zun-api listens on.'),
    cfg.IPOpt(
        'host_ip',
        default='$my_ip',
        help='Address that zun-api listens on.'),
    cfg.BoolOpt(
        'enable_ssl_api',
        default=False,
        help='Serve the API over TLS, with the files named in [ssl].'),
    cfg.IntOpt(
        'workers',
        help='Number of worker processes. Empty: one for each processor.'),
    cfg.IntOpt(
        'max_limit',
        default=1000,
        help='Most resources that one answer to a list request holds. A '
             'request for more, or for no certain number, gets this many '
             'and a link to the next page.'),
    cfg.StrOpt(
        'api_paste_config',
        default='api-paste.ini',
        help='The file that describes the WSGI pipeline: an absolute path, '
             'or a name looked for in the directories of the configuration '
             'files.'),
    cfg.BoolOpt(
        'enable_image_validation',
        default=False,
        help='Look the image of a new container up in the registry or in '
             'the Image service before the request is accepted.'),
]


def register_opts(conf):
    conf.register_group(api_group)
    conf.register_opts(api_opts, group=api_group)


def list_opts():
    return {api_group: api_opts}
