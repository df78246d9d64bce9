# SPDX-License-Identifier: Apache-2.0
"""Options of the Kubernetes cluster that runs the containers."""

from oslo_config import cfg

kubernetes_group = cfg.OptGroup(
    'kubernetes',
    title='Kubernetes',
    help='How to reach the cluster and how containers are placed on it.')

connection_opts = [
    cfg.StrOpt(
        'kubeconfig',
        help='Path of a kubeconfig file. Empty: the service account of '
             'the Pod that this service runs in, or the server named by '
             'api_server.'),
    cfg.StrOpt(
        'context',
        help='Context of the kubeconfig file. Empty: its current one.'),
    cfg.URIOpt(
        'api_server',
        schemes=['http', 'https'],
        help='Address of the API server where no kubeconfig is used.'),
    cfg.StrOpt(
        'ca_file',
        help='Certificates that sign the API server\'s one. Overrides '
             'the kubeconfig.'),
    cfg.StrOpt(
        'cert_file',
        help='Client certificate. Overrides the kubeconfig.'),
    cfg.StrOpt(
        'key_file',
        help='Key of the client certificate. Overrides the kubeconfig.'),
    cfg.StrOpt(
        'token_file',
        help='File with a bearer token, read again for each request.'),
    cfg.BoolOpt(
        'insecure',
        default=False,
        help='Do not verify the API server\'s certificate. For tests.'),
    cfg.IntOpt(
        'connect_timeout',
        default=5,
        min=1,
        help='Seconds to wait for a connection to the API server.'),
    cfg.IntOpt(
        'request_timeout',
        default=30,
        min=1,
        help='Seconds to wait for the answer to one request.'),
    cfg.IntOpt(
        'pool_size',
        default=32,
        min=1,
        help='Connections to the API server kept open by one process.'),
    cfg.IntOpt(
        'watch_timeout',
        default=300,
        min=10,
        help='Seconds after which a watch is asked for anew.'),
]

placement_opts = [
    cfg.StrOpt(
        'namespace_prefix',
        default='zun-',
        regex='^[a-z0-9]([-a-z0-9]*)$',
        max_length=24,
        help='A project\'s containers live in the namespace of this '
             'prefix and the project\'s id.'),
    cfg.StrOpt(
        'service_namespace',
        default='zun-system',
        help='Namespace of the Leases that zun-compute uses to choose '
             'who watches.'),
    cfg.StrOpt(
        'lease_name',
        default='zun-compute',
        help='Name of the Lease. Deployments that share a cluster need '
             'different names and namespace prefixes.'),
    cfg.IntOpt(
        'lease_duration',
        default=15,
        min=3,
        max=15,
        help='Seconds without renewal after which another zun-compute '
             'takes the Lease over.'),
    cfg.StrOpt(
        'pod_security_level',
        default='baseline',
        choices=['privileged', 'baseline', 'restricted'],
        help='Pod Security level enforced in the projects\' namespaces. '
             'Privileged containers need "privileged".'),
    cfg.DictOpt(
        'namespace_quota',
        default={},
        help='Hard limits of a ResourceQuota made in each project\'s '
             'namespace, for instance pods:100,requests.cpu:40.'),
    cfg.DictOpt(
        'namespace_role_bindings',
        default={},
        help='RoleBindings made in each project\'s namespace: the '
             'ClusterRole and the service account that gets it there, for '
             'instance zun-wsproxy:zun-system/zun-wsproxy. So zun-api and '
             'zun-wsproxy need no rights in the rest of the cluster; see '
             'etc/zun/kubernetes/rbac.yaml.'),
    cfg.StrOpt(
        'runtime_class',
        default='kata',
        help='RuntimeClass of containers that ask for no runtime. Empty: '
             'the node\'s default runtime.'),
    cfg.ListOpt(
        'privileged_runtime_classes',
        default=[],
        help='RuntimeClasses on which privileged containers may run.'),
    cfg.ListOpt(
        'cold_plug_runtime_classes',
        default=['kata'],
        help='RuntimeClasses whose sandboxes take no further network '
             'interface while they run. To attach or detach a network, a '
             'container on one of them is stopped and runs again from '
             'its layer.'),
    cfg.StrOpt(
        'multus_network',
        help='NetworkAttachmentDefinition of zun-cni as '
             'NAMESPACE/NAME, where Multus gives Pods their networks. '
             'Containers then get it in place of the cluster\'s own '
             'network.'),
    cfg.StrOpt(
        'image_registry',
        help='Registry that committed images and images of Glance are '
             'pushed to, with a path or not: host[:port][/path]. The user '
             'and password of [docker] default_registry count for it if '
             'it is the same. Empty: committed images go to Glance, and '
             'images of Glance are imported into the nodes that need '
             'them.'),
]

registry_opts = [
    cfg.ListOpt(
        'insecure_registries',
        default=[],
        help='Registries, host[:port], that Zun asks without TLS or '
             'without looking at the certificate, and that may be on this '
             'machine itself. The nodes\' runtime has a setting of its '
             'own for them.'),
    cfg.DictOpt(
        'registry_mirrors',
        default={},
        help='Which host[:port] to ask in place of a registry, for '
             'instance docker.io:mirror.example.org:5000, as the nodes\' '
             'runtime is set to.'),
    cfg.StrOpt(
        'registry_ca_file',
        help='Certificates that sign those of registries. Empty: the '
             'system\'s.'),
    cfg.IntOpt(
        'max_image_size',
        default=20 * 1024 * 1024 * 1024,
        min=1024,
        help='Bytes of an image archive of Glance that a node takes at '
             'most.'),
]

lifecycle_opts = [
    cfg.IntOpt(
        'start_timeout',
        default=600,
        min=1,
        help='Seconds within which a container must run once its start '
             'was asked for, the pull of its image included.'),
    cfg.IntOpt(
        'start_wait',
        default=20,
        min=1,
        help='Seconds that a worker waits for a start before it turns '
             'to other tasks and looks again later.'),
    cfg.IntOpt(
        'unschedulable_timeout',
        default=30,
        min=0,
        help='Seconds for which a node may lack room for a container '
             'before the container goes to Error.'),
    cfg.IntOpt(
        'image_pull_timeout',
        default=60,
        min=0,
        help='Seconds for which pulls may fail for a reason that can '
             'pass (registry away) before the container goes to Error. '
             'An image that does not exist is reported at once.'),
    cfg.IntOpt(
        'stop_timeout',
        default=10,
        min=1,
        help='Seconds between the signal to end and the kill where the '
             'request names none.'),
    cfg.IntOpt(
        'delete_timeout',
        default=60,
        min=1,
        help='Seconds to wait for a Pod to go before its node is taken '
             'for dead and the Pod is removed without it.'),
    cfg.IntOpt(
        'kept_generations',
        default=1,
        min=0,
        help='Ended Pods of a container kept for their logs beside the '
             'newest one, where no agent saves the logs.'),
    cfg.IntOpt(
        'terminal_lifetime',
        default=600,
        min=1,
        help='Seconds within which the WebSocket of an attach or an '
             'interactive exec must be opened; its token opens one.'),
    cfg.IntOpt(
        'max_log_size',
        default=16 * 1024 * 1024,
        min=1024,
        help='Bytes of log output returned at most, the newest ones.'),
    cfg.IntOpt(
        'max_output_size',
        default=16 * 1024 * 1024,
        min=1024,
        help='Bytes of an exec\'s output returned at most.'),
    cfg.IntOpt(
        'max_archive_size',
        default=256 * 1024 * 1024,
        min=1024,
        help='Bytes of a tar archive taken from or put into a container '
             'at most.'),
]

ALL_OPTS = (connection_opts + placement_opts + registry_opts +
            lifecycle_opts)


def register_opts(conf):
    conf.register_group(kubernetes_group)
    conf.register_opts(ALL_OPTS, group=kubernetes_group)


def list_opts():
    return {kubernetes_group: ALL_OPTS}
