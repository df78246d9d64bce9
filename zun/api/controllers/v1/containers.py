# SPDX-License-Identifier: Apache-2.0
"""Containers: list, show, create, update, delete.

The actions are in :mod:`zun.api.controllers.v1.container_operations`.
"""

import pecan

from zun.api.controllers import base
from zun.api.controllers import link
from zun.api.controllers.v1 import collection
from zun.api.controllers.v1 import container_access as access
from zun.api.controllers.v1 import container_actions
from zun.api.controllers.v1 import container_operations
from zun.api.controllers.v1 import container_request
from zun.api.controllers.v1.container_states import validate_container_state
from zun.api.controllers.v1.schemas import containers as schema
from zun.api.controllers.v1.views import containers_view as view
from zun.api import utils as api_utils
from zun.api import validation
from zun.common import consts
from zun.common import exception
from zun.common.i18n import _
from zun.common import quota
from zun.compute import api as compute
from zun.db import api as db_api

FILTERS = ('name', 'image', 'project_id', 'user_id', 'memory', 'host',
           'task_state', 'status', 'auto_remove')

# Columns that a list needs.
_COLUMNS = frozenset(view.KEYS)

# Seconds that a container has to stop before its delete.
STOP_TIMEOUT = 10

# Query parameters of a delete and the version that brought them.
_DELETE_SINCE = (('stop', '1.12'), ('force', '1.7'))


def _registry_uuids(context, rows: list[dict]) -> dict[int, str]:
    """Registry id to uuid, for the registries of some containers.

    :raises RegistryNotFound: a registry is gone.
    """
    ids = {row['registry_id'] for row in rows} - {None}
    if not ids:
        return {}
    found = db_api.registries_by_ids(context, ids)
    for number in ids - set(found):
        raise exception.RegistryNotFound(registry=number)
    return {number: row['uuid'] for number, row in found.items()}


def document(row: dict) -> dict:
    """A container's row as the answer shows it, with links."""
    context = pecan.request.context
    return view.format_container(
        row, view.visible_keys(context), _registry_uuids(context, [row]),
        pecan.request.host_url)


def object_document(container) -> dict:
    """Like :func:`document`, of an object."""
    return document({key: getattr(container, key) for key in view.KEYS})


def _take_filters(params: dict) -> dict:
    """Take the filters out of the query.

    :raises PolicyNotAuthorized: for `host` of those who may not see it.
    :raises InvalidValue: for parameters that are left.
    """
    filters = {}
    for name in FILTERS:
        if name not in params:
            continue
        rule = 'container:get_one:' + name
        if name == 'host':
            access.authorize(rule)
        filters[name] = params.pop(name)
    if params:
        raise exception.InvalidValue(
            _('Unknown parameters: %s') % ', '.join(params))
    return filters


class ContainersController(container_operations.ContainerOperations):
    """/v1/containers"""

    sub_controllers = {
        'container_actions': container_actions.ContainersActionsController(),
    }

    @base.Controller.api_version('1.1')
    def get_all(self, **kwargs):
        """The containers of the project, a page at a time."""
        context = pecan.request.context
        access.authorize('container:get_all')
        if api_utils.is_all_projects(kwargs):
            access.authorize('container:get_all_all_projects')
            context.all_projects = True
        kwargs.pop('all_projects', None)
        paging = api_utils.Paging(kwargs)
        resource = api_utils.single(kwargs.pop('resource_url', None),
                                    'resource_url')
        kwargs.pop('expand', None)
        if kwargs and paging.marker:
            # A marker that is gone comes before parameters that are unknown.
            db_api.get_container_by_uuid(context, consts.TYPE_CONTAINER,
                                         paging.marker)
        with db_api.reader(context):
            rows = db_api.list_containers(
                context, consts.TYPE_CONTAINER, _take_filters(kwargs),
                paging.limit, paging.marker, paging.sort_key,
                paging.sort_dir, columns=_COLUMNS)
            return self._page(rows, paging, resource)

    @staticmethod
    def _page(rows: list[dict], paging, resource: str | None) -> dict:
        context = pecan.request.context
        keys = view.visible_keys(context)
        registries = _registry_uuids(context, rows)
        # A page of another resource has links, which start with its name.
        return collection.page(
            'containers',
            [view.format_container(row, keys, registries, resource or None)
             for row in rows],
            paging.limit, resource or 'containers',
            sort_key=paging.sort_key, sort_dir=paging.sort_dir)

    @base.Controller.api_version('1.1')
    def get_one(self, container_ident, **kwargs):
        """One container, from the database alone."""
        if api_utils.is_all_projects(kwargs):
            access.authorize('container:get_one_all_projects')
            pecan.request.context.all_projects = True
        with db_api.reader(pecan.request.context):
            row = access.find_row(container_ident)
            access.authorize('container:get_one', row)
            return document(row)

    @base.Controller.api_version('1.1')
    @validation.enforce_content_types(('application/json',))
    @validation.validated_query(schema.query_create)
    @validation.validated_by_version(schema.create_schema)
    def post(self, run=False, **container_dict):
        """Create a container; run it too if `run` is true."""
        context = pecan.request.context
        access.authorize('container:create')
        container = container_request.create(
            context, pecan.request.version, container_dict, run)
        pecan.response.location = link.build_url(
            'containers', container.uuid, pecan.request.host_url)
        pecan.response.status = 202
        return object_document(container)

    @base.Controller.api_version('1.1')
    @validation.validated(schema.container_update)
    def patch(self, container_ident, **patch):
        """Change name or auto_heal at once, cpu or memory on the host."""
        context = pecan.request.context
        container = access.find_for(container_ident, 'container:update')
        validate_container_state(container, 'update')
        patch = container_request.update_values(patch)
        quota.check_update(context, container, patch)
        if 'cpu' in patch or 'memory' in patch:
            container = compute.API(context).container_update(
                context, container, patch)
        else:
            container_request.apply(container, patch)
            container.save(context)
        return object_document(container)

    @base.Controller.api_version('1.1', '1.13')
    @validation.validated_query(schema.query_rename)
    def rename(self, container_ident, name=api_utils.MISSING):
        """Give a container another name."""
        container = access.find_for(container_ident, 'container:rename')
        name = api_utils.required(name, 'name')
        if container.name == name:
            raise exception.Conflict(_('The new name for the container is '
                                       'the same as the old name.'))
        if isinstance(name, (dict, list)):
            # The schema is about the query; a body isn't checked by it.
            raise exception.InvalidValue(_("'name' must be a text."))
        container.name = name
        container.save(pecan.request.context)
        return object_document(container)

    @base.Controller.api_version('1.1')
    @validation.validated_query(schema.query_delete)
    def delete(self, container_ident, force=False, **kwargs):
        """Delete a container; `stop` it first, or `force` it."""
        context = pecan.request.context
        if api_utils.is_all_projects(kwargs):
            access.authorize('container:delete_all_projects')
            context.all_projects = True
        container = access.find(container_ident)
        force, stop = _delete_options(force, kwargs.get('stop', False))
        _check_delete(container, force, stop)
        stop = stop and container.status == consts.RUNNING
        if stop:
            access.authorize('container:stop', container.as_dict())
        _delete(context, container, force, stop)
        pecan.response.status = 204


def _delete_options(force, stop) -> tuple[bool, bool]:
    options = {name: api_utils.strict_bool(value, 'force or stop')
               for name, value in (('force', force), ('stop', stop))}
    for name, first in _DELETE_SINCE:
        if options[name]:
            api_utils.require_version(name, first)
    return options['force'], options['stop']


def _check_delete(container, force: bool, stop: bool) -> None:
    """What `stop` allows wins over what `force` does."""
    target = container.as_dict()
    if force and not stop:
        access.authorize('container:delete_force', target)
        validate_container_state(container, 'delete_force')
    else:
        access.authorize('container:delete', target)
        validate_container_state(
            container, 'delete_after_stop' if stop else 'delete')


@db_api.retry_on_conflict
def _delete(context, container, force: bool, stop: bool) -> None:
    with db_api.writer(context):
        if stop:
            compute.API(context).container_stop(context, container,
                                                STOP_TIMEOUT)
        if not container.host:
            # It never reached a host, so there is nothing to clean up.
            container.destroy(context)
            return
        # Only the task sees this; the row keeps its status until then.
        container.status = consts.DELETING
        compute.API(context).container_delete(context, container, force)
