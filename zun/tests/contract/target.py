# SPDX-License-Identifier: Apache-2.0
"""The API as a target of recorded exchanges.

``make_app`` builds the WSGI application without the token filter, so that
identity comes from the ``X-...`` headers; ``Seams`` stands where the API
hands work to the compute side.
"""

import json
import os

import sqlalchemy as sa

from zun.api import app as api_app
from zun.common import config
from zun.common import exception
from zun.common import keystone
from zun.compute import rpcapi
from zun.compute.tasks import errors
import zun.conf
from zun.db import api as db_api
from zun.db.sqlalchemy import schema
from zun import objects

CONF = zun.conf.CONF

CONFIGURATION = """[DEFAULT]
host = api-1
my_ip = 192.0.2.10
use_stderr = False
[api]
api_paste_config = %(workdir)s/api-paste.ini
[database]
connection = %(db_url)s
[keystone_auth]
auth_type = password
auth_url = http://peers.test/identity/v3
username = zun
password = secret
project_name = service
user_domain_name = Default
project_domain_name = Default
[keystone_authtoken]
www_authenticate_uri = http://peers.test/identity/v3
"""

PIPELINE = """[composite:main]
use = egg:Paste#urlmap
/: zun_api_pipeline
/healthcheck: healthcheck

[pipeline:zun_api_pipeline]
pipeline = cors request_id osprofiler api_v1

[app:api_v1]
paste.app_factory = zun.api.app:app_factory

[filter:osprofiler]
paste.filter_factory = zun.common.profiler:WsgiMiddleware.factory

[filter:request_id]
paste.filter_factory = oslo_middleware:RequestId.factory

[filter:cors]
paste.filter_factory = oslo_middleware.cors:filter_factory
oslo_config_project = zun

[app:healthcheck]
paste.app_factory = oslo_middleware:Healthcheck.app_factory
backends = disable_by_file
disable_by_file_path = %(workdir)s/healthcheck_disable
"""

# What a recorded compute call answers unless its exchange says otherwise.
DEFAULT_ANSWERS = {
    'container_show': {'$echo': 'container'},
    'container_update': {'$echo': 'container', 'patch': True},
    'container_logs': 'line 1\nline 2\n',
    'container_exec': {'output': 'done\n', 'exit_code': 0, 'exec_id': None,
                       'token': None},
    'container_exec_resize': None,
    'container_attach': 'attach-token-1',
    'container_resize': None,
    'container_top': {'Titles': ['PID', 'CMD'], 'Processes': [['1', 'sh']]},
    'container_get_archive': ['dGFyYmFsbA==',
                              {'name': 'hosts', 'size': 8, 'mode': 420}],
    'container_put_archive': None,
    'container_stats': {'CONTAINER': 'web', 'CPU %': 1.5,
                        'MEM USAGE(MiB)': 2.0, 'MEM LIMIT(MiB)': 512.0,
                        'MEM %': 0.4, 'BLOCK I/O(B)': '0/0',
                        'NET I/O(B)': '1/2'},
    'container_commit': {'uuid': 'b1b1b1b1-0000-4000-8000-000000000001'},
    'image_search': [{'name': 'nginx', 'is_official': True,
                      'star_count': 10}],
    'network_create': {'$network': {
        'id': 7, 'uuid': 'de000000-0000-4000-8000-000000000099',
        'name': 'net-a',
        'neutron_net_id': 'de000000-0000-4000-8000-000000000001',
        'network_id': 'docker-net-1', 'project_id': 'p', 'user_id': 'u'}},
    'network_delete': None,
}

# Objects that calls name by their uuid and what they changed without saving.
_BY_UUID = ('Container', 'Capsule', 'CapsuleContainer',
            'CapsuleInitContainer')
# Fields that are objects of their own.
_PARTS = ('containers', 'init_containers', 'registry')


def make_app(db_url: str, workdir: str):
    """The application on a database, whose schema is made.

    :param workdir: a directory for the configuration; its files are
        overwritten.
    """
    names = {'db_url': db_url, 'workdir': workdir}
    for name, text in (('zun.conf', CONFIGURATION),
                       ('api-paste.ini', PIPELINE)):
        with open(os.path.join(workdir, name), 'w') as file:
            file.write(text % names)
    config.parse_args(['zun-api', '--config-file',
                       os.path.join(workdir, 'zun.conf')])
    config.set_config_defaults()
    engine = sa.create_engine(db_url)
    schema.create_all(engine)
    engine.dispose()
    db_api.configure(connection=db_url)
    return api_app.load_app()


def _object(value) -> dict:
    name = value.obj_name()
    if name in _BY_UUID:
        shown = {'$object': name, 'uuid': value.uuid}
        unsaved = {field: getattr(value, field)
                   for field in value.obj_what_changed()
                   if field not in _PARTS}
        if unsaved:
            shown['unsaved'] = plain(unsaved)
        return shown
    shown = {'$object': name}
    for field in value.fields:
        if field in ('created_at', 'updated_at') or \
                not value.obj_attr_is_set(field):
            continue
        if getattr(value, field) is not None:
            shown[field] = plain(getattr(value, field))
    return shown


def plain(value):
    """An argument of a compute call as recordings show it."""
    if isinstance(value, objects.base.ZunObject):
        return _object(value)
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (set, frozenset)):
        return sorted(plain(item) for item in value)
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value


class Seams:
    """Watches the compute layer and answers in its place."""

    def __init__(self, app) -> None:
        self._calls = []
        self._answers = {}
        self._real = (rpcapi.API._call, rpcapi.API._cast)
        seams = self

        def _call(api, server, method, **kwargs):
            seams._record('call', server, method, kwargs)
            return seams._answer(api._context, method, kwargs)

        def _cast(api, server, method, **kwargs):
            seams._record('cast', server, method, kwargs)
            answer = seams._answers.get(method)
            if isinstance(answer, dict) and '$raise' in answer:
                _raise(answer)
        rpcapi.API._call, rpcapi.API._cast = _call, _cast

    def close(self) -> None:
        """Put the compute layer back."""
        rpcapi.API._call, rpcapi.API._cast = self._real

    def begin(self, exchange: dict) -> None:
        """Forget the calls; take the answers of an exchange."""
        self._calls = []
        self._answers = exchange.get('answers') or {}
        # Each exchange has peers of its own: no token outlives it.
        keystone.reset()

    def end(self) -> list[dict]:
        """The calls since ``begin``: kind, server, method, args."""
        return self._calls

    def _record(self, kind, server, method, kwargs) -> None:
        self._calls.append({'kind': kind, 'server': server,
                            'method': method, 'args': plain(kwargs)})

    def _answer(self, context, method: str, kwargs: dict):
        answer = self._answers.get(method, DEFAULT_ANSWERS.get(method))
        if isinstance(answer, dict):
            if '$raise' in answer:
                _raise(answer)
            if '$echo' in answer:
                return _echo(answer, kwargs)
            if '$network' in answer:
                return objects.ZunNetwork(context, **answer['$network'])
        if method == 'container_get_archive' and isinstance(answer, list):
            return tuple(answer)
        return json.loads(json.dumps(answer))


def _raise(answer: dict) -> None:
    if answer['$raise'] == 'MessagingTimeout':
        raise errors.TaskTimeout(kind='work', seconds=60, why='no reply')
    error = getattr(exception, answer['$raise'])
    args = (answer['message'],) if 'message' in answer else ()
    raise error(*args, **answer.get('kwargs', {}))


def _echo(answer: dict, kwargs: dict):
    changed = kwargs[answer['$echo']]
    values = dict(kwargs['patch']) if answer.get('patch') else {}
    for name, value in {**values, **answer.get('set', {})}.items():
        setattr(changed, name, value)
    return changed
