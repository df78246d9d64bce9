# SPDX-License-Identifier: Apache-2.0
"""/v1/registries: where images come from, and who pulls them."""

import pecan

from zun.api.controllers import base
from zun.api.controllers import link
from zun.api.controllers.v1 import collection
from zun.api.controllers.v1.schemas import registries as schema
from zun.api.controllers.v1.views import registries_view
from zun.api import utils
from zun.api import validation
from zun.common import exception
from zun.common.i18n import _
from zun.common import policy
from zun.db import api as db_api
from zun import objects

FILTERS = ('name', 'domain', 'username', 'project_id', 'user_id')


def _find(context, ident: str) -> objects.Registry:
    """A registry by uuid or name; administrators see all projects'.

    :raises RegistryNotFound: none that the context may see has it
    :raises Conflict: several have the name
    """
    if context.is_admin:
        context.all_projects = True
    if utils.is_uuid_like(ident):
        return objects.Registry.get_by_uuid(context, ident)
    return objects.Registry.get_by_name(context, ident)


def _shown(registry) -> dict:
    row = {key: getattr(registry, key) for key in registries_view.KEYS}
    return {'registry': registries_view.format_registry(
        pecan.request.host_url, row)}


def _filters(params: dict) -> dict:
    """Take the filters out of the parameters; nothing else may be left.

    :raises InvalidValue: naming the parameters that are unknown
    """
    filters = {name: params.pop(name) for name in FILTERS if name in params}
    if params:
        raise exception.InvalidValue(
            _('Unknown parameters: %s') % ', '.join(params))
    return filters


class RegistryController(base.Controller):
    """Keeps the registries of projects."""

    @base.Controller.api_version('1.1')
    def get_all(self, **kwargs):
        """A page of the registries."""
        context = pecan.request.context
        policy.enforce(context, 'registry:get_all')
        if utils.is_all_projects(kwargs):
            policy.enforce(context, 'registry:get_all_all_projects')
            context.all_projects = True
        kwargs.pop('all_projects', None)
        paging = utils.Paging(kwargs)
        resource_url = utils.single(kwargs.pop('resource_url', None),
                                    'resource_url')
        if kwargs and paging.marker:
            # A marker that is gone comes before parameters that are unknown.
            db_api.get_registry_by_uuid(context, paging.marker)
        rows = db_api.list_registries(
            context, filters=_filters(kwargs), limit=paging.limit,
            marker=paging.marker, sort_key=paging.sort_key,
            sort_dir=paging.sort_dir, columns=registries_view.KEYS)
        return collection.page(
            'registries',
            [registries_view.format_registry(resource_url, row)
             for row in rows],
            paging.limit, resource=resource_url, sort_key=paging.sort_key,
            sort_dir=paging.sort_dir)

    @base.Controller.api_version('1.1')
    def get_one(self, registry_ident, **kwargs):
        """One registry."""
        context = pecan.request.context
        registry = _find(context, registry_ident)
        policy.enforce(context, 'registry:get_one', registry.as_dict())
        return _shown(registry)

    @base.Controller.api_version('1.1')
    @validation.enforce_content_types(('application/json',))
    @validation.validated(schema.registry_create)
    def post(self, run=False, **kwargs):
        """Add a registry; `run` is let pass and means nothing."""
        context = pecan.request.context
        policy.enforce(context, 'registry:create')
        registry = objects.Registry(
            context, project_id=context.project_id, user_id=context.user_id,
            **kwargs['registry'])
        registry.create(context)
        pecan.response.location = link.build_url(
            'registries', registry.uuid, pecan.request.host_url)
        pecan.response.status = 201
        return _shown(registry)

    @base.Controller.api_version('1.1')
    @validation.validated(schema.registry_update)
    def patch(self, registry_ident, **kwargs):
        """Change a registry."""
        context = pecan.request.context
        registry = _find(context, registry_ident)
        policy.enforce(context, 'registry:update', registry.as_dict())
        for name, value in kwargs['registry'].items():
            setattr(registry, name, value)
        registry.save(context)
        return _shown(registry)

    @base.Controller.api_version('1.1')
    def delete(self, registry_ident, **kwargs):
        """Remove a registry that no container uses."""
        context = pecan.request.context
        registry = _find(context, registry_ident)
        policy.enforce(context, 'registry:delete', registry.as_dict())
        registry.destroy(context)
        pecan.response.status = 204
