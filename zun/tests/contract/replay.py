# SPDX-License-Identifier: Apache-2.0
"""Sends recorded requests to the API and compares what happens.

What is compared: status, headers, body, changed rows, requests to peers and
compute calls.  Differences that are meant:

* Where the reference failed (5xx), anything but a 5xx is right, and so is
  503 where a peer or a host is away.
* Where the reference answered an error and left the container or capsule
  that it had begun to create behind, nothing is left, though the row of a
  volume may be; what was made in Cinder for it may be deleted again.
* Reads come from the database, so the reference's ``container_show`` calls
  have no counterpart.

Each kind is in the conformance page of the documentation.
"""

import datetime
import io
import json
import sys
import tempfile
from urllib import parse

import zun.conf
from zun.tests.contract import peers
from zun.tests.contract import placeholders
from zun.tests.contract import recordings
from zun.tests.contract import rows
from zun.tests.contract import target

CONF = zun.conf.CONF

HEADERS = ('openstack-api-version', 'openstack-api-minimum-version',
           'openstack-api-maximum-version', 'vary', 'location',
           'content-type', 'x-openstack-request-id', 'allow')

# Tables that a failed creation of the reference may leave rows in.
_CREATED = ('container', 'volume')

_DELETED_VOLUME = ('cinder', 'DELETE')


class Replay:
    """The application, its database and its surroundings.

    :param db_url: SQLAlchemy URL; None: SQLite in a file.
    """

    def __init__(self, db_url: str | None = None) -> None:
        self._directory = tempfile.TemporaryDirectory(prefix='contract-')
        url = db_url or 'sqlite:///%s/zun.sqlite' % self._directory.name
        self._fixtures = recordings.fixtures()
        self._app = target.make_app(url, self._directory.name)
        self._seams = target.Seams(self._app)
        self._transport = peers.Transport()
        self._database = rows.Database(url, self._fixtures['json_columns'])

    def close(self) -> None:
        """Put everything back."""
        self._transport.close()
        self._seams.close()
        self._database.close()
        self._directory.cleanup()

    def run(self, exchange: dict) -> list[tuple]:
        """Replay an exchange.

        :returns: differences: (path, recorded, seen).
        """
        return compare(exchange, self.observe(exchange))

    def observe(self, exchange: dict) -> dict:
        """Replay an exchange and return what happened, normalised."""
        clock = placeholders.Clock(_now())
        self._database.seed(exchange.get('seed', {}), clock)
        before = self._database.snapshot()
        spec = self._peers_spec(exchange.get('peers'))
        self._transport.peers = peers.Peers(spec)
        self._seams.begin(exchange)
        overrides = override(exchange.get('config') or {})
        try:
            answer = call(self._app, exchange['request'])
        finally:
            for name, group in overrides:
                CONF.clear_override(name, group=group)
        clock.end = _now()
        known = json.dumps([exchange.get('seed'), exchange['request'], spec,
                            exchange.get('answers'),
                            exchange.get('config')])
        normaliser = placeholders.Normaliser(known, clock)
        return {
            'response': normaliser.walk(
                shape(answer, exchange['request']['method'])),
            'rows': normaliser.walk(
                rows.changes(before, self._database.snapshot())),
            'peer_calls': normaliser.walk(
                _ordered(self._transport.peers.calls)),
            'rpc': normaliser.walk(self._seams.end())}

    def _peers_spec(self, spec) -> dict:
        named = self._fixtures['peers']
        if spec is None:
            return named['default']
        if isinstance(spec, str):
            return named[spec]
        merged = json.loads(json.dumps(named[spec.get('base', 'default')]))
        for key, value in spec.items():
            if key == 'base':
                continue
            if isinstance(value, dict):
                merged.setdefault(key, {}).update(value)
            else:
                merged[key] = value
        return merged


def _now() -> datetime.datetime:
    return datetime.datetime.now(datetime.timezone.utc).replace(tzinfo=None)


def override(config: dict) -> list[tuple]:
    """Set options, by 'group.name': (name, group) of each."""
    overrides = []
    for key, value in config.items():
        group, name = key.split('.')
        group = None if group == 'DEFAULT' else group
        CONF.set_override(name, value, group=group)
        overrides.append((name, group))
    return overrides


def _ordered(calls: list[dict]) -> list[dict]:
    """Look-ups of security groups, whose order means nothing, sorted."""
    ordered, run = [], []
    for call_made in [*calls, None]:
        if call_made and call_made['path'] == '/v2.0/security-groups':
            run.append(call_made)
            continue
        ordered += sorted(run, key=lambda item: json.dumps(item,
                                                           sort_keys=True))
        run = []
        if call_made:
            ordered.append(call_made)
    return ordered


# -- requests ----------------------------------------------------------
def _body(request: dict) -> bytes:
    if 'raw' in request:
        return request['raw'].encode()
    return json.dumps(request['body']).encode() if 'body' in request else b''


def call(app, request: dict) -> dict:
    """Send a request: status, headers (pairs) and body.

    What the application raises is raised.
    """
    path, _mark, query = request['path'].partition('?')
    body = _body(request)
    environ = {
        'REQUEST_METHOD': request['method'], 'SCRIPT_NAME': '',
        'PATH_INFO': parse.unquote(path, 'latin-1'), 'QUERY_STRING': query,
        'SERVER_NAME': 'localhost', 'SERVER_PORT': '80',
        'HTTP_HOST': 'localhost:80', 'SERVER_PROTOCOL': 'HTTP/1.0',
        'wsgi.version': (1, 0), 'wsgi.url_scheme': 'http',
        'wsgi.input': io.BytesIO(body), 'wsgi.errors': sys.stderr,
        'wsgi.multithread': False, 'wsgi.multiprocess': False,
        'wsgi.run_once': False}
    if body or request['method'] in ('POST', 'PUT', 'PATCH'):
        environ['CONTENT_LENGTH'] = str(len(body))
    for name, value in request.get('headers', {}).items():
        name = name.upper().replace('-', '_')
        if name not in ('CONTENT_TYPE', 'CONTENT_LENGTH'):
            name = 'HTTP_' + name
        environ[name] = value
    answer = {}

    def start_response(status, headers, exc_info=None):
        answer['status'] = int(status.split(' ')[0])
        answer['headers'] = headers
    chunks = app(environ, start_response)
    try:
        answer['body'] = b''.join(chunks)
    finally:
        if hasattr(chunks, 'close'):
            chunks.close()
    return answer


def shape(answer: dict, method: str) -> dict:
    """The part of an answer that recordings keep."""
    headers = {}
    for name, value in answer['headers']:
        if name.lower() in HEADERS:
            headers.setdefault(name.lower(), []).append(value)
    shaped = {'status': answer['status'], 'headers': {
        name: values[0] if len(values) == 1 else values
        for name, values in headers.items()}}
    if not answer['body'] or method == 'HEAD' or \
            answer['status'] in (204, 304):
        return shaped
    try:
        shaped['body'] = json.loads(answer['body'])
    except ValueError:
        shaped['text'] = answer['body'].decode('utf-8', 'replace')
    return shaped


# -- comparison --------------------------------------------------------
def differences(want, got, path: str, strict: bool) -> list[tuple]:
    """Where two documents differ.

    :param strict: 1, 1.0 and true are different.
    """
    if isinstance(want, dict) and isinstance(got, dict):
        found = []
        for key in sorted({*want, *got}):
            found += differences(
                want.get(key, '(absent)'), got.get(key, '(absent)'),
                '%s.%s' % (path, key), strict)
        return found
    if isinstance(want, list) and isinstance(got, list) and \
            len(want) == len(got):
        found = []
        for index, pair in enumerate(zip(want, got)):
            found += differences(*pair, '%s[%d]' % (path, index), strict)
        return found
    same = want == got and (not strict or type(want) is type(got))
    return [] if same else [(path, want, got)]


def compare(exchange: dict, seen: dict) -> list[tuple]:
    """The differences that aren't meant; see the module."""
    want, got = exchange['response'], seen['response']
    if exchange.get('server_error'):
        right = got['status'] < 500 or got['status'] == 503
        return [] if right else [('status', 'not 5xx', got['status'])]
    found = differences(want['status'], got['status'], 'status', True)
    found += differences(want.get('headers'), got.get('headers', {}),
                         'headers', True)
    for part in ('body', 'text'):
        found += differences(want.get(part), got.get(part), part, True)
    for part, recorded, observed in _side_effects(exchange, seen):
        found += differences(recorded, observed, part, False)
    return found


def _side_effects(exchange: dict, seen: dict):
    recorded_rows = exchange.get('rows', {})
    recorded_calls, calls = exchange.get('peer_calls', []), seen['peer_calls']
    if exchange['response']['status'] >= 400:
        if 'container' in recorded_rows or seen['rows'] != recorded_rows:
            recorded_rows = _without_leftovers(recorded_rows)
        if calls != recorded_calls:
            calls = [item for item in calls if (
                item['service'], item['method']) != _DELETED_VOLUME]
    yield 'rows', recorded_rows, seen['rows']
    yield 'peers', recorded_calls, calls
    yield 'rpc', _without_show(exchange.get('rpc', [])), _without_show(
        seen['rpc'])


def _without_leftovers(recorded: dict) -> dict:
    kept = {}
    for table, change in recorded.items():
        change = {kind: items for kind, items in change.items()
                  if table not in _CREATED or kind != 'inserted'}
        if change:
            kept[table] = change
    return kept


def _without_show(calls: list[dict]) -> list[dict]:
    return [item for item in calls if item['method'] != 'container_show']
