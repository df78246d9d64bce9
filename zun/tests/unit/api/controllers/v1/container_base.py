# SPDX-License-Identifier: Apache-2.0
"""Base of the tests of /v1/containers."""

from oslo_utils import uuidutils

from zun.common import consts
from zun.db import api as db_api
from zun.tests.unit.api import base

NODE = 'ad000000-0000-4000-8000-000000000001'
PROVIDER = 'af000000-0000-4000-8000-000000000001'
NET = 'de000000-0000-4000-8000-000000000001'
PORT = 'd0000000-0000-4000-8000-000000000001'
GROUP = '5e000000-0000-4000-8000-000000000001'

ADDRESSES = {NET: [{'addr': '10.0.0.7', 'port': PORT, 'version': 4,
                    'subnet_id': 's-1', 'preserve_on_delete': False}]}


class ContainersTestCase(base.ApiTestCase):
    """One container, `web`, on a host that is up unless told otherwise."""

    def setUp(self) -> None:
        super().setUp()
        db_api.create_zun_service(self.context, {
            'host': 'compute-1', 'binary': 'zun-compute',
            'availability_zone': 'nova'})

    def create(self, name: str = 'web', **values) -> dict:
        """Write a container's row."""
        return db_api.create_container(self.context, {
            'uuid': uuidutils.generate_uuid(), 'name': name,
            'container_type': consts.TYPE_CONTAINER, 'image': 'nginx',
            'status': consts.RUNNING, 'host': 'compute-1',
            'project_id': base.PROJECT, 'user_id': base.USER,
            'cpu': 1.0, 'memory': '512', 'disk': 0, **values})

    def rows(self) -> list[dict]:
        """The containers, whose ever they are."""
        return db_api.list_containers(self.context, consts.TYPE_CONTAINER)

    def row(self) -> dict:
        """The only container."""
        row, = self.rows()
        return row

    def actions(self, row: dict) -> list[str]:
        """The recorded actions of a container, oldest first."""
        return [action['action'] for action in
                reversed(db_api.actions_get(self.context, row['uuid']))]
