# SPDX-License-Identifier: Apache-2.0
"""PCI devices of hosts."""

from typing import Any

from oslo_db import exception as db_exc
from oslo_utils import uuidutils
import sqlalchemy as sa

from zun.common import exception
from zun.db.sqlalchemy import models
from zun.db.sqlalchemy.queries import statement
from zun.db.sqlalchemy import transaction

Row = statement.Row

_TABLE = models.PciDevice.__table__


def _list(context: Any, *criteria: Any) -> list[Row]:
    with transaction.reader(context) as session:
        return statement.fetch_all(session, sa.select(*_TABLE.c).where(
            *criteria).order_by(_TABLE.c.id))


def get_pci_device_by_addr(context: Any, node_id: str, dev_addr: str) -> Row:
    """Return the device of a node at an address.

    :raises PciDeviceNotFound: there is none
    """
    rows = _list(context, _TABLE.c.compute_node_uuid == node_id,
                 _TABLE.c.address == dev_addr)
    if not rows:
        raise exception.PciDeviceNotFound(node_id=node_id, address=dev_addr)
    return rows[0]


def get_pci_device_by_id(context: Any, device_id: int) -> Row:
    """Return a device by its number.

    :raises PciDeviceNotFoundById: there is none
    """
    rows = _list(context, _TABLE.c.id == device_id)
    if not rows:
        raise exception.PciDeviceNotFoundById(id=device_id)
    return rows[0]


def get_all_pci_device_by_node(context: Any, node_id: str) -> list[Row]:
    """Return the devices of a node."""
    return _list(context, _TABLE.c.compute_node_uuid == node_id)


def get_all_pci_device_by_parent_addr(context: Any, node_id: str,
                                      parent_addr: str) -> list[Row]:
    """Return the virtual functions of a physical one."""
    return _list(context, _TABLE.c.compute_node_uuid == node_id,
                 _TABLE.c.parent_addr == parent_addr)


def get_all_pci_device_by_container_uuid(
        context: Any, container_uuid: str) -> list[Row]:
    """Return the devices that a container has."""
    return _list(context, _TABLE.c.status == 'allocated',
                 _TABLE.c.container_uuid == container_uuid)


def update_pci_device(context: Any, node_id: str, address: str,
                      values: Row) -> Row:
    """Change the device of a node at an address, or insert it."""
    with transaction.writer(context) as session:
        row = statement.update(
            session, models.PciDevice,
            [_TABLE.c.compute_node_uuid == node_id,
             _TABLE.c.address == address], values)
        if row is not None:
            return row
        values = {'uuid': uuidutils.generate_uuid(), **values,
                  'compute_node_uuid': node_id, 'address': address}
        try:
            return statement.insert(session, models.PciDevice, values)
        except db_exc.DBDuplicateEntry as e:
            # Another process inserted the device meanwhile: the transaction
            # has to be run again to see it.
            raise db_exc.DBDeadlock(e) from e


def destroy_pci_device(context: Any, node_id: str, address: str) -> None:
    """Delete the device of a node at an address.

    :raises PciDeviceNotFound: there is none
    """
    with transaction.writer(context) as session:
        if not statement.delete(session, models.PciDevice,
                                _TABLE.c.compute_node_uuid == node_id,
                                _TABLE.c.address == address):
            raise exception.PciDeviceNotFound(node_id=node_id,
                                              address=address)
