# SPDX-License-Identifier: Apache-2.0
"""What Open vSwitch and its controller say of plugged ports.

os-vif writes ports to OVSDB and does not look back. Whether packets pass is
seen in the same database: ovn-controller sets ``ovn-installed`` once its
flows are in, Neutron's agent gives the port a VLAN of its own. So nobody
has to ask Neutron.
"""

import threading
import typing

from oslo_log import log as logging
from ovsdbapp.backend.ovs_idl import connection
from ovsdbapp.backend.ovs_idl import idlutils

LOG = logging.getLogger(__name__)

_TIMEOUT = 20
_COLUMNS = {'Interface': ['name', 'external_ids', 'error'],
            'Port': ['name', 'tag']}
# The agent's VLAN of ports that it has not wired yet.
_DEAD_VLAN = 4095


class _Row(typing.NamedTuple):
    """What is kept of a row of Interface or Port."""

    external_ids: dict
    error: str
    tag: int | None


class _Idl(connection.OvsdbIdl):
    """Tells of each change; called by the connection's own thread."""

    def __init__(self, endpoint, helper, changed):
        super().__init__(endpoint, helper)
        self._changed = changed

    def notify(self, event, row, updates=None):
        self._changed(event, row)


class Switch:
    """The ports of the node's Open vSwitch.

    Connects when it is first needed: a node may have none.

    :param endpoint: of OVSDB, e.g. ``unix:/run/openvswitch/db.sock``.
    """

    def __init__(self, endpoint: str):
        self._endpoint = endpoint
        self._changed = threading.Condition()
        self._interfaces: dict[str, _Row] = {}
        self._ports: dict[str, _Row] = {}
        self._connection: connection.Connection | None = None
        self._connecting = threading.Lock()

    def connect(self) -> None:
        """Make sure of a connection.

        :raises Exception: as ovsdbapp, if OVSDB does not answer.
        """
        with self._connecting:
            if self._connection is not None:
                return
            helper = idlutils.get_schema_helper(self._endpoint,
                                                'Open_vSwitch')
            for table, columns in _COLUMNS.items():
                helper.register_columns(table, columns)
            made = connection.Connection(
                _Idl(self._endpoint, helper, self._note), _TIMEOUT)
            made.start()
            self._connection = made
            LOG.info('Connected to OVSDB at %s', self._endpoint)

    def close(self) -> None:
        if self._connection is not None:
            self._connection.stop(_TIMEOUT)

    def _note(self, event, row):
        """Keep what a row says now; ``event`` is ovsdbapp's word."""
        is_interface = row._table.name == 'Interface'
        rows = self._interfaces if is_interface else self._ports
        with self._changed:
            if event == 'delete':
                rows.pop(row.name, None)
            elif is_interface:
                rows[row.name] = _Row(dict(row.external_ids),
                                      _first(row.error) or '', None)
            else:
                rows[row.name] = _Row({}, '', _first(row.tag))
            self._changed.notify_all()

    def has(self, name: str, port_id: str | None = None) -> bool:
        """Whether there is an interface, of a given Neutron port."""
        self.connect()
        with self._changed:
            row = self._interfaces.get(name)
        return row is not None and (
            port_id is None or row.external_ids.get('iface-id') == port_id)

    def forget(self, name: str) -> None:
        """What comes from now on is of an interface made anew."""
        self.connect()
        with self._changed:
            self._interfaces.pop(name, None)
            self._ports.pop(name, None)

    def await_wired(self, name: str, timeout: float) -> bool:
        """Wait until packets pass through an interface.

        :raises OSError: Open vSwitch cannot use its device.
        """
        with self._changed:
            self._changed.wait_for(
                lambda: self._is_wired(name) or self._error_of(name),
                timeout)
            if self._error_of(name) and not self._is_wired(name):
                raise OSError(5, 'Open vSwitch: %s: %s' % (
                    name, self._error_of(name)))
            return self._is_wired(name)

    def _is_wired(self, name):
        interface = self._interfaces.get(name)
        if interface and interface.external_ids.get(
                'ovn-installed') == 'true':
            return True
        port = self._ports.get(name)
        return bool(port and port.tag and port.tag != _DEAD_VLAN)

    def _error_of(self, name):
        interface = self._interfaces.get(name)
        return interface.error if interface else ''


def _first(value):
    """The value of a column that may be a set of none or one."""
    if isinstance(value, list):
        return value[0] if value else None
    return value
