# SPDX-License-Identifier: Apache-2.0
"""From the body of a request to a container and what it needs.

The order of the steps of :func:`create` decides which of several errors is
answered, so it is part of the API.
"""

import math

from oslo_utils import strutils
from oslo_utils import uuidutils

from zun.api.controllers.v1 import container_access as access
from zun.api.controllers.v1 import container_fields
from zun.api import microversions
from zun.api import utils as api_utils
from zun.common import consts
from zun.common import exception
from zun.common.i18n import _
from zun.common import name_generator
from zun.common import quota
from zun.compute import api as compute
import zun.conf
from zun.db import api as db_api
from zun.network import neutron
from zun import objects
from zun.volume import request as volume_request

CONF = zun.conf.CONF

# The versions in which `tty` is what `interactive` is.
_TTY_FOLLOWS = (microversions.version('1.20'), microversions.version('1.35'))
_COMMAND_IS_LIST = microversions.version('1.20')

# Members of the body that are not fields of a container.
_NOT_FIELDS = ('availability_zone', 'hints', 'host', 'mounts', 'nets',
               'registry', 'run')

# Members whose null is refused; leaving them out means the default.
_NOT_NULL = ('cpu', 'memory', 'disk', 'nets', 'mounts')


def strict_flag(value) -> bool:
    """The truth of `run` or `interactive`.

    :raises InvalidValue: for what is neither true nor false.
    """
    try:
        return strutils.bool_from_string(value, strict=True)
    except ValueError:
        raise exception.InvalidValue(
            _('Valid run or interactive values are: %s') %
            api_utils.BOOLEAN_TEXTS)


def create(context, version, body: dict, run) -> 'objects.Container':
    """Check a request for a container, write it and queue its creation.

    :param body: valid by its schema; changed here.
    :param run: whether to start the container, too; a truth value as text.
    :returns: the container as it was written.
    """
    run = strict_flag(run)
    _read_flags(body, version)
    _resolve_security_groups(context, body)
    reservation = _check_quota(context, body)
    requested_networks, pci_requests = _check_fields(context, body)
    registry = _find_registry(context, body)
    requested_host = _requested_host(body)
    container = _container(context, body, registry)
    db_api.check_name_is_free(context, container.name, context.project_id)
    mounts = volume_request.resolve_mounts(context, body.get('mounts'))
    try:
        compute.API(context).container_create(
            context, container,
            _extra_spec(body, pci_requests, requested_host),
            requested_networks,
            lambda: _insert(context, container, mounts, reservation),
            run, pci_requests)
    except Exception:
        volume_request.discard(context, mounts)
        raise
    return container


# -- the steps of a creation -------------------------------------------
def _read_flags(body: dict, version) -> None:
    first, last = _TTY_FOLLOWS
    if first <= version <= last and 'interactive' in body:
        # By its truth, so that the text 'false' gives a terminal, too.
        body['tty'] = bool(body['interactive'])
    body['interactive'] = strict_flag(body.get('interactive', False))
    if version < _COMMAND_IS_LIST:
        body['command'] = container_fields.split_command(body.get('command'))


def _resolve_security_groups(context, body: dict) -> None:
    names = body.get('security_groups')
    if names:
        api_utils.require_token(context)
        api = neutron.NeutronAPI(context)
        body['security_groups'] = api.find_security_groups(names)


def _check_quota(context, body: dict) -> quota.Reservation:
    """What isn't asked for counts as nothing, though a default is used."""
    for name in _NOT_NULL:
        if name in body and body[name] is None:
            raise exception.InvalidValue(
                _("'%s' must not be null; leave it out for its default.") %
                name)
    reservation = quota.QUOTAS.check(context, {
        'containers': 1,
        'cpu': float(body.get('cpu') or 0),
        'memory': int(body.get('memory') or 0),
        'disk': int(body.get('disk') or 0)})
    if math.isnan(float(body.get('cpu') or 0)):
        raise exception.InvalidValue(_('cpu must be a number, not NaN.'))
    return reservation


def _gate(body: dict, name: str, first: str, rule: str | None = None) -> bool:
    """Whether a member is given, which its version and a policy allow."""
    if body.get(name) is None:
        return False
    api_utils.require_version(name, first)
    if rule:
        access.authorize('container:create:' + rule)
    return True


def _check_fields(context, body: dict):
    """Check version, policy and value of each member, in this order.

    :returns: the requested networks, and the PCI requests of their ports.
    """
    _gate(body, 'auto_remove', '1.3')
    _gate(body, 'runtime', '1.5', 'runtime')
    _gate(body, 'hostname', '1.9')
    api_utils.require_token(context)
    api = neutron.NeutronAPI(context)
    requested_networks = api.request_networks(body.get('nets'))
    pci_requests = api.pci_requests(requested_networks)
    if body.get('healthcheck'):
        api_utils.require_version('healthcheck', '1.22')
        body['healthcheck'] = container_fields.health_check(
            body['healthcheck'])
    else:
        body.pop('healthcheck', None)
    if body.get('mounts'):
        api_utils.require_version('mounts', '1.11')
    _gate(body, 'privileged', '1.21', 'privileged')
    if body.get('image_pull_policy') is not None:
        access.authorize('container:create:image_pull_policy')
    body['restart_policy'] = container_fields.check_restart_policy(
        body.get('restart_policy'))
    if _gate(body, 'exposed_ports', '1.24'):
        body['exposed_ports'] = container_fields.build_exposed_ports(
            body['exposed_ports'])
    return requested_networks, pci_requests


def _find_registry(context, body: dict):
    if not _gate(body, 'registry', '1.31'):
        return None
    ident = body['registry']
    if context.is_admin:
        context.all_projects = True
    if api_utils.is_uuid_like(ident):
        return objects.Registry.get_by_uuid(context, ident)
    return objects.Registry.get_by_name(context, ident)


def _requested_host(body: dict) -> str | None:
    host = body.get('host')
    if host:
        access.authorize('container:create:requested_destination')
    return host


def _container(context, body: dict, registry) -> 'objects.Container':
    values = {name: value for name, value in body.items()
              if name not in _NOT_FIELDS and value is not None}
    for name in ('command', 'entrypoint'):
        container_fields.plain_items(values.get(name) or (), name)
    container_fields.plain_items((values.get('labels') or {}).values(),
                                 'labels')
    _set_defaults(values)
    values.update(uuid=uuidutils.generate_uuid(),
                  project_id=context.project_id, user_id=context.user_id,
                  status=consts.CREATING)
    if registry is not None:
        values['registry_id'] = registry.id
    return objects.Container(context, **values)


def _set_defaults(values: dict) -> None:
    values.setdefault('name', '%s-container' %
                      name_generator.NameGenerator().generate())
    values['cpu'] = float(values.get('cpu', CONF.default_cpu))
    values['memory'] = str(values.get('memory', CONF.default_memory))
    # A disk that isn't asked for isn't limited.
    values['disk'] = int(values.get('disk', 0))
    values.setdefault('cpu_policy', 'shared')
    values.setdefault('runtime', None)
    values.setdefault('auto_remove', False)
    values.setdefault('tty', False)
    values.setdefault('auto_heal', False)
    values.setdefault('privileged', False)
    if values.get('image_driver') in (None, 'None'):
        values['image_driver'] = CONF.default_image_driver


def _extra_spec(body: dict, pci_requests, requested_host) -> dict:
    return {'hints': body.get('hints'),
            'pci_requests': pci_requests,
            'availability_zone': body.get('availability_zone') or
            CONF.default_schedule_zone,
            'requested_host': requested_host}


def _insert(context, container, mounts, reservation) -> dict:
    reservation.apply()
    container.create(context)
    return {container.uuid: volume_request.create_mappings(context, mounts)}


# -- updates -----------------------------------------------------------
def update_values(patch: dict) -> dict:
    """The values of an update as a container stores them.

    :raises InvalidValue: cpu or memory is null.
    """
    for name in ('cpu', 'memory'):
        if name in patch and patch[name] is None:
            raise exception.InvalidValue(
                _("'%s' must not be null; leave it out to keep it.") % name)
    values = resize_values(patch)
    if 'name' in values:
        # A null is a name like any other here.
        values['name'] = str(values['name'])
    return values


def resize_values(patch: dict) -> dict:
    """The values of a resize as its task takes them.

    :raises InvalidValue: cpu is null or not a number.
    """
    values = dict(patch)
    if 'cpu' in values:
        cpu = values['cpu']
        if cpu is None or math.isnan(float(cpu)):
            raise exception.InvalidValue(
                _("'cpu' has to be a number; leave it out to keep it."))
        values['cpu'] = float(cpu)
    if 'memory' in values:
        values['memory'] = str(values['memory'])
    return values


def apply(container, values: dict) -> None:
    """Set the fields of a container that differ from `values`."""
    for name, value in values.items():
        if getattr(container, name) != value:
            setattr(container, name, value)


def set_image(container, params: dict) -> None:
    """Set the image that a rebuild names.

    :param params: may have ``image`` and ``image_driver``.
    :raises ValidationError: an image driver that isn't configured.
    :raises InvalidValue: an image that isn't a text.
    """
    image = params.get('image')
    if image:
        if isinstance(image, (list, dict)):
            raise exception.InvalidValue(
                _("image has to be one name, not %r.") % image)
        container.image = str(image)
    driver = params.get('image_driver')
    if driver:
        if driver not in CONF.image_driver_list:
            raise exception.ValidationError(
                detail=_('Invalid input for image_driver, it should be '
                         'within the image drivers list'))
        container.image_driver = driver
