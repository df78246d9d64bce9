# SPDX-License-Identifier: Apache-2.0
"""Options of registries, and those of the Docker driver of old.

Only ``default_registry``, its user and password, ``execute_timeout`` and
``default_timeout`` still mean something.
"""

from oslo_config import cfg

docker_group = cfg.OptGroup(
    'docker',
    title='Registry and timeouts',
    help='The default registry. The other options reached a Docker daemon '
         'in older releases; they are accepted and have no effect.')

_UNUSED = 'Unused: no Docker daemon takes part.'

registry_opts = [
    cfg.StrOpt(
        'default_registry',
        help='Registry of images whose name holds no registry. Empty: '
             "Docker Hub, or what the nodes' runtime is set to."),
    cfg.StrOpt(
        'default_registry_username',
        help='User at default_registry.'),
    cfg.StrOpt(
        'default_registry_password',
        help='Password at default_registry.'),
    cfg.IntOpt(
        'default_timeout',
        default=60,
        help='Seconds to wait for an answer of a registry.'),
    cfg.IntOpt(
        'execute_timeout',
        default=5,
        help='Seconds that a command run in a container through the API '
             'may take.'),
]

unused_opts = [
    cfg.StrOpt('docker_remote_api_version', default='1.40', help=_UNUSED),
    cfg.StrOpt('docker_remote_api_host', default='$my_ip', help=_UNUSED),
    cfg.StrOpt('docker_remote_api_port', default='2375', help=_UNUSED),
    cfg.StrOpt(
        'docker_remote_api_url',
        default='tcp://$docker_remote_api_host:$docker_remote_api_port',
        help=_UNUSED),
    cfg.StrOpt('api_url', default='unix:///var/run/docker.sock',
               help=_UNUSED),
    cfg.BoolOpt('api_insecure', default=False, help=_UNUSED),
    cfg.StrOpt('ca_file', help=_UNUSED),
    cfg.StrOpt('cert_file', help=_UNUSED),
    cfg.StrOpt('key_file', help=_UNUSED),
    cfg.StrOpt(
        'docker_data_root',
        default='/var/lib/docker',
        deprecated_for_removal=True,
        deprecated_reason='No Docker daemon takes part.',
        help=_UNUSED),
]

ALL_OPTS = registry_opts + unused_opts


def register_opts(conf):
    conf.register_group(docker_group)
    conf.register_opts(ALL_OPTS, group=docker_group)


def list_opts():
    return {docker_group: ALL_OPTS}
