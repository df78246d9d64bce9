# SPDX-License-Identifier: Apache-2.0
"""Networks and security groups of containers, and Zun's network rows."""

from collections.abc import Callable

from oslo_log import log as logging

from zun.common import consts
from zun.common import exception
from zun.common.i18n import _
from zun.compute import container_actions as actions
from zun.compute.operations import base
from zun.compute.operations import events
from zun.compute.operations import power
from zun.compute.operations import rows
from zun.container import driver as container_driver
from zun.container import errors
from zun.db import api as db_api
from zun.network import neutron
from zun import objects

LOG = logging.getLogger(__name__)

ATTACH = power.Verb(actions.NETWORK_ATTACH, events.NETWORK_ATTACH,
                    consts.NETWORK_ATTACHING, '')
DETACH = power.Verb(actions.NETWORK_DETACH, events.NETWORK_DETACH,
                    consts.NETWORK_DETACHING, '')
ADD_GROUP = power.Verb(actions.ADD_SECURITY_GROUP,
                       events.ADD_SECURITY_GROUP, consts.SG_ADDING, '')
REMOVE_GROUP = power.Verb(actions.REMOVE_SECURITY_GROUP,
                          events.REMOVE_SECURITY_GROUP,
                          consts.SG_REMOVING, '')

_PORT = 'attached_port'


def attach(parts: base.Parts, context, container,
           requested_network: dict) -> None:
    """Give a container one more interface."""
    def act():
        driver = parts.network(context)
        plugged = driver.attach(container, container.host,
                                requested_network)
        base.journal(context).step_put(_PORT, plugged.addresses)
        network = parts.driver.network_of(context, container)
        known = {vif['id'] for vif in network.vifs}
        _plug(parts, context, container, container_driver.Network(
            [*network.vifs, *(vif for vif in plugged.vifs
                              if vif['id'] not in known)],
            network.nameservers))
        container.addresses = {**(container.addresses or {}),
                               **plugged.addresses}

    _operate(context, container, ATTACH, act, takes_note=False)


def attach_failed(parts: base.Parts, context, container,
                  exc: Exception) -> None:
    """Give a port back that the container did not get."""
    addresses = base.journal(context).step_get(_PORT)
    if addresses:
        parts.network(context).unplug(container, addresses)
    power.failed(context, container, ATTACH, exc)


def detach(parts: base.Parts, context, container, network: str) -> None:
    """Take an interface from a container.

    Its port is given back even if the container can't be changed; the
    address then stays, so that the operation can be repeated.
    """
    def act():
        entries = (container.addresses or {}).get(network)
        if not entries:
            if base.journal(context).attempt > 1:
                return  # an earlier attempt has done it, and died then
            raise exception.Conflict(
                _('The container is not on network %s.') % network)
        ports = {entry['port'] for entry in entries}
        try:
            if container.container_id:
                _unplug(parts, context, container, ports)
        finally:
            parts.network(context).unplug(container, {network: entries})
        container.addresses = {
            name: value for name, value in container.addresses.items()
            if name != network}

    _operate(context, container, DETACH, act)


def _unplug(parts, context, container, ports):
    before = parts.driver.network_of(context, container)
    _plug(parts, context, container, container_driver.Network(
        [vif for vif in before.vifs if vif['id'] not in ports],
        before.nameservers))


def _plug(parts, context, container, network):
    """Change the interfaces, in a new sandbox where the one that runs
    takes none.
    """
    if parts.driver.change_network(context, container, network):
        power.restart(parts, context, container)


def add_security_group(parts: base.Parts, context, container,
                       group: str) -> None:
    def act():
        parts.network(context).add_security_group(container, group)
        container.security_groups = [*(container.security_groups or ()),
                                     group]

    _operate(context, container, ADD_GROUP, act)


def remove_security_group(parts: base.Parts, context, container,
                          group: str) -> None:
    def act():
        parts.network(context).remove_security_group(container, group)
        container.security_groups = [
            name for name in container.security_groups or ()
            if name != group]

    _operate(context, container, REMOVE_GROUP, act)


def _operate(context, container, verb: power.Verb,
             act: Callable[[], None], takes_note: bool = True) -> None:
    """Report an operation.

    :param takes_note: the row tells when the engine has lost the
        container.
    """
    report = events.Report(context, container, verb.action)
    report.require()
    report.begin(verb.event)
    rows.enter(context, container, verb.task_state)
    base.journal(context).check()
    try:
        act()
    except errors.ContainerMissing as exc:
        if not takes_note:
            raise
        raise rows.engine_lost(context, container, exc)
    with db_api.writer(context):
        rows.leave(context, container)
        report.end(verb.event)
        report.finish()


def create_network(context, neutron_net_id: str):
    """Take a Neutron network for containers; its row.

    :param neutron_net_id: the API lets null pass, which no network has.
    :raises NetworkNotFound: Neutron has none of this id.
    :raises Invalid: containers can't be on it.
    """
    if not neutron_net_id:
        raise exception.NetworkNotFound(network=neutron_net_id)
    api = neutron.NeutronAPI(context)
    network = api.get_neutron_network(neutron_net_id)
    subnets = api.query('subnets', network_id=network['id'])
    if not subnets:
        raise exception.Invalid(
            _('The Neutron network %s has no subnet') % network['id'])
    for version in (4, 6):
        if sum(subnet.get('ip_version') == version
               for subnet in subnets) > 1:
            raise exception.Invalid(_(
                'Multiple Neutron subnets exist with ip version %s')
                % version)
    known = objects.ZunNetwork.list(
        context, filters={'neutron_net_id': network['id']})
    return known[0] if known else _create_row(context, network)


def _create_row(context, network):
    row = objects.ZunNetwork(
        context, project_id=context.project_id, user_id=context.user_id,
        name=network['id'], neutron_net_id=network['id'],
        network_id=network['id'], host=base.journal(context).host)
    row.create(context)
    return row


def delete_network(context, network) -> None:
    """Give up a network.

    :raises Conflict: containers are on it.
    """
    everywhere = context.elevated()
    everywhere.all_projects = True
    for row in db_api.list_containers(everywhere, consts.TYPE_ANY,
                                      columns=('uuid', 'addresses')):
        if network.neutron_net_id in (row['addresses'] or {}):
            raise exception.Conflict(
                _('Network %(network)s has container %(container)s on it')
                % {'network': network.neutron_net_id,
                   'container': row['uuid']})
    network.destroy(context)
