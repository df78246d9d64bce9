# SPDX-License-Identifier: Apache-2.0
"""Options of zun-cni-daemon."""

from oslo_config import cfg

cni_daemon_group = cfg.OptGroup(
    'cni_daemon',
    title='CNI daemon',
    help='How zun-cni-daemon plugs containers into their ports.')

cni_daemon_opts = [
    cfg.IPOpt(
        'cni_daemon_host',
        default='127.0.0.1',
        help='Address that the daemon listens on for zun-cni.'),
    cfg.PortOpt(
        'cni_daemon_port',
        default=9036,
        help='Port that the daemon listens on for zun-cni.'),
    cfg.IntOpt(
        'worker_num',
        default=30,
        help='Requests that the daemon serves at the same time.'),
    cfg.IntOpt(
        'vif_active_timeout',
        default=60,
        help='Seconds to wait until the Networking service reports a '
             'plugged port as active.'),
    cfg.IntOpt(
        'pyroute2_timeout',
        default=10,
        help='Seconds to wait for the kernel to show a new interface.'),
    cfg.BoolOpt(
        'docker_mode',
        default=False,
        help='Set where the daemon runs in a container and sees the '
             'network namespaces of the host under netns_proc_dir only.'),
    cfg.StrOpt(
        'netns_proc_dir',
        help='Directory under which the /proc of the host is mounted into '
             "the daemon's own container."),
    cfg.StrOpt(
        'zun_cni_config_file',
        default='/etc/cni/net.d/10-zun-cni.conf',
        help='The CNI configuration that the daemon writes for the '
             'container runtime.'),
    cfg.DictOpt(
        'sriov_physnet_resource_mappings',
        default={},
        help='Physical networks and the resource names of their SR-IOV '
             'devices, as PHYSNET:RESOURCE pairs.'),
    cfg.DictOpt(
        'sriov_resource_driver_mappings',
        default={},
        help='Resource names of SR-IOV devices and the drivers that serve '
             'them, as RESOURCE:DRIVER pairs.'),
]


def register_opts(conf):
    conf.register_group(cni_daemon_group)
    conf.register_opts(cni_daemon_opts, group=cni_daemon_group)


def list_opts():
    return {cni_daemon_group: cni_daemon_opts}
