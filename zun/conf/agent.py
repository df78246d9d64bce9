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
]


def register_opts(conf):
    conf.register_group(agent_group)
    conf.register_opts(agent_opts, group=agent_group)


def list_opts():
    return {agent_group: agent_opts}
