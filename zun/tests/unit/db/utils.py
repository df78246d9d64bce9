# SPDX-License-Identifier: Apache-2.0
"""Rows to test with.

``get_test_X(**changes)`` returns the values of a row, ``create_test_X``
inserts it and returns it.  The values are complete and fixed, so that a test
names only what it is about; a uuid in ``changes`` keeps rows apart.
"""

import datetime
from typing import Any

from oslo_utils import uuidutils

from zun.common import context as zun_context
from zun.db import api as dbapi

PROJECT = 'a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1'
OTHER_PROJECT = 'b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2'
USER = 'd4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4'

UUID = '0c000000-0000-4000-8000-000000000001'
NODE_UUID = 'ad000000-0000-4000-8000-000000000001'
PROVIDER_UUID = 'af000000-0000-4000-8000-000000000001'
CINDER_UUID = 'f0000000-0000-4000-8000-000000000001'
NETWORK_UUID = 'de000000-0000-4000-8000-000000000001'

Row = dict[str, Any]


def member(**kwargs: Any) -> zun_context.RequestContext:
    """Return the context of an ordinary user of PROJECT."""
    return zun_context.RequestContext(**{
        'project_id': PROJECT, 'user_id': USER, 'is_admin': False,
        'request_id': 'req-1', **kwargs})


def admin(all_projects: bool = True) -> zun_context.RequestContext:
    """Return the context of an administrator who sees all projects."""
    return zun_context.RequestContext(
        project_id=OTHER_PROJECT, user_id=USER, is_admin=True,
        all_projects=all_projects)


def get_test_container(**changes: Any) -> Row:
    return {
        'uuid': uuidutils.generate_uuid(),
        'container_id': 'zun-1',
        'name': 'web-1',
        'project_id': PROJECT,
        'user_id': USER,
        'image': 'nginx:1.25',
        'cpu': 1.5,
        'cpu_policy': 'shared',
        'cpuset': {'cpuset_cpus': [0, 1], 'cpuset_mems': [0]},
        'memory': '512',
        'command': ['serve', '--now'],
        'status': 'Running',
        'status_reason': 'none',
        'task_state': 'container_creating',
        'environment': {'A': 'b'},
        'workdir': '/srv',
        'auto_remove': True,
        'ports': [80, 443],
        'hostname': 'box',
        'labels': {'app': 'x'},
        'addresses': {NETWORK_UUID: [{
            'addr': '10.0.0.5', 'version': 4, 'port': UUID,
            'subnet_id': NETWORK_UUID, 'preserve_on_delete': False}]},
        'image_pull_policy': 'always',
        'host': 'compute-1',
        'restart_policy': {'Name': 'no', 'MaximumRetryCount': '0'},
        'status_detail': 'Up 5 hours',
        'interactive': True,
        'tty': True,
        'image_driver': 'glance',
        'websocket_url': 'ws://192.0.2.1',
        'websocket_token': 'token-1',
        'security_groups': ['default'],
        'runtime': 'kata',
        'disk': 20,
        'auto_heal': True,
        'capsule_id': None,
        'started_at': datetime.datetime(2026, 1, 2, 3, 4, 5),
        'privileged': False,
        'healthcheck': {'test': 'true', 'interval': 3},
        'exposed_ports': {'80/tcp': {}},
        'registry_id': None,
        'container_type': 0,
        'annotations': {'note': 'x'},
        'cni_metadata': {'vif': 'y'},
        'entrypoint': ['/init'],
        **changes}


def create_test_container(context: Any = None, **changes: Any) -> Row:
    return dbapi.create_container(context, get_test_container(**changes))


def create_test_capsule(context: Any = None, **changes: Any) -> Row:
    return create_test_container(context, **{
        'name': 'pod-1', 'container_type': 1, **changes})


def get_test_exec_instance(**changes: Any) -> Row:
    return {'container_id': 1, 'exec_id': 'exec-1', 'token': 'token-1',
            'url': 'tcp://192.0.2.10:2375', **changes}


def create_test_exec_instance(context: Any = None, **changes: Any) -> Row:
    return dbapi.create_exec_instance(context,
                                      get_test_exec_instance(**changes))


def get_test_volume(**changes: Any) -> Row:
    return {
        'uuid': uuidutils.generate_uuid(),
        'project_id': PROJECT,
        'user_id': USER,
        'cinder_volume_id': CINDER_UUID,
        'volume_provider': 'cinder',
        'connection_info': '{"driver_volume_type": "iscsi"}',
        'host': 'compute-1',
        'auto_remove': True,
        'contents': None,
        **changes}


def create_test_volume(context: Any = None, **changes: Any) -> Row:
    return dbapi.create_volume(context, get_test_volume(**changes))


def get_test_volume_mapping(**changes: Any) -> Row:
    return {
        'uuid': uuidutils.generate_uuid(),
        'project_id': PROJECT,
        'user_id': USER,
        'volume_id': 1,
        'container_path': '/data',
        'container_uuid': UUID,
        **changes}


def create_test_volume_mapping(context: Any = None, **changes: Any) -> Row:
    return dbapi.create_volume_mapping(context,
                                       get_test_volume_mapping(**changes))


def get_test_image(**changes: Any) -> Row:
    return {
        'uuid': uuidutils.generate_uuid(),
        'project_id': PROJECT,
        'user_id': USER,
        'image_id': 'sha256:1',
        'repo': 'nginx',
        'tag': '1.25',
        'size': '5m',
        'host': 'compute-1',
        **changes}


def create_test_image(context: Any = None, **changes: Any) -> Row:
    return dbapi.pull_image(context, get_test_image(**changes))


def get_test_registry(**changes: Any) -> Row:
    return {
        'uuid': uuidutils.generate_uuid(),
        'project_id': PROJECT,
        'user_id': USER,
        'name': 'reg-1',
        'domain': 'r1.test',
        'username': 'user1',
        'password': None,
        **changes}


def create_test_registry(context: Any = None, **changes: Any) -> Row:
    return dbapi.create_registry(context, get_test_registry(**changes))


def get_test_network(**changes: Any) -> Row:
    return {
        'uuid': uuidutils.generate_uuid(),
        'project_id': PROJECT,
        'user_id': USER,
        'name': 'net-a',
        'network_id': 'net-on-host-1',
        'neutron_net_id': NETWORK_UUID,
        'host': 'compute-1',
        **changes}


def create_test_network(context: Any = None, **changes: Any) -> Row:
    return dbapi.create_network(context, get_test_network(**changes))


def get_test_numa_topology(pinned: tuple[int, ...] = ()) -> Row:
    return {'nodes': [{'id': 0, 'cpuset': [0, 1, 2, 3],
                       'pinned_cpus': list(pinned),
                       'mem_total': 16384, 'mem_available': 16384}]}


def get_test_compute_node(**changes: Any) -> Row:
    return {
        'uuid': NODE_UUID,
        'rp_uuid': PROVIDER_UUID,
        'hostname': 'compute-1',
        'numa_topology': get_test_numa_topology(),
        'mem_total': 16384,
        'mem_free': 8192,
        'mem_available': 8192,
        'mem_used': 8192,
        'total_containers': 4,
        'running_containers': 1,
        'paused_containers': 1,
        'stopped_containers': 2,
        'cpus': 8,
        'cpu_used': 1.5,
        'architecture': 'x86_64',
        'os_type': 'linux',
        'os': 'Debian',
        'kernel_version': '6.1.0',
        'labels': {'zone': 'a'},
        'pci_stats': None,
        'disk_total': 100,
        'disk_used': 20,
        'disk_quota_supported': True,
        'runtimes': ['runc', 'kata'],
        'enable_cpu_pinning': False,
        **changes}


def create_test_compute_node(context: Any = None, **changes: Any) -> Row:
    return dbapi.create_compute_node(context,
                                     get_test_compute_node(**changes))


def get_test_pci_device(**changes: Any) -> Row:
    return {
        'compute_node_uuid': NODE_UUID,
        'address': '0000:0a:00.1',
        'vendor_id': '8086',
        'product_id': '1520',
        'dev_type': 'VF',
        'dev_id': 'pci_0000_0a_00_1',
        'label': 'label_8086_1520',
        'status': 'available',
        'request_id': None,
        'extra_info': {'key': 'value'},
        'container_uuid': None,
        'numa_node': 0,
        'parent_addr': '0000:0a:00.0',
        **changes}


def create_test_pci_device(context: Any = None, **changes: Any) -> Row:
    values = get_test_pci_device(**changes)
    return dbapi.update_pci_device(context, values['compute_node_uuid'],
                                   values['address'], values)


def get_test_service(**changes: Any) -> Row:
    return {
        'host': 'compute-1',
        'binary': 'zun-compute',
        'disabled': False,
        'disabled_reason': None,
        'last_seen_up': datetime.datetime(2026, 1, 2, 3, 4, 5),
        'forced_down': False,
        'report_count': 13,
        'availability_zone': 'nova',
        **changes}


def create_test_service(context: Any = None, **changes: Any) -> Row:
    return dbapi.create_zun_service(context, get_test_service(**changes))


def get_test_resource_provider(**changes: Any) -> Row:
    return {
        'uuid': PROVIDER_UUID,
        'name': 'compute-1',
        'root_provider': PROVIDER_UUID,
        'parent_provider': None,
        'can_host': 1,
        **changes}


def create_test_resource_provider(context: Any = None,
                                  **changes: Any) -> Row:
    return dbapi.create_resource_provider(
        context, get_test_resource_provider(**changes))


def get_test_resource_class(**changes: Any) -> Row:
    return {'uuid': uuidutils.generate_uuid(), 'name': 'VCPU', **changes}


def create_test_resource_class(context: Any = None, **changes: Any) -> Row:
    return dbapi.create_resource_class(context,
                                       get_test_resource_class(**changes))


def create_test_action(context: Any = None, **changes: Any) -> Row:
    return dbapi.action_start(context, {
        'action': 'start', 'container_uuid': UUID, 'request_id': 'req-1',
        'user_id': USER, 'project_id': PROJECT, **changes})
