# SPDX-License-Identifier: Apache-2.0
"""The virtual interfaces of a sandbox, as os-vif's objects."""

from typing import Any

from os_vif.objects import base as osv_base
from os_vif.objects import vif as osv_vif
from oslo_versionedobjects import fields as ovoo_fields

from zun.common import consts
from zun.objects import base


class Object(ovoo_fields.Object):
    """An object of os-vif, which has a name space of its own.

    The class's name is part of the fingerprint of VIFState.
    """

    def __init__(self) -> None:
        super().__init__(osv_vif.VIFBase.__name__, subclasses=True)

    def from_primitive(self, obj: Any, attr: str, value: Any) -> Any:
        return osv_base.VersionedObject.obj_from_primitive(value)


class VIFField(ovoo_fields.AutoTypedField):
    AUTO_TYPE = Object()


class DictOfVIFsField(ovoo_fields.AutoTypedField):
    AUTO_TYPE = ovoo_fields.Dict(VIFField())


@base.ZunObjectRegistry.register
class VIFState(base.ZunObject):
    """The interfaces of a sandbox: the default one and the others."""

    # Version 1.0: Initial version
    VERSION = '1.0'

    fields = {
        'default_vif': VIFField(nullable=False),
        # Name of the interface to VIF
        'additional_vifs': DictOfVIFsField(default={}),
    }

    @property
    def vifs(self) -> dict[str, osv_vif.VIFBase]:
        """All interfaces: name to VIF."""
        others = self.additional_vifs if self.obj_attr_is_set(
            'additional_vifs') else {}
        return {**others, consts.DEFAULT_IFNAME: self.default_vif}

    @classmethod
    def from_dict(cls, vifs: dict[str, osv_vif.VIFBase]) -> 'VIFState':
        """Return the state of interfaces: name to VIF."""
        return cls(default_vif=vifs[consts.DEFAULT_IFNAME],
                   additional_vifs={
                       name: vif for name, vif in vifs.items()
                       if name != consts.DEFAULT_IFNAME})
