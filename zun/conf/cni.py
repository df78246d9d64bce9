# SPDX-License-Identifier: Apache-2.0
"""Options of zun-cni-daemon."""

from oslo_config import cfg

from zun.conf import agent

cni_daemon_group = cfg.OptGroup(
    'cni_daemon',
    title='CNI daemon',
    help='How zun-cni-daemon plugs containers into their ports.')

# What this release adds.
agent_opts = [
    cfg.StrOpt(
        'cni_socket',
        default='/run/zun/cni.sock',
        help='Unix socket on which zun-cni asks the daemon. The CNI '
             'configuration names it too, if it is another one.'),
    cfg.StrOpt(
        'cni_state_path',
        default='/var/lib/zun/cni',
        help='Folder that keeps what is plugged on this node. It must '
             'outlive the node\'s restart.'),
    cfg.FloatOpt(
        'cni_pod_timeout',
        default=10,
        min=0,
        help='Seconds to wait for a Pod that the container runtime knows '
             'sooner than the daemon.'),
    cfg.FloatOpt(
        'cni_sweep_interval',
        default=60,
        min=1,
        help='Seconds between two looks for sandboxes that are gone and '
             'were not unplugged.'),
    cfg.FloatOpt(
        'cni_retry_interval',
        default=2,
        min=0.1,
        help='Seconds after which an interface is plugged into a running '
             'container anew when that has failed.'),
]

cni_daemon_opts = [
    cfg.IPOpt(
        'cni_daemon_host',
        default='127.0.0.1',
        help='Unused: the daemon listens on a socket of the node, see '
             '[agent] cni_socket. Accepted so that configuration files of '
             'older releases keep working.'),
    cfg.PortOpt(
        'cni_daemon_port',
        default=9036,
        help='Unused: see cni_daemon_host.'),
    cfg.IntOpt(
        'worker_num',
        default=30,
        help='Requests that the daemon serves at the same time.'),
    cfg.IntOpt(
        'vif_active_timeout',
        default=60,
        help='Seconds to wait until packets pass through a port that was '
             'plugged. The runtime is then told to try again.'),
    cfg.IntOpt(
        'pyroute2_timeout',
        default=10,
        help='Unused: an interface is there when the kernel answers.'),
    cfg.BoolOpt(
        'docker_mode',
        default=False,
        help='Unused: zun-cni hands the network namespace over as an open '
             'file.'),
    cfg.StrOpt(
        'netns_proc_dir',
        help='Unused: see docker_mode.'),
    cfg.StrOpt(
        'zun_cni_config_file',
        default='/etc/cni/net.d/10-zun-cni.conf',
        help='Unused: the CNI configuration of the runtime class is the '
             'operator\'s, see etc/zun/kubernetes/cni.yaml.'),
    cfg.DictOpt(
        'sriov_physnet_resource_mappings',
        default={},
        help='Unused: devices are claimed as [pci] passthrough_whitelist '
             'says, and moved into the container.'),
    cfg.DictOpt(
        'sriov_resource_driver_mappings',
        default={},
        help='Unused: see sriov_physnet_resource_mappings.'),
]


def register_opts(conf):
    conf.register_group(cni_daemon_group)
    conf.register_opts(cni_daemon_opts, group=cni_daemon_group)
    conf.register_opts(agent_opts, group=agent.agent_group)


def list_opts():
    return {cni_daemon_group: cni_daemon_opts,
            agent.agent_group: agent_opts}
