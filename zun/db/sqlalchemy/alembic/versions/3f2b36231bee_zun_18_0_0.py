# SPDX-License-Identifier: Apache-2.0
"""The schema of Zun 18.0.0, whose last revision has this identifier.

A database that Zun 18.0.0 made is at this revision already, so that nothing
is done to it.  The columns are in the order, and of the lengths, in which the
migrations of that release leave them.  What differs between databases:

- MySQL and MariaDB make an index for each foreign key, named like its column;
  elsewhere one is made here.
- PostgreSQL wants a name of its own for each constraint of a schema.
- quota_usages has no primary key in MySQL and MariaDB.
"""

from typing import Any

from alembic import op
from oslo_config import cfg
import sqlalchemy as sa
from sqlalchemy.dialects import mysql

revision = '3f2b36231bee'
down_revision = None

CONF = cfg.CONF


def _medium_text() -> Any:
    return sa.Text().with_variant(mysql.MEDIUMTEXT(), 'mysql', 'mariadb')


def _is_mysql() -> bool:
    return op.get_bind().dialect.name in ('mysql', 'mariadb')


def _times() -> list[sa.Column]:
    return [sa.Column('created_at', sa.DateTime, nullable=True),
            sa.Column('updated_at', sa.DateTime, nullable=True)]


def _id() -> sa.Column:
    return sa.Column('id', sa.Integer, primary_key=True, nullable=False)


def _text(*names: str, length: int = 255) -> list[sa.Column]:
    return [sa.Column(name, sa.String(length), nullable=True)
            for name in names]


def _number(*names: str) -> list[sa.Column]:
    return [sa.Column(name, sa.Integer, nullable=False) for name in names]


def _create(name: str, *parts: Any) -> None:
    op.create_table(name, *parts,
                    mysql_engine=CONF.database.mysql_engine)


def _index_foreign_keys(table: str, *columns: str) -> None:
    if not _is_mysql():
        for column in columns:
            op.create_index('ix_%s_%s' % (table, column), table, [column])


def upgrade() -> None:
    _create_registry()
    _create_container()
    _create_actions()
    _create_exec_instance()
    _create_volumes()
    _create_image()
    _create_network()
    _create_compute_node()
    _create_pci_device()
    _create_zun_service()
    _create_quotas()
    _create_resource_providers()
    _create_inventories()


def _create_registry() -> None:
    _create(
        'registry', *_times(), _id(), *_text('project_id', 'user_id'),
        *_text('uuid', length=36), *_text('name'),
        sa.Column('domain', sa.String(255), nullable=False),
        *_text('username', 'password'),
        sa.UniqueConstraint('uuid', name='uniq_registry0uuid'))


def _create_container() -> None:
    _create(
        'container', *_times(), _id(), *_text('project_id', 'user_id'),
        *_text('uuid', length=36), *_text('name', 'image'),
        sa.Column('command', sa.Text, nullable=True),
        *_text('status', length=20),
        sa.Column('environment', sa.Text, nullable=True),
        *_text('container_id', 'memory'), *_text('task_state', length=20),
        sa.Column('cpu', sa.Float, nullable=True), *_text('workdir'),
        sa.Column('ports', sa.Text, nullable=True), *_text('hostname'),
        sa.Column('labels', sa.Text, nullable=True),
        sa.Column('status_reason', sa.Text, nullable=True),
        sa.Column('image_pull_policy', sa.Text, nullable=True),
        sa.Column('addresses', sa.Text, nullable=True), *_text('host'),
        sa.Column('restart_policy', sa.Text, nullable=True),
        *_text('status_detail', length=50),
        sa.Column('image_driver', sa.Text, nullable=True),
        sa.Column('interactive', sa.Boolean, nullable=True),
        *_text('websocket_url', 'websocket_token'),
        sa.Column('security_groups', sa.Text, nullable=True),
        sa.Column('auto_remove', sa.Boolean, nullable=True),
        *_text('runtime', length=32),
        sa.Column('disk', sa.Integer, nullable=True),
        sa.Column('auto_heal', sa.Boolean, nullable=True),
        sa.Column('capsule_id', sa.Integer, nullable=True),
        sa.Column('started_at', sa.DateTime, nullable=True),
        sa.Column('privileged', sa.Boolean, nullable=True),
        sa.Column('healthcheck', sa.Text, nullable=True),
        sa.Column('exposed_ports', sa.Text, nullable=True),
        *_text('cpu_policy'), sa.Column('cpuset', sa.Text, nullable=True),
        sa.Column('registry_id', sa.Integer, nullable=True),
        sa.Column('container_type', sa.Integer, nullable=True,
                  server_default='0'),
        sa.Column('tty', sa.Boolean, nullable=True),
        sa.Column('annotations', _medium_text(), nullable=True),
        sa.Column('cni_metadata', _medium_text(), nullable=True),
        sa.Column('entrypoint', sa.Text, nullable=True),
        sa.ForeignKeyConstraint(['registry_id'], ['registry.id']),
        sa.ForeignKeyConstraint(['capsule_id'], ['container.id'],
                                ondelete='CASCADE'),
        sa.UniqueConstraint('uuid', name='uniq_container0uuid'))
    op.create_index('ix_container_container_type', 'container',
                    ['container_type'])
    _index_foreign_keys('container', 'capsule_id', 'registry_id')


def _create_actions() -> None:
    _create(
        'container_actions', *_times(), _id(), *_text('action'),
        sa.Column('container_uuid', sa.String(36), nullable=False),
        *_text('request_id', 'user_id', 'project_id'),
        sa.Column('start_time', sa.DateTime, nullable=True),
        sa.Column('finish_time', sa.DateTime, nullable=True),
        *_text('message'),
        sa.ForeignKeyConstraint(['container_uuid'], ['container.uuid'],
                                ondelete='CASCADE'))
    op.create_index('container_uuid_idx', 'container_actions',
                    ['container_uuid'])
    op.create_index('request_id_idx', 'container_actions', ['request_id'])
    _create(
        'container_actions_events', *_times(), _id(), *_text('event'),
        sa.Column('action_id', sa.Integer, nullable=False),
        sa.Column('start_time', sa.DateTime, nullable=True),
        sa.Column('finish_time', sa.DateTime, nullable=True),
        *_text('result'), sa.Column('traceback', sa.Text, nullable=True),
        sa.Column('details', sa.Text, nullable=True),
        sa.ForeignKeyConstraint(['action_id'], ['container_actions.id'],
                                ondelete='CASCADE'))
    _index_foreign_keys('container_actions_events', 'action_id')


def _create_exec_instance() -> None:
    _create(
        'exec_instance', *_times(), _id(),
        sa.Column('container_id', sa.Integer, nullable=False),
        sa.Column('exec_id', sa.String(255), nullable=False),
        *_text('token', 'url'),
        sa.ForeignKeyConstraint(['container_id'], ['container.id'],
                                ondelete='CASCADE'),
        sa.UniqueConstraint('container_id', 'exec_id',
                            name='uniq_exec_instance0container_id_exec_id'))


def _create_volumes() -> None:
    _create(
        'volume', *_times(), _id(),
        sa.Column('uuid', sa.String(36), nullable=False),
        *_text('project_id', 'user_id'),
        *_text('cinder_volume_id', length=36),
        sa.Column('volume_provider', sa.String(36), nullable=False),
        sa.Column('connection_info', _medium_text(), nullable=True),
        *_text('host'), sa.Column('auto_remove', sa.Boolean, nullable=True),
        sa.Column('contents', _medium_text(), nullable=True),
        sa.UniqueConstraint('uuid', name='uniq_volume0uuid'))
    unique = 'uniq_volume0uuid'
    if op.get_bind().dialect.name == 'postgresql':
        unique = 'uniq_volume_mapping0uuid'
    _create(
        'volume_mapping', *_times(), _id(),
        sa.Column('uuid', sa.String(36), nullable=False),
        *_text('project_id', 'user_id'),
        *_text('container_uuid', length=36), *_text('container_path'),
        sa.Column('volume_id', sa.Integer, nullable=False),
        sa.ForeignKeyConstraint(['container_uuid'], ['container.uuid']),
        sa.ForeignKeyConstraint(['volume_id'], ['volume.id'],
                                ondelete='CASCADE'),
        sa.UniqueConstraint('uuid', name=unique))
    _index_foreign_keys('volume_mapping', 'container_uuid', 'volume_id')


def _create_image() -> None:
    _create(
        'image', *_times(), _id(), *_text('project_id', 'user_id'),
        *_text('uuid', length=36),
        *_text('image_id', 'repo', 'tag', 'size', 'host'),
        sa.UniqueConstraint('repo', 'tag', 'host',
                            name='uniq_image0repotaghost'))


def _create_network() -> None:
    _create(
        'network', *_times(), _id(), *_text('project_id', 'user_id', 'name'),
        *_text('uuid', length=36),
        *_text('network_id', 'neutron_net_id', 'host'),
        sa.UniqueConstraint('uuid', name='uniq_network0uuid'),
        sa.UniqueConstraint('neutron_net_id', 'host',
                            name='uniq_network0neutron_net_id_host'))


def _create_compute_node() -> None:
    _create(
        'compute_node', *_times(),
        sa.Column('uuid', sa.String(36), primary_key=True, nullable=False),
        sa.Column('hostname', sa.String(255), nullable=False),
        sa.Column('numa_topology', sa.Text, nullable=True),
        *_number('mem_total', 'mem_free', 'mem_available',
                 'total_containers', 'running_containers',
                 'paused_containers', 'stopped_containers', 'cpus'),
        sa.Column('cpu_used', sa.Float, nullable=False),
        *_text('architecture', 'os_type', length=32),
        *_text('os', length=64), *_text('kernel_version', length=128),
        sa.Column('labels', sa.Text, nullable=True), *_number('mem_used'),
        sa.Column('pci_stats', sa.Text, nullable=True),
        *_number('disk_total', 'disk_used'),
        sa.Column('disk_quota_supported', sa.Boolean, nullable=False,
                  server_default=sa.false()),
        sa.Column('runtimes', sa.Text, nullable=True),
        sa.Column('enable_cpu_pinning', sa.Boolean, nullable=False,
                  server_default=sa.false()),
        sa.Column('rp_uuid', sa.String(36), nullable=False),
        sa.UniqueConstraint('rp_uuid', name='uniq_compute_node0rp_uuid'))


def _create_pci_device() -> None:
    _create(
        'pci_device', _id(), *_text('uuid', length=36),
        sa.Column('compute_node_uuid', sa.String(36), nullable=False),
        sa.Column('address', sa.String(12), nullable=False),
        sa.Column('vendor_id', sa.String(4), nullable=False),
        sa.Column('product_id', sa.String(4), nullable=False),
        sa.Column('dev_type', sa.String(8), nullable=False),
        *_text('dev_id'), sa.Column('label', sa.String(255), nullable=False),
        sa.Column('status', sa.String(36), nullable=False),
        sa.Column('extra_info', sa.Text, nullable=True),
        *_text('container_uuid', length=36),
        sa.Column('numa_node', sa.Integer, nullable=True),
        *_text('parent_addr', length=12), *_times(),
        *_text('request_id', length=36),
        sa.ForeignKeyConstraint(['compute_node_uuid'],
                                ['compute_node.uuid']),
        sa.UniqueConstraint('compute_node_uuid', 'address',
                            name='uniq_pci_device0compute_node_uuid0address'))
    op.create_index('ix_pci_device_compute_node_uuid', 'pci_device',
                    ['compute_node_uuid'])
    op.create_index('ix_pci_device_container_uuid', 'pci_device',
                    ['container_uuid'])
    op.create_index('ix_pci_device_compute_node_uuid_parent_addr',
                    'pci_device', ['compute_node_uuid', 'parent_addr'])


def _create_zun_service() -> None:
    _create(
        'zun_service', _id(), *_times(), *_number('report_count'),
        *_text('host', 'binary'),
        sa.Column('disabled', sa.Boolean, nullable=True),
        *_text('disabled_reason'),
        sa.Column('last_seen_up', sa.DateTime, nullable=True),
        sa.Column('forced_down', sa.Boolean, nullable=True),
        *_text('availability_zone'),
        sa.UniqueConstraint('host', 'binary',
                            name='uniq_zun_service0host0binary'))


def _create_quotas() -> None:
    _create(
        'quotas', *_times(), _id(), *_text('project_id'),
        sa.Column('resource', sa.String(255), nullable=False),
        sa.Column('hard_limit', sa.Integer, nullable=True))
    op.create_index('ix_quotas_project_id', 'quotas', ['project_id'])
    _create(
        'quota_classes', *_times(), _id(), *_text('class_name', 'resource'),
        sa.Column('hard_limit', sa.Integer, nullable=True))
    op.create_index('quota_classes_class_name_idx', 'quota_classes',
                    ['class_name'])
    _create(
        'quota_usages', *_times(),
        sa.Column('id', sa.Integer, nullable=False, autoincrement=False)
        if _is_mysql() else _id(),
        *_text('project_id'),
        sa.Column('resource', sa.String(255), nullable=False),
        *_number('in_use', 'reserved'),
        sa.Column('until_refresh', sa.Integer, nullable=True))
    op.create_index('ix_quota_usages_project_id', 'quota_usages',
                    ['project_id'])


def _create_resource_providers() -> None:
    _create(
        'resource_provider', *_times(), _id(),
        sa.Column('uuid', sa.String(36), nullable=False),
        sa.Column('name', sa.String(255), nullable=False),
        sa.Column('root_provider', sa.String(36), nullable=False),
        *_text('parent_provider', length=36),
        sa.Column('can_host', sa.Integer, nullable=True),
        sa.UniqueConstraint('uuid', name='uniq_resource_provider0uuid'))
    _create(
        'resource_class', *_times(), _id(),
        sa.Column('name', sa.String(255), nullable=False),
        sa.Column('uuid', sa.String(36), nullable=False),
        sa.UniqueConstraint('uuid', name='uniq_resource_class0uuid'))


def _create_inventories() -> None:
    _create(
        'inventory', *_times(), _id(),
        *_number('resource_provider_id', 'resource_class_id', 'total',
                 'reserved', 'min_unit', 'max_unit', 'step_size'),
        sa.Column('allocation_ratio', sa.Float, nullable=False),
        *_number('is_nested'), sa.Column('blob', sa.Text, nullable=True),
        sa.UniqueConstraint(
            'resource_provider_id', 'resource_class_id',
            name='uniq_inventory0resource_provider_resource_class'))
    op.create_index('inventory_resource_provider_id_idx', 'inventory',
                    ['resource_provider_id'])
    op.create_index('inventory_resource_class_id_idx', 'inventory',
                    ['resource_class_id'])
    op.create_index('inventory_resource_provider_resource_class_idx',
                    'inventory',
                    ['resource_provider_id', 'resource_class_id'])
    _create(
        'allocation', *_times(), _id(), *_number('resource_provider_id'),
        sa.Column('consumer_id', sa.String(36), nullable=False),
        *_number('resource_class_id', 'used', 'is_nested'),
        sa.Column('blob', sa.Text, nullable=True))
    op.create_index('allocation_resource_provider_class_used_idx',
                    'allocation',
                    ['resource_provider_id', 'resource_class_id', 'used'])
    op.create_index('allocation_consumer_id_idx', 'allocation',
                    ['consumer_id'])
    op.create_index('allocation_resource_class_id_idx', 'allocation',
                    ['resource_class_id'])
