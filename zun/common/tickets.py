# SPDX-License-Identifier: Apache-2.0
"""Tickets: what one service allows itself to ask of another.

A ticket names one operation on one container with all its arguments, and
when it ends. It is signed with a key that is made from
``auth_encryption_key``, which all services of a deployment have. So the
holder of a client certificate alone can ask for nothing.
"""

import base64
import binascii
import hashlib
import hmac
import json
import time
import typing

from zun.common import exception
from zun.common.i18n import _
import zun.conf

CONF = zun.conf.CONF

# Seconds for which a ticket is good; clocks may differ by as much.
LIFETIME = 60
_PURPOSE = b'zun-compute-agent streams'


class TicketInvalid(exception.NotAuthorized):
    """A ticket is not what it should be."""

    message = _('The ticket is not good: %(reason)s')
    code = 403

    def __init__(self, reason: str):
        super().__init__(reason=reason)


class Ticket(typing.NamedTuple):
    """What is allowed.

    :ivar container: uuid.
    :ivar arguments: of the operation.
    """

    operation: str
    container: str
    arguments: dict


def issue(ticket: Ticket, now: float | None = None) -> str:
    """A ticket as text for a header."""
    end = int((time.time() if now is None else now) + LIFETIME)
    body = base64.urlsafe_b64encode(
        json.dumps([*ticket, end], sort_keys=True).encode())
    return '%s.%s' % (body.decode(), _signature(body))


def check(text: str, operation: str, now: float | None = None) -> Ticket:
    """What a ticket allows.

    :param operation: that it has to be for.
    :raises TicketInvalid: forged, for something else, or over.
    """
    body, __, signature = text.partition('.')
    if not hmac.compare_digest(_signature(body.encode()).encode(),
                               signature.encode()):
        raise TicketInvalid(_('it was not issued by this deployment'))
    try:
        *fields, end = json.loads(base64.urlsafe_b64decode(body))
        ticket = Ticket(*fields)
    except (ValueError, TypeError, binascii.Error):
        raise TicketInvalid(_('it cannot be read'))
    if ticket.operation != operation:
        raise TicketInvalid(_('it is for another operation'))
    if (time.time() if now is None else now) > end:
        raise TicketInvalid(_('it is over'))
    return ticket


def digest(data: bytes) -> str:
    """What a ticket says of the data that come with it."""
    return hashlib.sha256(data).hexdigest()


def _signature(body: bytes) -> str:
    key = hmac.digest(CONF.auth_encryption_key.encode(), _PURPOSE, 'sha256')
    return hmac.new(key, body, 'sha256').hexdigest()
