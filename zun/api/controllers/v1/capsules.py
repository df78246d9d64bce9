# SPDX-License-Identifier: Apache-2.0
"""/v1/capsules: containers that run and end together."""

import pecan

from zun.api.controllers import base
from zun.api.controllers import link
from zun.api.controllers.v1 import capsule_request
from zun.api.controllers.v1 import capsule_template
from zun.api.controllers.v1 import collection
from zun.api.controllers.v1.schemas import capsules as schema
from zun.api.controllers.v1.views import capsules_view as view
from zun.api import utils
from zun.api import validation
from zun.api.validation import validators
from zun.common import consts
from zun.common import exception
from zun.common import policy
from zun.compute import api as compute_api
import zun.conf
from zun.db import api as db_api
from zun.network import neutron
from zun import objects

CONF = zun.conf.CONF

_template_validator = validators.SchemaValidator(schema.template)


def _find(context, ident: str) -> objects.Capsule:
    """A capsule by uuid or name; administrators see all projects'.

    :raises ContainerNotFound: none that the context may see has it
    :raises Conflict: several have the name
    """
    if context.is_admin:
        context.all_projects = True
    if utils.is_uuid_like(ident):
        return objects.Capsule.get_by_uuid(context, ident)
    return objects.Capsule.get_by_name(context, ident)


def _target(capsule) -> dict:
    return {'project_id': capsule.project_id, 'user_id': capsule.user_id}


def _registry_uuids(context, members) -> dict[int, str]:
    ids = {member['registry_id'] for found in members
           for member in found} - {None}
    if not ids:
        return {}
    found = db_api.registries_by_ids(context, ids)
    return {number: row['uuid'] for number, row in found.items()}


def _shown(context, rows: list[dict], url: str) -> list[dict]:
    """Rows of capsules as documents.

    Their containers, and the registries of these, come by one statement
    each.
    """
    members = db_api.list_containers_by_capsule_ids(
        context, [row['id'] for row in rows], columns=view.MEMBER_COLUMNS)
    registries = _registry_uuids(context, members.values())
    return [view.format_capsule(context, url, row, members[row['id']],
                                registries) for row in rows]


def _list(context, params: dict) -> dict:
    policy.enforce(context, 'capsule:get_all')
    context.all_projects = utils.is_all_projects(params)
    paging = utils.Paging(params)
    resource_url = utils.single(params.get('resource_url'), 'resource_url')
    rows = db_api.list_containers(
        context, consts.TYPE_CAPSULE, limit=paging.limit,
        marker=paging.marker, sort_key=paging.sort_key,
        sort_dir=paging.sort_dir, columns=view.COLUMNS)
    url = pecan.request.host_url if resource_url is None else resource_url
    return collection.page('capsules', _shown(context, rows, url),
                           paging.limit, resource=resource_url,
                           sort_key=paging.sort_key,
                           sort_dir=paging.sort_dir)


def _get(context, ident: str) -> dict:
    capsule = _find(context, ident)
    policy.enforce(context, 'capsule:get', _target(capsule))
    row = {key: getattr(capsule, key) for key in view.COLUMNS}
    return _shown(context, [row], pecan.request.host_url)[0]


def parse_template(template) -> capsule_template.CapsuleTemplate:
    """A template, checked.

    :raises InvalidCapsuleTemplate, SchemaValidationError: what is wrong
    """
    if isinstance(template, str):
        template = capsule_template.load(template)
        if isinstance(template, str):
            raise exception.InvalidCapsuleTemplate(
                'The template need to be an object')
        _template_validator.validate(template)
    return capsule_template.parse(template)


class _Creation:
    """One request for a capsule."""

    def __init__(self, context, template) -> None:
        self.context = context
        self.template = template
        self.capsule = capsule_request.build_capsule(context, template)
        self.init_containers, self.containers = (
            capsule_request.build_members(context, template, self.capsule))
        self.members = self.init_containers + self.containers
        self.volumes: list = []

    def run(self) -> dict:
        """Ask the peers, choose a host, write the rows; the document."""
        context = self.context
        networks = neutron.NeutronAPI(context).request_networks([])
        self.volumes = capsule_request.create_volumes(context, self.template)
        try:
            compute_api.API(context).container_create(
                context, self.capsule,
                extra_spec={
                    'hints': {},
                    'availability_zone': self.template.availability_zone},
                requested_networks=networks, insert=self._insert, run=False,
                members=self.members)
        except Exception:
            capsule_request.forget_volumes(context, self.volumes)
            raise
        return self._document()

    def _insert(self) -> dict[str, list]:
        context, capsule = self.context, self.capsule
        capsule.create(context)
        for member in self.members:
            member.capsule_id = capsule.id
            member.create(context)
        capsule.init_containers = self.init_containers
        capsule.containers = self.containers
        # The sandbox is a change of its own: a new capsule has an
        # updated_at, which clients of the reference see.
        capsule.image = CONF.sandbox_image
        capsule.image_driver = CONF.sandbox_image_driver
        capsule.save(context)
        return capsule_request.map_volumes(
            context, self.template.init_containers +
            self.template.containers, self.members, self.volumes)

    def _document(self) -> dict:
        row = {key: getattr(self.capsule, key) for key in view.KEYS}
        members = [
            {'container_type': member.container_type,
             **{key: getattr(member, key) for key in view.MEMBER_KEYS}}
            for member in self.members]
        return view.format_capsule(self.context, pecan.request.host_url, row,
                                   members, {})


def _post(context, template) -> dict:
    policy.enforce(context, 'capsule:create')
    utils.require_token(context)
    document = _Creation(context, parse_template(template)).run()
    pecan.response.location = link.build_url(
        'capsules', document['uuid'], pecan.request.host_url)
    pecan.response.status = 202
    return document


class CapsuleController(base.Controller):
    """Makes, shows and deletes capsules."""

    @base.Controller.api_version('1.1', '1.31')
    def get_all(self, **kwargs):
        """A page of the capsules, in their old form."""
        page = _list(pecan.request.context, kwargs)
        page['capsules'] = [view.legacy(shown) for shown in page['capsules']]
        return page

    @base.Controller.api_version('1.32')
    def get_all(self, **kwargs):  # noqa: F811
        """A page of the capsules."""
        return _list(pecan.request.context, kwargs)

    @base.Controller.api_version('1.1', '1.31')
    def get_one(self, capsule_ident, **kwargs):
        """One capsule, in its old form."""
        return view.legacy(_get(pecan.request.context, capsule_ident))

    @base.Controller.api_version('1.32')
    def get_one(self, capsule_ident, **kwargs):  # noqa: F811
        """One capsule."""
        return _get(pecan.request.context, capsule_ident)

    @base.Controller.api_version('1.1', '1.31')
    @validation.enforce_content_types(('application/json',))
    @validation.validated(schema.capsule_create)
    def post(self, **kwargs):
        """Make a capsule; the answer has the old form."""
        return view.legacy(_post(pecan.request.context, kwargs['template']))

    @base.Controller.api_version('1.32')
    @validation.enforce_content_types(('application/json',))
    @validation.validated(schema.capsule_create)
    def post(self, **kwargs):  # noqa: F811
        """Make a capsule."""
        return _post(pecan.request.context, kwargs['template'])

    @base.Controller.api_version('1.1')
    def delete(self, capsule_ident, **kwargs):
        """Delete a capsule, whatever it is doing."""
        context = pecan.request.context
        if utils.is_all_projects(kwargs):
            policy.enforce(context, 'capsule:delete_all_projects')
            context.all_projects = True
        capsule = _find(context, capsule_ident)
        policy.enforce(context, 'capsule:delete', _target(capsule))
        with db_api.writer(context):
            if capsule.host:
                capsule.task_state = consts.CONTAINER_DELETING
                capsule.save(context)
                compute_api.API(context).container_delete(context, capsule,
                                                          False)
            else:
                for member in (*capsule.init_containers,
                               *capsule.containers):
                    member.destroy(context)
                capsule.destroy(context)
        pecan.response.status = 204
