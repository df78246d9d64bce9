# SPDX-License-Identifier: Apache-2.0
"""The tables of Zun 18.0.0.

Declared as its models declare them; a few lengths are wider in a migrated
database (container.container_id and container.hostname are VARCHAR(255),
container.image_driver is TEXT there).  No column is ever added to one of
these tables: what this project needs beyond them lives in tables of its own
that share :class:`Base`.
"""

from typing import Any

from oslo_db.sqlalchemy import models
from oslo_utils import timeutils
import sqlalchemy as sa
from sqlalchemy import orm

from zun.db.sqlalchemy import types


class Base(models.TimestampMixin, models.ModelBase, orm.DeclarativeBase):
    """What every table has: created_at, updated_at and InnoDB."""

    __table_args__: Any = {'mysql_engine': 'InnoDB'}


def _args(*constraints: Any) -> tuple[Any, ...]:
    return (*constraints, Base.__table_args__)


class ZunService(Base):
    """A service on a host and when it was last heard of."""

    __tablename__ = 'zun_service'
    __table_args__ = _args(
        sa.UniqueConstraint('host', 'binary',
                            name='uniq_zun_service0host0binary'))
    id = sa.Column(sa.Integer, primary_key=True)
    host = sa.Column(sa.String(255))
    binary = sa.Column(sa.String(255))
    disabled = sa.Column(sa.Boolean, default=False)
    disabled_reason = sa.Column(sa.String(255))
    last_seen_up = sa.Column(sa.DateTime, nullable=True)
    forced_down = sa.Column(sa.Boolean, default=False)
    report_count = sa.Column(sa.Integer, nullable=False, default=0)
    availability_zone = sa.Column(sa.String(255))


class Container(Base):
    """A container, a capsule or a container of a capsule."""

    __tablename__ = 'container'
    __table_args__ = _args(
        sa.UniqueConstraint('uuid', name='uniq_container0uuid'))
    id = sa.Column(sa.Integer, primary_key=True)
    project_id = sa.Column(sa.String(255))
    user_id = sa.Column(sa.String(255))
    uuid = sa.Column(sa.String(36))
    container_id = sa.Column(sa.String(36))
    name = sa.Column(sa.String(255))
    image = sa.Column(sa.String(255))
    cpu = sa.Column(sa.Float)
    cpu_policy = sa.Column(sa.String(255), default='shared')
    cpuset = sa.Column(types.JsonDict)
    command = sa.Column(types.JsonList)
    memory = sa.Column(sa.String(255))
    status = sa.Column(sa.String(20))
    status_reason = sa.Column(sa.Text, nullable=True)
    task_state = sa.Column(sa.String(20))
    environment = sa.Column(types.JsonDict)
    workdir = sa.Column(sa.String(255))
    ports = sa.Column(types.JsonList)
    hostname = sa.Column(sa.String(63))
    labels = sa.Column(types.JsonDict)
    addresses = sa.Column(types.JsonDict)
    image_pull_policy = sa.Column(sa.Text, nullable=True)
    host = sa.Column(sa.String(255))
    restart_policy = sa.Column(types.JsonDict)
    status_detail = sa.Column(sa.String(50))
    interactive = sa.Column(sa.Boolean, default=False)
    tty = sa.Column(sa.Boolean, default=False)
    image_driver = sa.Column(sa.String(255))
    websocket_url = sa.Column(sa.String(255))
    websocket_token = sa.Column(sa.String(255))
    security_groups = sa.Column(types.JsonList)
    auto_remove = sa.Column(sa.Boolean, default=False)
    runtime = sa.Column(sa.String(32))
    disk = sa.Column(sa.Integer, default=0)
    auto_heal = sa.Column(sa.Boolean, default=False)
    capsule_id = sa.Column(
        sa.Integer, sa.ForeignKey('container.id', ondelete='CASCADE'))
    started_at = sa.Column(sa.DateTime)
    privileged = sa.Column(sa.Boolean, default=False)
    healthcheck = sa.Column(types.JsonDict)
    exposed_ports = sa.Column(types.JsonDict)
    registry_id = sa.Column(sa.Integer, sa.ForeignKey('registry.id'))
    container_type = sa.Column(sa.Integer, default=0, server_default='0',
                               index=True)
    annotations = sa.Column(types.JsonMediumText)
    cni_metadata = sa.Column(types.JsonMediumText)
    entrypoint = sa.Column(types.JsonList)


class VolumeMapping(Base):
    """A volume at a path of a container."""

    __tablename__ = 'volume_mapping'
    # The name is that of the volume's constraint; PostgreSQL needs one name
    # a constraint in a schema.
    __table_args__ = _args(
        sa.UniqueConstraint('uuid', name='uniq_volume0uuid').ddl_if(
            callable_=lambda ddl, target, bind, dialect, **kw:
            dialect.name != 'postgresql'),
        sa.UniqueConstraint('uuid', name='uniq_volume_mapping0uuid').ddl_if(
            dialect='postgresql'))
    uuid = sa.Column(sa.String(36), nullable=False)
    id = sa.Column(sa.Integer, primary_key=True, nullable=False)
    project_id = sa.Column(sa.String(255))
    user_id = sa.Column(sa.String(255))
    volume_id = sa.Column(
        sa.Integer, sa.ForeignKey('volume.id', ondelete='CASCADE'),
        nullable=False)
    container_path = sa.Column(sa.String(255))
    container_uuid = sa.Column(sa.String(36), sa.ForeignKey('container.uuid'))


class Volume(Base):
    """A Cinder volume or the contents of a file to mount."""

    __tablename__ = 'volume'
    __table_args__ = _args(
        sa.UniqueConstraint('uuid', name='uniq_volume0uuid'))
    uuid = sa.Column(sa.String(36), nullable=False)
    id = sa.Column(sa.Integer, primary_key=True, nullable=False)
    project_id = sa.Column(sa.String(255))
    user_id = sa.Column(sa.String(255))
    cinder_volume_id = sa.Column(sa.String(36))
    volume_provider = sa.Column(sa.String(36), nullable=False)
    connection_info = sa.Column(types.MediumText)
    host = sa.Column(sa.String(255))
    auto_remove = sa.Column(sa.Boolean, default=False)
    contents = sa.Column(types.MediumText)


class ExecInstance(Base):
    """An interactive exec that waits for, or has, its terminal."""

    __tablename__ = 'exec_instance'
    __table_args__ = _args(
        sa.UniqueConstraint('container_id', 'exec_id',
                            name='uniq_exec_instance0container_id_exec_id'))
    id = sa.Column(sa.Integer, primary_key=True, nullable=False)
    container_id = sa.Column(
        sa.Integer, sa.ForeignKey('container.id', ondelete='CASCADE'),
        nullable=False)
    exec_id = sa.Column(sa.String(255), nullable=False)
    token = sa.Column(sa.String(255), nullable=True)
    url = sa.Column(sa.String(255), nullable=True)


class Registry(Base):
    """A private image registry and the account on it."""

    __tablename__ = 'registry'
    __table_args__ = _args(
        sa.UniqueConstraint('uuid', name='uniq_registry0uuid'))
    id = sa.Column(sa.Integer, primary_key=True)
    project_id = sa.Column(sa.String(255))
    user_id = sa.Column(sa.String(255))
    uuid = sa.Column(sa.String(36))
    name = sa.Column(sa.String(255))
    domain = sa.Column(sa.String(255), nullable=False)
    username = sa.Column(sa.String(255))
    password = sa.Column(sa.String(255))


class Image(Base):
    """An image on a host."""

    __tablename__ = 'image'
    __table_args__ = _args(
        sa.UniqueConstraint('repo', 'tag', 'host',
                            name='uniq_image0repotaghost'))
    id = sa.Column(sa.Integer, primary_key=True)
    project_id = sa.Column(sa.String(255))
    user_id = sa.Column(sa.String(255))
    uuid = sa.Column(sa.String(36))
    image_id = sa.Column(sa.String(255))
    repo = sa.Column(sa.String(255))
    tag = sa.Column(sa.String(255))
    size = sa.Column(sa.String(255))
    host = sa.Column(sa.String(255))


class ResourceProvider(Base):
    """A provider of resources, as Placement would know it."""

    __tablename__ = 'resource_provider'
    __table_args__ = _args(
        sa.UniqueConstraint('uuid', name='uniq_resource_provider0uuid'))
    id = sa.Column(sa.Integer, primary_key=True, nullable=False)
    uuid = sa.Column(sa.String(36), nullable=False)
    name = sa.Column(sa.String(255), nullable=False)
    root_provider = sa.Column(sa.String(36), nullable=False)
    parent_provider = sa.Column(sa.String(36))
    can_host = sa.Column(sa.Integer, default=0)


class ResourceClass(Base):
    """A class of resources."""

    __tablename__ = 'resource_class'
    __table_args__ = _args(
        sa.UniqueConstraint('uuid', name='uniq_resource_class0uuid'))
    id = sa.Column(sa.Integer, primary_key=True, nullable=False)
    uuid = sa.Column(sa.String(36), nullable=False)
    name = sa.Column(sa.String(255), nullable=False)


class Inventory(Base):
    """How much of a class a provider has."""

    __tablename__ = 'inventory'
    __table_args__ = _args(
        sa.Index('inventory_resource_provider_id_idx',
                 'resource_provider_id'),
        sa.Index('inventory_resource_class_id_idx', 'resource_class_id'),
        sa.Index('inventory_resource_provider_resource_class_idx',
                 'resource_provider_id', 'resource_class_id'),
        sa.UniqueConstraint(
            'resource_provider_id', 'resource_class_id',
            name='uniq_inventory0resource_provider_resource_class'))
    id = sa.Column(sa.Integer, primary_key=True, nullable=False)
    resource_provider_id = sa.Column(sa.Integer, nullable=False)
    resource_class_id = sa.Column(sa.Integer, nullable=False)
    total = sa.Column(sa.Integer, nullable=False)
    reserved = sa.Column(sa.Integer, nullable=False)
    min_unit = sa.Column(sa.Integer, nullable=False)
    max_unit = sa.Column(sa.Integer, nullable=False)
    step_size = sa.Column(sa.Integer, nullable=False)
    allocation_ratio = sa.Column(sa.Float, nullable=False)
    is_nested = sa.Column(sa.Integer, nullable=False)
    blob = sa.Column(types.JsonList)


class Allocation(Base):
    """How much of a class of a provider a consumer has."""

    __tablename__ = 'allocation'
    __table_args__ = _args(
        sa.Index('allocation_resource_provider_class_used_idx',
                 'resource_provider_id', 'resource_class_id', 'used'),
        sa.Index('allocation_consumer_id_idx', 'consumer_id'),
        sa.Index('allocation_resource_class_id_idx', 'resource_class_id'))
    id = sa.Column(sa.Integer, primary_key=True, nullable=False)
    resource_provider_id = sa.Column(sa.Integer, nullable=False)
    resource_class_id = sa.Column(sa.Integer, nullable=False)
    consumer_id = sa.Column(sa.String(36), nullable=False)
    used = sa.Column(sa.Integer, nullable=False)
    is_nested = sa.Column(sa.Integer, nullable=False)
    blob = sa.Column(types.JsonList)


class ComputeNode(Base):
    """A host that runs containers; memory in MiB, disk in GiB."""

    __tablename__ = 'compute_node'
    __table_args__ = _args(
        sa.UniqueConstraint('rp_uuid', name='uniq_compute_node0rp_uuid'))
    uuid = sa.Column(sa.String(36), primary_key=True, nullable=False)
    rp_uuid = sa.Column(sa.String(36), nullable=False)
    hostname = sa.Column(sa.String(255), nullable=False)
    numa_topology = sa.Column(types.JsonDict, nullable=True)
    mem_total = sa.Column(sa.Integer, nullable=False, default=0)
    mem_free = sa.Column(sa.Integer, nullable=False, default=0)
    mem_available = sa.Column(sa.Integer, nullable=False, default=0)
    mem_used = sa.Column(sa.Integer, nullable=False, default=0)
    total_containers = sa.Column(sa.Integer, nullable=False, default=0)
    running_containers = sa.Column(sa.Integer, nullable=False, default=0)
    paused_containers = sa.Column(sa.Integer, nullable=False, default=0)
    stopped_containers = sa.Column(sa.Integer, nullable=False, default=0)
    cpus = sa.Column(sa.Integer, nullable=False, default=0)
    cpu_used = sa.Column(sa.Float, nullable=False, default=0.0)
    architecture = sa.Column(sa.String(32), nullable=True)
    os_type = sa.Column(sa.String(32), nullable=True)
    os = sa.Column(sa.String(64), nullable=True)
    kernel_version = sa.Column(sa.String(128), nullable=True)
    labels = sa.Column(types.JsonDict)
    pci_stats = sa.Column(sa.Text)
    disk_total = sa.Column(sa.Integer, nullable=False, default=0)
    disk_used = sa.Column(sa.Integer, nullable=False, default=0)
    disk_quota_supported = sa.Column(
        sa.Boolean, nullable=False, default=sa.false(),
        server_default=sa.false())
    runtimes = sa.Column(types.JsonList)
    enable_cpu_pinning = sa.Column(
        sa.Boolean, nullable=False, default=sa.false(),
        server_default=sa.false())


class PciDevice(Base):
    """A PCI device of a host and the container it is given to."""

    __tablename__ = 'pci_device'
    __table_args__ = _args(
        sa.Index('ix_pci_device_compute_node_uuid', 'compute_node_uuid'),
        sa.Index('ix_pci_device_container_uuid', 'container_uuid'),
        sa.Index('ix_pci_device_compute_node_uuid_parent_addr',
                 'compute_node_uuid', 'parent_addr'),
        sa.UniqueConstraint('compute_node_uuid', 'address',
                            name='uniq_pci_device0compute_node_uuid0address'))
    id = sa.Column(sa.Integer, primary_key=True)
    uuid = sa.Column(sa.String(36))
    compute_node_uuid = sa.Column(
        sa.String(36), sa.ForeignKey('compute_node.uuid'), nullable=False)
    # dddd:bb:ss.f
    address = sa.Column(sa.String(12), nullable=False)
    vendor_id = sa.Column(sa.String(4), nullable=False)
    product_id = sa.Column(sa.String(4), nullable=False)
    dev_type = sa.Column(sa.String(8), nullable=False)
    dev_id = sa.Column(sa.String(255))
    label = sa.Column(sa.String(255), nullable=False)
    status = sa.Column(sa.String(36), nullable=False)
    request_id = sa.Column(sa.String(36), nullable=True)
    extra_info = sa.Column(types.JsonDict)
    container_uuid = sa.Column(sa.String(36), nullable=True)
    numa_node = sa.Column(sa.Integer, nullable=True)
    parent_addr = sa.Column(sa.String(12), nullable=True)


class ContainerAction(Base):
    """What somebody asked of a container."""

    __tablename__ = 'container_actions'
    __table_args__ = _args(
        sa.Index('container_uuid_idx', 'container_uuid'),
        sa.Index('request_id_idx', 'request_id'))
    id = sa.Column(sa.Integer, primary_key=True, nullable=False)
    action = sa.Column(sa.String(255))
    container_uuid = sa.Column(
        sa.String(36), sa.ForeignKey('container.uuid', ondelete='CASCADE'),
        nullable=False)
    request_id = sa.Column(sa.String(255))
    user_id = sa.Column(sa.String(255))
    project_id = sa.Column(sa.String(255))
    start_time = sa.Column(sa.DateTime, default=timeutils.utcnow)
    finish_time = sa.Column(sa.DateTime)
    message = sa.Column(sa.String(255))


class ContainerActionEvent(Base):
    """A piece of the work that an action caused."""

    __tablename__ = 'container_actions_events'
    id = sa.Column(sa.Integer, primary_key=True, nullable=False)
    event = sa.Column(sa.String(255))
    action_id = sa.Column(
        sa.Integer, sa.ForeignKey('container_actions.id', ondelete='CASCADE'),
        nullable=False)
    start_time = sa.Column(sa.DateTime, default=timeutils.utcnow)
    finish_time = sa.Column(sa.DateTime)
    result = sa.Column(sa.String(255))
    traceback = sa.Column(sa.Text)
    details = sa.Column(sa.Text)


class Quota(Base):
    """The limit of a project on a resource; None or -1 is no limit."""

    __tablename__ = 'quotas'
    id = sa.Column(sa.Integer, primary_key=True, nullable=False)
    project_id = sa.Column(sa.String(255), index=True)
    resource = sa.Column(sa.String(255), nullable=False)
    hard_limit = sa.Column(sa.Integer)


class QuotaClass(Base):
    """The limit of a quota class on a resource."""

    __tablename__ = 'quota_classes'
    __table_args__ = _args(
        sa.Index('quota_classes_class_name_idx', 'class_name'))
    id = sa.Column(sa.Integer, primary_key=True, nullable=False)
    class_name = sa.Column(sa.String(255))
    resource = sa.Column(sa.String(255))
    hard_limit = sa.Column(sa.Integer)


class QuotaUsage(Base):
    """A table that Zun 18.0.0 has and never writes."""

    __tablename__ = 'quota_usages'
    id = sa.Column(sa.Integer, primary_key=True, nullable=False)
    project_id = sa.Column(sa.String(255), index=True)
    resource = sa.Column(sa.String(255), nullable=False)
    in_use = sa.Column(sa.Integer, nullable=False)
    reserved = sa.Column(sa.Integer, nullable=False)
    until_refresh = sa.Column(sa.Integer, nullable=True)


class Network(Base):
    """A Neutron network known on a host."""

    __tablename__ = 'network'
    __table_args__ = _args(
        sa.UniqueConstraint('uuid', name='uniq_network0uuid'),
        sa.UniqueConstraint('neutron_net_id', 'host',
                            name='uniq_network0neutron_net_id_host'))
    id = sa.Column(sa.Integer, primary_key=True)
    name = sa.Column(sa.String(255))
    neutron_net_id = sa.Column(sa.String(255))
    host = sa.Column(sa.String(255))
    network_id = sa.Column(sa.String(255))
    project_id = sa.Column(sa.String(255))
    user_id = sa.Column(sa.String(255))
    uuid = sa.Column(sa.String(36))
