# SPDX-License-Identifier: Apache-2.0
"""What the OpenAPI document says that no schema or view does."""

from zun.api.controllers.v1.views import capsules_view
from zun.api.controllers.v1.views import containers_view
from zun.api.controllers.v1.views import hosts_view
from zun.api.controllers.v1.views import images_view
from zun.api.controllers.v1.views import network_view
from zun.api.controllers.v1.views import registries_view
from zun.api.controllers.v1.views import services_view
from zun.api import microversions

DESCRIPTION = (
    'Containers, and what belongs to them, in an OpenStack cloud. The '
    'header OpenStack-API-Version chooses a microversion, the oldest one '
    'when it is left out.')

SECURITY = {'token': {
    'type': 'apiKey', 'in': 'header', 'name': 'X-Auth-Token',
    'description': 'A token of the identity service.'}}

HEADERS = {'version': {
    'name': microversions.Header.VERSION, 'in': 'header', 'required': False,
    'schema': {'type': 'string',
               'pattern': r'^container (latest|[0-9]+\.[0-9]+)$'},
    'description': 'The microversion, e.g. "%s".'
                   % microversions.MAX_VERSION.header}}

STATUS = {200: 'Done.', 201: 'Created.', 202: 'Accepted, and being done.',
          204: 'Done; there is no body.'}

TEXT = {'type': 'string'}
FLAG = {'type': ['boolean', 'string']}
NUMBER = {'type': ['integer', 'string']}

ERROR_RESPONSE = {
    'description': 'An error.',
    'content': {'application/json': {
        'schema': {'$ref': '#/components/schemas/Errors'}}}}


def _reference(name: str) -> dict:
    return {'$ref': '#/components/schemas/' + name}


def _list_of(schema: dict) -> dict:
    return {'type': 'array', 'items': schema}


def _object(**properties) -> dict:
    return {'type': 'object', 'properties': properties,
            'required': sorted(properties)}


def _page(name: str, schema: dict) -> dict:
    return _object(**{name: _list_of(schema),
                      'next': {'type': ['string', 'null']}})


_LINKS = _list_of({'type': 'object', 'properties': {
    'href': TEXT, 'rel': TEXT, 'type': TEXT}, 'required': ['href', 'rel']})


def _shown(keys, **more) -> dict:
    """A resource: any value under the keys of its view."""
    return {'type': 'object',
            'properties': {**{key: {} for key in keys}, **more}}


def schemas() -> dict:
    """The documents that answers consist of."""
    container = _reference('Container')
    return {
        'Errors': _object(errors=_list_of(_object(
            request_id=TEXT, code=TEXT, status={'type': 'integer'},
            title=TEXT, detail=TEXT, links={'type': 'array'}))),
        'Container': _shown(containers_view.KEYS, links=_LINKS),
        'Capsule': _shown(capsules_view.KEYS, links=_LINKS,
                          containers=_list_of(container),
                          init_containers=_list_of(container)),
        'Host': _shown(hosts_view.KEYS, links=_LINKS),
        'Image': _shown(images_view.KEYS, links=_LINKS),
        'Network': _shown(network_view.KEYS),
        'Registry': _shown(registries_view.KEYS, password=TEXT,
                           links=_LINKS),
        'Service': _shown(services_view.KEYS + services_view.TIMES +
                          ('availability_zone', 'state')),
        'Quotas': {'type': 'object', 'additionalProperties': {
            'type': ['integer', 'object']}},
        'Action': _shown((
            'action', 'container_uuid', 'request_id', 'start_time',
            'finish_time', 'message', 'project_id', 'user_id')),
    }


CONTAINER = _reference('Container')
ANY: dict = {}
NULL = {'type': 'null'}

# Route -> (status, schema of the body; None: there is no body).
ANSWERS: dict[str, tuple[int, dict | None]] = {
    'availability_zones get_all': (200, _page(
        'availability_zones', _shown(('availability_zone',)))),
    'capsules delete': (204, None),
    'capsules get_all': (200, _page('capsules', _reference('Capsule'))),
    'capsules get_one': (200, _reference('Capsule')),
    'capsules post': (202, _reference('Capsule')),
    'containers add_security_group': (202, ANY),
    'containers attach': (200, ANY),
    'containers commit': (202, _object(uuid=TEXT)),
    'containers container_actions': (200, _object(
        containerActions=_list_of(_reference('Action')))),
    'containers container_actions show': (200, _reference('Action')),
    'containers delete': (204, None),
    'containers execute': (200, _shown(('output', 'exit_code', 'exec_id',
                                        'proxy_url'))),
    'containers execute_resize': (200, ANY),
    'containers get_all': (200, _page('containers', CONTAINER)),
    'containers get_archive': (200, _shown(('data', 'stat'))),
    'containers get_one': (200, CONTAINER),
    'containers kill': (202, ANY),
    'containers logs': (200, ANY),
    'containers network_attach': (200, ANY),
    'containers network_detach': (202, ANY),
    'containers network_list': (200, ANY),
    'containers patch': (200, CONTAINER),
    'containers pause': (202, ANY),
    'containers post': (202, CONTAINER),
    'containers put_archive': (200, ANY),
    'containers reboot': (202, ANY),
    'containers rebuild': (202, ANY),
    'containers remove_security_group': (202, ANY),
    'containers rename': (200, CONTAINER),
    'containers resize': (200, ANY),
    'containers resize_container': (202, ANY),
    'containers start': (202, ANY),
    'containers stats': (200, {'type': 'object'}),
    'containers stop': (202, ANY),
    'containers top': (200, _shown(('Titles', 'Processes'))),
    'containers unpause': (202, ANY),
    'hosts get_all': (200, _page('hosts', _reference('Host'))),
    'hosts get_one': (200, _reference('Host')),
    'images delete': (200, NULL),
    'images get_all': (200, _page('images', _reference('Image'))),
    'images get_one': (200, _reference('Image')),
    'images post': (202, _reference('Image')),
    'images search': (200, {'type': 'array'}),
    'networks delete': (204, None),
    'networks post': (200, _reference('Network')),
    'quota_classes get': (200, _reference('Quotas')),
    'quota_classes put': (200, _reference('Quotas')),
    'quotas defaults': (200, _reference('Quotas')),
    'quotas delete': (200, NULL),
    'quotas get': (200, _reference('Quotas')),
    'quotas put': (200, _reference('Quotas')),
    'registries delete': (204, None),
    'registries get_all': (200, _page('registries',
                                      _reference('Registry'))),
    'registries get_one': (200, _object(registry=_reference('Registry'))),
    'registries patch': (200, _object(registry=_reference('Registry'))),
    'registries post': (201, _object(registry=_reference('Registry'))),
    'services delete': (200, NULL),
    'services disable': (200, _object(service={'type': 'object'})),
    'services enable': (200, _object(service={'type': 'object'})),
    'services force_down': (200, _object(service={'type': 'object'})),
    'services get_all': (200, _object(
        services=_list_of(_reference('Service')))),
}

_ALL_PROJECTS = {'all_projects': FLAG}
_PAGING = {'limit': NUMBER, 'marker': TEXT, 'sort_key': TEXT,
           'sort_dir': {'enum': ['asc', 'desc']}}


def _filters(*names: str) -> dict:
    return dict.fromkeys(names, TEXT)


# Route -> parameters of the query that no schema describes.
QUERY: dict[str, dict] = {
    'availability_zones get_all': {
        name: _PAGING[name] for name in ('limit', 'sort_key', 'sort_dir')},
    'capsules delete': _ALL_PROJECTS,
    'capsules get_all': {**_PAGING, **_ALL_PROJECTS},
    'containers get_all': {
        **_PAGING, **_ALL_PROJECTS,
        **_filters('name', 'image', 'project_id', 'user_id', 'memory',
                   'host', 'task_state', 'status', 'auto_remove')},
    'containers get_archive': {'path': TEXT},
    'containers get_one': _ALL_PROJECTS,
    'containers put_archive': {'path': TEXT},
    'containers rebuild': {'image': TEXT,
                           'image_driver': {'enum': ['docker', 'glance']}},
    'hosts get_all': _PAGING,
    'images get_all': _PAGING,
    'quotas get': {'usages': TEXT},
    'registries get_all': {
        **_PAGING, **_ALL_PROJECTS,
        **_filters('name', 'domain', 'username', 'project_id', 'user_id')},
    'services delete': {'host': TEXT, 'binary': TEXT},
}

# Route -> parameters of the query that are needed, beside those that a
# schema says are.
REQUIRED: dict[str, tuple[str, ...]] = {
    'containers execute': ('command',),
    'containers execute_resize': ('exec_id', 'h', 'w'),
    'containers get_archive': ('path',),
    'containers put_archive': ('path',),
    'containers rename': ('name',),
    'containers resize': ('h', 'w'),
    'services delete': ('host', 'binary'),
    'services disable': ('host', 'binary'),
    'services enable': ('host', 'binary'),
    'services force_down': ('host', 'binary', 'forced_down'),
}

# Routes whose arguments are checked wherever they are; clients send them in
# the query.
BODY_AS_QUERY = frozenset(('containers kill',))

# Route -> body that no schema describes.
BODIES: dict[str, dict] = {
    'containers put_archive': _object(data=TEXT),
}

VERSION_DOCUMENTS: dict[str, dict] = {
    '/': {'operationId': 'versions', 'tags': ['versions'], 'security': [],
          'summary': 'The versions of the API',
          'responses': {'200': {'description': STATUS[200], 'content': {
              'application/json': {'schema': {'type': 'object'}}}}}},
    '/v1': {'operationId': 'v1', 'tags': ['versions'], 'security': [],
            'summary': 'The resources of the v1 API',
            'parameters': [{'$ref': '#/components/parameters/version'}],
            'responses': {
                '200': {'description': STATUS[200], 'content': {
                    'application/json': {'schema': {'type': 'object'}}}},
                'default': {'$ref': '#/components/responses/Error'}}},
}
