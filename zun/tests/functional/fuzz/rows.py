# SPDX-License-Identifier: Apache-2.0
"""What is in the database while requests are fuzzed."""

from zun.common import consts
from zun.db import api as db_api
from zun.tests.unit.api import base

NET = 'de000000-0000-4000-8000-000000000001'
PORT = 'd0000000-0000-4000-8000-000000000001'
VOLUME = 'f0000000-0000-4000-8000-000000000001'
GROUP = '5e000000-0000-4000-8000-000000000001'
PROVIDER = 'af000000-0000-4000-8000-000000000001'
NODE = 'ad000000-0000-4000-8000-000000000001'
IMAGE = 'b1000000-0000-4000-8000-000000000001'
CONTAINER = '0c000000-0000-4000-8000-00000000000%d'
CAPSULE = 'ca000000-0000-4000-8000-000000000001'
REGISTRY = 'e6000000-0000-4000-8000-000000000001'
REQUEST = 'req-00000000-0000-4000-8000-000000000001'

UUIDS = (CONTAINER % 1, CONTAINER % 2, CAPSULE, NODE, IMAGE, REGISTRY, NET,
         PORT, VOLUME, GROUP, base.PROJECT,
         '99999999-0000-4000-8000-000000000000', REQUEST)
NAMES = ('web-1', 'web-2', 'pod-1', 'compute-1', 'reg-1', 'zun-compute',
         'default', 'gone', 'nova')

# Part of a path -> what it may be.
IDENTS = {
    'container_ident': (CONTAINER % 1, 'web-1', CONTAINER % 2),
    'capsule_ident': (CAPSULE, 'pod-1'),
    'host_ident': (NODE, 'compute-1'),
    'image_id': (IMAGE,), 'image': ('nginx',),
    'network_ident': (NET,),
    'project_id': (base.PROJECT, base.OTHER_PROJECT),
    'quota_class_name': ('default', 'gold'),
    'registry_ident': (REGISTRY, 'reg-1'),
    'request_ident': (REQUEST,),
}

# Administrators get furthest.
IDENTITIES = (base.ADMIN,) * 5 + (base.MEMBER,) * 3 + (
    base.OTHER, {'X-Auth-Token': 'user-token'}, {})


def insert(context) -> None:
    """Write the rows."""
    db_api.create_compute_node(context, {
        'uuid': NODE, 'hostname': 'compute-1', 'rp_uuid': PROVIDER,
        'cpus': 8, 'mem_total': 8192, 'mem_free': 8192, 'disk_total': 100})
    db_api.create_zun_service(context, {
        'host': 'compute-1', 'binary': 'zun-compute',
        'availability_zone': 'nova'})
    owner = {'project_id': base.PROJECT, 'user_id': base.USER}
    db_api.pull_image(context, {
        'uuid': IMAGE, 'repo': 'nginx', 'tag': 'latest',
        'host': 'compute-1', **owner})
    db_api.create_registry(context, {
        'uuid': REGISTRY, 'name': 'reg-1', 'domain': 'r.test', **owner})
    db_api.create_network(context, {
        'name': 'net-a', 'neutron_net_id': NET, 'network_id': NET, **owner})
    _insert_containers(context, owner)
    db_api.action_start(context, {
        'action': 'create', 'container_uuid': CONTAINER % 1,
        'request_id': REQUEST, **owner})


def _insert_containers(context, owner: dict) -> None:
    for number, status in ((1, consts.RUNNING), (2, consts.STOPPED)):
        db_api.create_container(context, {
            'uuid': CONTAINER % number, 'name': 'web-%d' % number,
            'container_type': consts.TYPE_CONTAINER, 'host': 'compute-1',
            'status': status, 'image': 'nginx', 'cpu': 1.0,
            'memory': '512', 'disk': 10, 'interactive': True, 'tty': True,
            'container_id': 'pod-of-web-%d' % number,
            'addresses': {NET: [{'addr': '10.0.0.7', 'port': PORT,
                                 'version': 4, 'subnet_id': 's-1',
                                 'preserve_on_delete': False}]},
            'security_groups': [GROUP], **owner})
    capsule = db_api.create_container(context, {
        'uuid': CAPSULE, 'name': 'pod-1', 'host': 'compute-1',
        'container_type': consts.TYPE_CAPSULE, 'status': consts.RUNNING,
        'restart_policy': {'Name': 'always', 'MaximumRetryCount': '0'},
        **owner})
    db_api.create_container(context, {
        'name': 'capsule-pod-1-alpha-1', 'capsule_id': capsule['id'],
        'container_type': consts.TYPE_CAPSULE_CONTAINER,
        'status': consts.RUNNING, 'image': 'nginx', **owner})
