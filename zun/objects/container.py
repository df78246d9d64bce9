# SPDX-License-Identifier: Apache-2.0
"""Containers, capsules and the containers of capsules."""

from typing import Any
from typing import Self

from zun.common import consts
from zun.common import exception
from zun.db import api as dbapi
from zun.objects import base
from zun.objects import exec_instance
from zun.objects import fields
from zun.objects import pci_device
from zun.objects import registry


@base.ZunObjectRegistry.register
class Cpuset(base.ZunObject):
    """The processors and memory nodes that a container is pinned to."""

    # Version 1.0: Initial version
    VERSION = '1.0'

    fields = {
        'cpuset_cpus': fields.SetOfIntegersField(nullable=True),
        'cpuset_mems': fields.SetOfIntegersField(nullable=True),
    }

    def _to_dict(self) -> dict[str, list[int] | None]:
        return {name: sorted(getattr(self, name)) if
                self.obj_attr_is_set(name) and
                getattr(self, name) is not None else None
                for name in self.fields}

    @classmethod
    def _from_dict(cls, values: dict[str, Any] | None) -> Self:
        """Return the object of what a row holds: lists, or nothing."""
        values = values or {}
        return cls(**{name: None if values.get(name) is None
                      else set(values[name]) for name in cls.fields})


class ContainerBase(base.ZunPersistentObject, base.ZunObject):
    """What containers, capsules and containers of capsules share.

    ``container_type`` tells them apart in the table; look-ups find only rows
    of the class's own type, and only those that the context may see.
    """

    container_type = consts.TYPE_ANY

    extra_fields = ('pci_devices', 'exec_instances', 'registry')

    fields = {
        'id': fields.IntegerField(),
        'container_id': fields.StringField(nullable=True),
        'uuid': fields.UUIDField(nullable=True),
        'name': fields.StringField(nullable=True),
        'project_id': fields.StringField(nullable=True),
        'user_id': fields.StringField(nullable=True),
        'image': fields.StringField(nullable=True),
        'cpu': fields.FloatField(nullable=True),
        'cpu_policy': fields.StringField(nullable=True),
        'cpuset': fields.ObjectField('Cpuset', nullable=True),
        # MiB, as text
        'memory': fields.StringField(nullable=True),
        'command': fields.ListOfStringsField(nullable=True),
        'status': fields.ContainerStatusField(nullable=True),
        'status_reason': fields.StringField(nullable=True),
        'task_state': fields.TaskStateField(nullable=True),
        'environment': fields.DictOfStringsField(nullable=True),
        'workdir': fields.StringField(nullable=True),
        'auto_remove': fields.BooleanField(nullable=True),
        'ports': fields.ListOfIntegersField(nullable=True),
        'hostname': fields.StringField(nullable=True),
        'labels': fields.DictOfStringsField(nullable=True),
        # Neutron network id to a list of fixed addresses
        'addresses': fields.JsonField(nullable=True),
        'image_pull_policy': fields.StringField(nullable=True),
        'host': fields.StringField(nullable=True),
        'restart_policy': fields.DictOfStringsField(nullable=True),
        'status_detail': fields.StringField(nullable=True),
        'interactive': fields.BooleanField(nullable=True),
        'tty': fields.BooleanField(nullable=True),
        'image_driver': fields.StringField(nullable=True),
        'websocket_url': fields.StringField(nullable=True),
        'websocket_token': fields.StringField(nullable=True),
        'security_groups': fields.ListOfStringsField(nullable=True),
        'runtime': fields.StringField(nullable=True),
        'pci_devices': fields.ListOfObjectsField('PciDevice', nullable=True),
        # GiB
        'disk': fields.IntegerField(nullable=True),
        'auto_heal': fields.BooleanField(nullable=True),
        'started_at': fields.DateTimeField(tzinfo_aware=False, nullable=True),
        'exposed_ports': fields.JsonField(nullable=True),
        'exec_instances': fields.ListOfObjectsField('ExecInstance',
                                                    nullable=True),
        'privileged': fields.BooleanField(nullable=True),
        'healthcheck': fields.JsonField(nullable=True),
        'registry_id': fields.IntegerField(nullable=True),
        'registry': fields.ObjectField('Registry', nullable=True),
        'annotations': fields.JsonField(nullable=True),
        'cni_metadata': fields.JsonField(nullable=True),
        'entrypoint': fields.ListOfStringsField(nullable=True),
    }

    @classmethod
    def _to_field(cls, name: str, value: Any) -> Any:
        return Cpuset._from_dict(value) if name == 'cpuset' else value

    @classmethod
    def _to_column(cls, name: str, value: Any) -> Any:
        if name == 'cpuset' and value is not None:
            return value._to_dict()
        return value

    @base.remotable_classmethod
    def get_by_uuid(cls, context, uuid):
        """Return the container of a uuid.

        :raises ContainerNotFound: there is none
        """
        return cls._from_row(context, dbapi.get_container_by_uuid(
            context, cls.container_type, uuid))

    @base.remotable_classmethod
    def get_by_name(cls, context, name):
        """Return the one container of a name.

        :raises ContainerNotFound: there is none
        :raises Conflict: there are several
        """
        return cls._from_row(context, dbapi.get_container_by_name(
            context, cls.container_type, name))

    @base.remotable_classmethod
    def list(cls, context, limit=None, marker=None, sort_key=None,
             sort_dir=None, filters=None):
        """Return a page of the containers, sorted and filtered."""
        return cls._from_rows(context, dbapi.list_containers(
            context, cls.container_type, filters=filters, limit=limit,
            marker=marker, sort_key=sort_key, sort_dir=sort_dir))

    @base.remotable_classmethod
    def list_by_host(cls, context, host):
        """Return the containers on a host."""
        return cls._from_rows(context, dbapi.list_containers(
            context, cls.container_type, filters={'host': host}))

    @base.remotable_classmethod
    def get_count(cls, context, project_id, flag):
        """Return a project's use of ``flag``: containers, cpu, disk, memory.
        """
        return dbapi.count_usage(context, cls.container_type, project_id,
                                 flag)

    @base.remotable
    def create(self, context):
        """Insert the container.

        :raises ContainerAlreadyExists: its uuid, or its name where names are
            unique, is taken
        """
        values = self._changes_to_row()
        values['container_type'] = self.container_type
        self._fill(self, dbapi.create_container(context, values))

    @base.remotable
    def destroy(self, context=None):
        """Delete the container.

        :raises ContainerNotFound: it is gone
        """
        dbapi.destroy_container(context or self._context,
                                self.container_type, self.uuid)
        self.obj_reset_changes()

    @base.remotable
    def save(self, context=None):
        """Write what changed.

        :raises ContainerNotFound: it is gone
        """
        values = self._changes_to_row()
        if values:
            dbapi.update_container(context or self._context,
                                   self.container_type, self.uuid, values)
        self.obj_reset_changes()

    @base.remotable
    def refresh(self, context=None):
        """Read the row again."""
        self._refresh_from(type(self).get_by_uuid(context or self._context,
                                                  self.uuid))

    def obj_load_attr(self, attrname: str) -> None:
        """Load a field that other tables hold."""
        if self._context is None:
            raise exception.OrphanedObjectError(method='obj_load_attr',
                                                objtype=self.obj_name())
        if attrname not in self.extra_fields:
            raise exception.ObjectActionError(
                action='obj_load_attr',
                reason='attribute %s not lazy-loadable' % attrname)
        setattr(self, attrname, self._load(attrname))
        self.obj_reset_changes(fields=[attrname])

    def _load(self, name: str) -> Any:
        if name == 'pci_devices':
            return pci_device.PciDevice.list_by_container_uuid(
                self._context, self.uuid)
        if name == 'exec_instances':
            return exec_instance.ExecInstance.list_by_container_id(
                self._context, self.id)
        if self.registry_id is None:
            return None
        return registry.Registry.get_by_id(self._context, self.registry_id)


@base.ZunObjectRegistry.register
class Container(ContainerBase):
    """A container that stands alone."""

    # Version 1.44 of Zun 18.0.0
    VERSION = '1.44'

    container_type = consts.TYPE_CONTAINER


@base.ZunObjectRegistry.register
class Capsule(ContainerBase):
    """A capsule: containers that share a sandbox."""

    # Version 1.4 of Zun 18.0.0
    VERSION = '1.4'

    container_type = consts.TYPE_CAPSULE

    extra_fields = (*ContainerBase.extra_fields, 'containers',
                    'init_containers')

    fields = {
        'containers': fields.ListOfObjectsField('CapsuleContainer',
                                                nullable=True),
        'init_containers': fields.ListOfObjectsField('CapsuleInitContainer',
                                                     nullable=True),
    }

    def as_dict(self) -> dict[str, Any]:
        """Return the fields that are set, the containers as dictionaries."""
        values = super().as_dict()
        for name in ('containers', 'init_containers'):
            if values.get(name) is not None:
                values[name] = [item.as_dict() for item in values[name]]
        return values

    @base.remotable
    def save(self, context=None):
        """Write what changed in the capsule and its containers."""
        with dbapi.writer(context or self._context):
            for name in ('init_containers', 'containers'):
                if self.obj_attr_is_set(name):
                    for item in getattr(self, name) or ():
                        item.save(context or self._context)
            super().save(context)

    def _load(self, name: str) -> Any:
        if name == 'containers':
            return CapsuleContainer.list_by_capsule_id(self._context, self.id)
        if name == 'init_containers':
            return CapsuleInitContainer.list_by_capsule_id(self._context,
                                                           self.id)
        return super()._load(name)


class CapsuleMember(ContainerBase):
    """A container that belongs to a capsule."""

    fields = {
        'capsule_id': fields.IntegerField(nullable=False),
    }

    @base.remotable_classmethod
    def list_by_capsule_id(cls, context, capsule_id):
        """Return the containers of the class's kind in a capsule."""
        return cls._from_rows(context, dbapi.list_containers(
            context, cls.container_type, filters={'capsule_id': capsule_id}))


@base.ZunObjectRegistry.register
class CapsuleContainer(CapsuleMember):
    """A container of a capsule."""

    # Version 1.4 of Zun 18.0.0
    VERSION = '1.4'

    container_type = consts.TYPE_CAPSULE_CONTAINER


@base.ZunObjectRegistry.register
class CapsuleInitContainer(CapsuleMember):
    """A container that runs to its end before those of its capsule start."""

    # Version 1.4 of Zun 18.0.0
    VERSION = '1.4'

    container_type = consts.TYPE_CAPSULE_INIT_CONTAINER
