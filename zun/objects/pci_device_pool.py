# SPDX-License-Identifier: Apache-2.0
"""Counts of a host's free PCI devices that are alike."""

import copy
from typing import Any
from typing import Self

from zun.objects import base
from zun.objects import fields


@base.ZunObjectRegistry.register
class PciDevicePool(base.ZunObject):
    """How many devices there are of a product, NUMA node and tags."""

    # Version 1.0: Initial version
    VERSION = '1.0'

    fields = {
        'product_id': fields.StringField(),
        'vendor_id': fields.StringField(),
        'numa_node': fields.IntegerField(nullable=True),
        'tags': fields.DictOfNullableStringsField(),
        'count': fields.IntegerField(),
    }

    @classmethod
    def from_dict(cls, value: dict[str, Any]) -> Self:
        """Return the pool of a dictionary; unknown keys become tags."""
        known = dict(copy.deepcopy(value))
        pool = cls()
        for name in ('product_id', 'vendor_id', 'numa_node', 'count'):
            if name in known:
                setattr(pool, name, known.pop(name))
        pool.tags = {**known.pop('tags', {}), **known}
        return pool

    def to_dict(self) -> dict[str, Any]:
        """Return the pool as a dictionary with its tags beside the rest."""
        values = {name: getattr(self, name) for name in self.fields
                  if name != 'tags' and self.obj_attr_is_set(name)}
        values.update(self.tags)
        return values


@base.ZunObjectRegistry.register
class PciDevicePoolList(base.ObjectListBase, base.ZunObject):
    """The pools of a host."""

    # Version 1.0: Initial version
    VERSION = '1.0'

    fields = {
        'objects': fields.ListOfObjectsField('PciDevicePool'),
    }


def from_pci_stats(pci_stats: Any) -> PciDevicePoolList:
    """Return the pools of a list of dictionaries, or none of nothing."""
    return PciDevicePoolList(objects=[PciDevicePool.from_dict(stat)
                                      for stat in pci_stats or ()])
