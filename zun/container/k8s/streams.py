# SPDX-License-Identifier: Apache-2.0
"""Asking the agent of a container's node, over HTTPS.

Both sides show certificates, and each request has a ticket for just what it
asks. The agent is found at the address of its node; its certificate has to
be for the node's name.
"""

import functools
import json
import ssl

from oslo_log import log as logging
import urllib3

from zun.common import exception
from zun.common.i18n import _
from zun.common import tickets
import zun.conf
from zun.container import errors

LOG = logging.getLogger(__name__)

CONF = zun.conf.CONF

TICKET = 'X-Zun-Ticket'
DOCUMENT = 'X-Zun-Document'
PATH = '/v1/'
# What an agent answers with, and what it means here.
CANNOT = 501
_CONNECT_SECONDS = 3
_SECONDS = 330


class AgentAway(Exception):
    """The agent cannot be asked, or cannot do it; there may be other ways."""


def is_configured() -> bool:
    """Whether agents can be asked at all."""
    group = CONF.agent
    return bool(group.stream_port and group.stream_client_cert_file and
                group.stream_client_key_file and group.stream_ca_file)


@functools.lru_cache(maxsize=4)
def _tls(cert: str, key: str, authority: str) -> ssl.SSLContext:
    context = ssl.create_default_context(cafile=authority)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.load_cert_chain(cert, key)
    return context


@functools.lru_cache(maxsize=1024)
def _pool(address: str, port: int, node: str, context: ssl.SSLContext
          ) -> urllib3.HTTPSConnectionPool:
    return urllib3.HTTPSConnectionPool(
        address, port, maxsize=4, retries=False, ssl_context=context,
        server_hostname=node, assert_hostname=node,
        timeout=urllib3.Timeout(connect=_CONNECT_SECONDS, read=_SECONDS))


def ask(found: dict, operation: str, container, arguments: dict,
        data: bytes | None = None) -> tuple[dict, bytes]:
    """Have the agent of a Pod's node do an operation.

    :param found: the container's Pod.
    :returns: see :meth:`zun.container.k8s.nodeside.NodeSide.on_node`.
    :raises AgentAway: nobody is there.
    :raises Invalid, Conflict: as the agent answers.
    """
    address = (found.get('status') or {}).get('hostIP')
    node = (found.get('spec') or {}).get('nodeName')
    if not address or not node:
        raise AgentAway(_('the Pod has no node yet'))
    group = CONF.agent
    if data is not None:
        arguments = {**arguments, 'digest': tickets.digest(data)}
    ticket = tickets.issue(tickets.Ticket(operation, container.uuid,
                                          arguments))
    try:
        pool = _pool(address, group.stream_port, node, _tls(
            group.stream_client_cert_file, group.stream_client_key_file,
            group.stream_ca_file))
        answer = pool.request('POST', PATH + operation, body=data or b'',
                              headers={TICKET: ticket})
    except (OSError, urllib3.exceptions.HTTPError) as exc:
        LOG.warning('The agent of node %(node)s does not answer: %(error)s',
                    {'node': node, 'error': exc})
        raise AgentAway(str(exc))
    return _result(answer, container, node)


def _result(answer, container, node):
    if answer.status == 200:
        if DOCUMENT not in answer.headers:
            return json.loads(answer.data), b''
        return json.loads(answer.headers[DOCUMENT]), answer.data
    try:
        known = json.loads(answer.data)
        text, kind = known['message'], known['class']
    except (ValueError, KeyError, TypeError):
        text, kind = 'HTTP %d' % answer.status, ''
    if kind == 'NotRunning':
        raise errors.NotRunning(container=container.uuid)
    if kind == 'ContainerMissing':
        raise errors.ContainerMissing(container=container.uuid)
    if answer.status == 400:
        raise exception.Invalid(text)
    if answer.status == 409:
        raise exception.Conflict(text)
    LOG.warning('The agent of node %(node)s answers: %(text)s',
                {'node': node, 'text': text})
    raise AgentAway(text)
