# SPDX-License-Identifier: Apache-2.0
"""What differs by rule, because Kubernetes is not Docker.

Each rule has its reason beside it and holds for every case; there is none
for a single case.
"""

import json
import re

from zun.compute.tasks import registry

# (table, column): why it isn't compared.
COLUMNS = {
    ('container', 'container_id'):
        'Ids are those of Pods.',
    ('container', 'command'):
        'The image\'s own stays in the image: Kubernetes never tells it.',
    ('container', 'entrypoint'):
        'The image\'s own stays in the image: Kubernetes never tells it.',
    ('container', 'updated_at'):
        'A row is written in fewer steps.',
    ('container', 'hostname'):
        'It is the name in the Pod, not the short id of Docker.',
    ('container', 'runtime'):
        'RuntimeClasses take the place of runc.',
    ('container_actions_events', 'traceback'):
        'It shows the code.',
    ('container_actions', 'updated_at'):
        'A row is written in fewer steps.',
    ('compute_node', 'updated_at'):
        'A row is written in fewer steps.',
}

# Reasons that are Docker's words, or those of its client library: that
# there is one is compared, not its text.
ENGINE_TEXT = re.compile(
    r'Docker internal error|http\+docker|Connection aborted|docker')

# Peers whose requests are compared.
PEERS = ('neutron', 'cinder', 'placement', 'glance')

# Parts of a request that aren't compared.
NOT_OF_REQUESTS = {
    'repeated': 'How often one asks is no part of the outcome.'}

# Reads of networks: an operation looks before it acts, for an earlier attempt
# may have acted; and the CNI plug-in is told what a network is like.
NOT_READ = '/v2.0/'

# Parts of a body that aren't compared.
NOT_OF_BODIES = {
    'port': {'device_owner': 'It is on every port.',
             'binding:host_id': 'It is on every port.'},
    'security_group': {'tenant_id': 'Who owns it is told.'}}

# Calls whose requests to a peer aren't compared.
UNASKED = {
    ('container_update', 'placement'): 'New sizes are claimed there too.',
    ('resize_container', 'placement'): 'New sizes are claimed there too.'}

# Tables that are compared for some calls only.
TABLES = {'network': ('network_', 'kuryr\'s networks are Docker\'s.')}

# kuryr is the name of the reference's network plug-in; here it is Zun.
_WORDS = (('compute:kuryr', 'compute:zun'),)

_TEXT = '<a text of the engine>'


def is_defect(case: dict) -> bool:
    """Whether a case shows what the reference does by mistake: it takes any
    error that has 404 in its text for a missing container.
    """
    return any('404' in fault.get('message', '') and fault['status'] != 404
               for fault in case.get('engine', {}).get('faults', ()))


def recorded(case: dict) -> dict:
    """Rows and requests of a case, as they are compared."""
    words = json.dumps({'rows': case.get('rows', {}),
                        'peers': case.get('peer_calls', [])})
    for old, new in _WORDS:
        words = words.replace(old, new)
    found = json.loads(words)
    if case['call'] in registry.KINDS:
        # A task keeps no token: what it asks, the service account asks.
        for call in found['peers']:
            call['as'] = 'service'
    return _cut(found, case['call'])


def seen(rows: dict, peers: list[dict], case: dict) -> dict:
    """Rows and requests of a replay, as they are compared."""
    engine_text = _has_engine_text(case.get('rows', {}))
    return _cut({'rows': rows, 'peers': peers}, case['call'], engine_text)


def _has_engine_text(rows: dict) -> bool:
    return any(ENGINE_TEXT.search(change['set'].get('status_reason') or '')
               for change in rows.get('container', {}).get('updated', ()))


def _cut(found: dict, kind_of_call: str, engine_text: bool = False) -> dict:
    tables = {}
    for table, changes in found['rows'].items():
        if not kind_of_call.startswith(TABLES.get(table, ('',))[0]):
            continue
        kept = {}
        for kind, rows in changes.items():
            rows = [_row(table, kind, row, engine_text) for row in rows]
            rows = [row for row in rows if row != {} and row.get('set') != {}]
            if rows:
                kept[kind] = rows
        if kept:
            tables[table] = kept
    return {'rows': tables, 'peers': _requests(
        [call for call in found['peers']
         if (kind_of_call, call['service']) not in UNASKED])}


def _requests(calls: list[dict]) -> list[dict]:
    """Requests, those of a second attempt left out."""
    kept = []
    for call in calls:
        call = {key: value for key, value in call.items()
                if key not in NOT_OF_REQUESTS}
        body = call.get('body') or {}
        for name, dropped in NOT_OF_BODIES.items():
            if isinstance(body.get(name), dict):
                body[name] = {key: value for key, value
                              in body[name].items() if key not in dropped}
        if call['service'] in PEERS and call not in kept and not (
                call['method'] == 'GET' and
                call['path'].startswith(NOT_READ)):
            kept.append(call)
    return kept


def _row(table: str, kind: str, row: dict, engine_text: bool) -> dict:
    if kind == 'updated':
        return {'key': row['key'],
                'set': _columns(table, row['set'], engine_text)}
    return _columns(table, row, engine_text)


def _columns(table: str, values: dict, engine_text: bool) -> dict:
    kept = {name: value for name, value in values.items()
            if (table, name) not in COLUMNS}
    reason = kept.get('status_reason')
    if reason and (engine_text or ENGINE_TEXT.search(reason)):
        kept['status_reason'] = _TEXT
    return kept
