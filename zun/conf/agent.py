# SPDX-License-Identifier: Apache-2.0
"""Options of zun-compute-agent, which runs on each node."""

from oslo_config import cfg

agent_group = cfg.OptGroup(
    'agent',
    title='Agent of a node',
    help='How zun-compute-agent reaches the container runtime of its node. '
         'The name of the node is [DEFAULT] host.')

agent_opts = [
    cfg.StrOpt(
        'runtime',
        default='containerd',
        help='The container runtime of the node: a name of the entry point '
             'group zun.container.runtime.'),
    cfg.StrOpt(
        'runtime_endpoint',
        default='unix:///run/containerd/containerd.sock',
        help='The socket on which the container runtime listens.'),
    cfg.StrOpt(
        'state_path',
        default='/var/lib/zun/agent',
        help='Directory of the node in which the agent keeps the logs of '
             'former runs, and when it has to kill what is being stopped. '
             'It has to outlive the agent.'),
    cfg.IntOpt(
        'kept_layers_size',
        default=0,
        min=0,
        help='MiB that the kept layers of stopped containers may take on '
             'this node, 0 for no limit. Beyond it the oldest is removed, '
             'never one of a container that runs: what that container has '
             'written is lost, and its status_reason says so. The disk '
             'that containers claim in Placement bounds them as well.'),
    cfg.IntOpt(
        'kept_logs_size',
        default=10,
        min=0,
        help='MiB of logs of former runs kept for each container. Beyond it '
             'the oldest run is removed, never the latest one.'),
    cfg.IntOpt(
        'tidy_interval',
        default=10,
        min=1,
        help='Seconds between two looks for layers and logs that are no '
             'longer needed.'),
]

stream_opts = [
    cfg.StrOpt(
        'stream_host',
        default='0.0.0.0',  # nosec B104
        help='Address on which the agent answers zun-api and zun-compute: '
             'logs of one stream and of former runs, files of containers '
             'that do not run or have no tar, processes and figures. '
             'It is reached at the node\'s InternalIP.'),
    cfg.PortOpt(
        'stream_port',
        default=9519,
        help='Port for it, on all nodes the same; 0: none. Without it '
             'containers are asked through Kubernetes, as far as that '
             'goes.'),
    cfg.StrOpt(
        'stream_cert_file',
        help='Certificate of the agent, for the name of its node.'),
    cfg.StrOpt(
        'stream_key_file',
        help='Key of stream_cert_file.'),
    cfg.StrOpt(
        'stream_ca_file',
        help='Certificates that sign those of both sides: the agent speaks '
             'to nobody without one. Use an authority of this deployment '
             'alone.'),
    cfg.StrOpt(
        'stream_client_cert_file',
        help='Certificate with which zun-api and zun-compute ask agents. '
             'Empty: they do not.'),
    cfg.StrOpt(
        'stream_client_key_file',
        help='Key of stream_client_cert_file.'),
]

ALL_OPTS = agent_opts + stream_opts


def register_opts(conf):
    conf.register_group(agent_group)
    conf.register_opts(ALL_OPTS, group=agent_group)


def list_opts():
    return {agent_group: ALL_OPTS}
