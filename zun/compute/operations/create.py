# SPDX-License-Identifier: Apache-2.0
"""Making a container, and making it again from its image."""

from oslo_log import log as logging

from zun.common import clients
from zun.common import consts
from zun.common import exception
from zun.common.i18n import _
from zun.compute import claims
from zun.compute import container_actions as actions
from zun.compute.operations import base
from zun.compute.operations import events
from zun.compute.operations import images
from zun.compute.operations import power
from zun.compute.operations import rows
from zun.compute.operations import starts
from zun.compute.operations import volumes
import zun.conf
from zun.container import driver as container_driver
from zun.container import errors
from zun.db import api as db_api
from zun.image import driver as image_driver
from zun import objects

LOG = logging.getLogger(__name__)

CONF = zun.conf.CONF

# What the journal of a create knows.
CLAIMED = 'claimed'
PLUGGED = 'plugged'
MADE = 'made'
OWN_GROUP = 'own_group'
_PLUGGING = 'plugging'

# Failures of a start that come from the image: the host is not at fault.
_PULL_REASONS = ('ErrImagePull', 'ImagePullBackOff', 'ErrImageNeverPull',
                 'ImageInspectError', 'InvalidImageName',
                 'RegistryUnavailable')


def create(parts: base.Parts, context, container, limits: dict,
           requested_networks: list, requested_volumes: dict, run: bool,
           pci_requests) -> None:
    """Make a container on the host that was chosen for it."""
    report = events.Report(context, container, actions.CREATE)
    report.require()
    journal = base.journal(context)
    if not journal.step_get(MADE):
        prepare(context, container, requested_volumes)
        report.begin(events.CREATE)
        claim(context, container, limits, pci_requests)
        rows.enter(context, container, consts.CONTAINER_CREATING)
        values = _make(parts, context, container, requested_networks)
        with db_api.writer(context):
            set_values(container, values)
            container.status = consts.CREATED
            container.status_detail = 'Created'
            rows.leave(context, container)
            journal.step_put(MADE, True)
            report.end(events.CREATE)
    if run:
        with report.event(events.START):
            power.start_within(parts, context, container)
    report.finish()


def prepare(context, container, requested_volumes: dict) -> None:
    """What is done before a create is reported: host, disk, volumes.

    :raises Invalid: the host can't limit disks, and a limit is wanted.
    """
    host = base.journal(context).host or container.host
    volumes.attach(context, requested_volumes, host)
    container.host = host
    _set_disk(context, container, host)
    container.save(context)


def _set_disk(context, container, host):
    node = objects.ComputeNode.get_by_name(context, host)
    if not node.disk_quota_supported:
        if container.disk:
            raise exception.Invalid(_(
                'Your host does not support disk quota feature.'))
    elif not container.disk:
        container.disk = CONF.default_disk


@db_api.retry_on_conflict
def claim(context, container, limits: dict, pci_requests) -> None:
    """Count the container in on its host, once.

    :raises ResourcesUnavailable: the host is too full.
    """
    journal = base.journal(context)
    if journal.step_get(CLAIMED):
        return
    with db_api.writer(context):
        claims.claim(context, container, container.host, limits,
                     pci_requests)
        journal.step_put(CLAIMED, True)
        container.save(context)


@db_api.retry_on_conflict
def unclaim(context, container, host: str) -> None:
    """Count the container out again, if this task has counted it in."""
    journal = base.journal(context)
    if not journal.step_get(CLAIMED):
        return
    with db_api.writer(context):
        claims.release(context, container, host)
        journal.step_put(CLAIMED, False)
        container.save(context)


def resolve_image(parts: base.Parts, context, container,
                  host: str | None = None) -> container_driver.Image:
    """What to run, from the container's image driver.

    :param host: where, if the container's own row does not say so.
    """
    name = image_driver.driver_name_of(container)
    image = image_driver.load_image_driver(name).resolve(
        context, container,
        images.fetcher(parts, context, host or container.host))
    container.image_driver = name
    return image


def _make(parts, context, container, requested_networks):
    journal = base.journal(context)
    image = resolve_image(parts, context, container)
    container.save(context)
    network = plug(parts, context, container, requested_networks)
    journal.check()
    return parts.driver.create(context, container, container_driver.Plan(
        {container.uuid: image}, network,
        {container.uuid: volumes.mounts(context, container.uuid)}))


def set_values(container, values: dict) -> None:
    """Take over the columns that a driver has set."""
    for name, value in values.items():
        setattr(container, name, value)


def plug(parts: base.Parts, context, container, requested_networks: list
         ) -> container_driver.Network:
    """Make the container's ports and note down its addresses."""
    journal = base.journal(context)
    driver = parts.network(context)
    if container.exposed_ports and not journal.step_get(OWN_GROUP):
        group = driver.open_ports(container)
        with db_api.writer(context):
            container.security_groups = [
                *(container.security_groups or ()), group]
            container.save(context)
            journal.step_put(OWN_GROUP, group)
    if journal.step_get(PLUGGED):
        plugged = driver.describe(container.addresses)
    else:
        journal.check()
        journal.step_put(_PLUGGING, True)
        plugged = driver.plug(container, container.host,
                              requested_networks)
        with db_api.writer(context):
            container.addresses = plugged.addresses
            container.save(context)
            journal.step_put(PLUGGED, True)
    return container_driver.Network(plugged.vifs, plugged.nameservers)


def create_failed(parts: base.Parts, context, container, exc: Exception,
                  requested_networks: list, requested_volumes: dict
                  ) -> None:
    """Give back what a create that failed has taken.

    A container that was made but can't be started stays, unless it lacks
    its image or room on the node: then there is nothing to keep.
    """
    if isinstance(exc, exception.ContainerActionNotFound):
        return
    made = base.journal(context).step_get(MADE)
    if made and not getattr(exc, 'before_run', False):
        _start_failed(parts, context, container, exc)
        return
    host = container.host or base.journal(context).host
    undo(parts, context, container, requested_networks, host)
    volumes.give_up(context, container)
    volumes.drop_requested(context, requested_volumes)
    with db_api.writer(context):
        container.container_id = None
        container.status_detail = None
        container.addresses = {}
        if getattr(exc, 'reason', None) not in _PULL_REASONS:
            container.host = None
        rows.fail(context, container, base.reason_of(exc))
        events.Report(context, container, actions.CREATE).fail(exc)


def _start_failed(parts, context, container, exc):
    power.hold_back(parts, context, container, exc)
    volumes.give_up(context, container)
    with db_api.writer(context):
        rows.fail(context, container, base.reason_of(exc))
        events.Report(context, container, actions.CREATE).fail(exc)


def undo(parts: base.Parts, context, container, requested_networks: list,
         host: str | None) -> None:
    """Remove a container's Pods and give its ports, claim and allocation
    back. May be repeated.

    :raises KubernetesError, PeerError: it can be tried again.
    """
    base.journal(context).check()
    parts.driver.remove(context, container, force=True)
    driver = parts.network(context)
    addresses = container.addresses or {}
    if not addresses and base.journal(context).step_get(_PLUGGING):
        addresses = driver.left_over(container, requested_networks)
    driver.unplug(container, addresses)
    _close_ports(context, container, driver)
    if host is not None:
        unclaim(context, container, host)
    try:
        parts.placement(context).delete_allocation_for_container(
            container.uuid)
    except clients.PeerRefused as exc:
        LOG.warning('The allocation of container %(uuid)s was not given '
                    'back: %(error)s',
                    {'uuid': container.uuid, 'error': exc})
    parts.driver.tidy(context, container.project_id,
                      lambda: is_empty(context, container.project_id))


def _close_ports(context, container, driver):
    journal = base.journal(context)
    group = journal.step_get(OWN_GROUP)
    if not group:
        return
    driver.close_ports(container)
    with db_api.writer(context):
        container.security_groups = [
            name for name in container.security_groups or ()
            if name != group]
        container.save(context)
        journal.step_put(OWN_GROUP, None)


def is_empty(context, project_id: str) -> bool:
    """Whether a project has no container or capsule in the database."""
    everywhere = context.elevated()
    everywhere.all_projects = True
    return not db_api.list_containers(
        everywhere, consts.TYPE_ANY, filters={'project_id': project_id},
        limit=1)


def rebuild(parts: base.Parts, context, container, run: bool) -> None:
    """Make a container again from its image, with its ports and files."""
    report = events.Report(context, container, actions.REBUILD)
    report.require()
    journal = base.journal(context)
    with report.event(events.REBUILD):
        if not journal.step_get(MADE):
            rows.enter(context, container, consts.CONTAINER_REBUILDING)
            _make_again(parts, context, container)
            journal.step_put(MADE, True)
            starts.forget(context)
        if run:
            with report.event(events.START):
                power.start_within(parts, context, container)
    report.finish()


def _make_again(parts, context, container):
    if not container.addresses:
        raise exception.Conflict(
            _('The container has no network to be rebuilt on.'))
    journal = base.journal(context)
    driver = parts.network(context)
    plugged = driver.rebind(container, container.host, container.addresses)
    image = resolve_image(parts, context, container)
    generation = container.container_id
    journal.check()
    parts.driver.remove(context, container, force=True)
    values = parts.driver.recreate(
        context, container, container_driver.Plan(
            {container.uuid: image},
            container_driver.Network(plugged.vifs, plugged.nameservers),
            {container.uuid: volumes.mounts(context, container.uuid)}))
    LOG.info('Container %(uuid)s is %(new)s after %(old)s',
             {'uuid': container.uuid, 'new': values['container_id'],
              'old': generation})
    with db_api.writer(context):
        set_values(container, values)
        container.addresses = plugged.addresses
        container.status = consts.CREATED
        container.status_reason = None
        rows.leave(context, container)


def rebuild_failed(parts: base.Parts, context, container,
                   exc: Exception) -> None:
    """Take note of a failed rebuild; host, ports and files stay."""
    if isinstance(exc, exception.ContainerActionNotFound):
        return
    if isinstance(exc, errors.StartFailed):
        power.hold_back(parts, context, container, exc)
    with db_api.writer(context):
        rows.fail(context, container, base.reason_of(exc))
        events.Report(context, container, actions.REBUILD).fail(
            exc, missed=events.REBUILD)
