# SPDX-License-Identifier: Apache-2.0
"""Values of a request as a container stores them: pure functions."""

import shlex

from zun.common import exception
from zun.common.i18n import _

PROTOCOLS = ('tcp', 'udp')


def split_command(command: str | None) -> list[str] | None:
    """A command line as a shell would split it; comments aren't known.

    :raises InvalidValue: a quotation or an escape isn't finished.
    """
    if command is None:
        return None
    try:
        return shlex.split(command)
    except ValueError as error:
        raise exception.InvalidValue(
            _("The command '%(command)s' can't be split: %(error)s.") %
            {'command': command, 'error': error})


def check_restart_policy(policy: dict | None) -> dict | None:
    """A restart policy with its number of retries.

    Only `on-failure` retries a number of times, 0 by default.

    :raises InvalidValue: retries for a policy that has none, or a number
        that isn't one.
    """
    if not policy:
        return policy
    name = policy.get('Name')
    retries = policy.get('MaximumRetryCount', '0')
    try:
        number = int(retries)
    except (TypeError, ValueError):
        raise exception.InvalidValue(
            _("MaximumRetryCount '%s' is not a whole number; leave it out "
              "for 0.") % retries)
    if name in ('always', 'unless-stopped') and number != 0:
        raise exception.InvalidValue(
            _('maximum retry count not valid with restart policy of %s') %
            name)
    if name in ('no', 'always', 'unless-stopped'):
        retries = '0'
    return {'Name': name, 'MaximumRetryCount': retries}


def build_exposed_ports(ports: dict) -> dict:
    """Ports with their protocol: '80' is '80/tcp'.

    :raises InvalidValue: for a port that isn't an integer, or a protocol
        other than tcp and udp.
    """
    exposed = {}
    for key, value in ports.items():
        port, slash, protocol = key.partition('/')
        if '/' in protocol:
            port, slash, protocol = key, '', ''
        if not slash:
            protocol = PROTOCOLS[0]
        if protocol not in PROTOCOLS:
            raise exception.InvalidValue(
                _('value %s is an invalid protocol') % protocol)
        try:
            int(port)
        except ValueError:
            raise exception.InvalidValue(
                _('value %s is invalid as publish port.') % port)
        exposed['%s/%s' % (port, protocol)] = value
    return exposed


def health_check(check: dict) -> dict:
    """A health check of a request as the runtime names it.

    `cmd` is its `test`; other members are kept.
    """
    members = {key: value for key, value in check.items() if key != 'cmd'}
    return {**members, 'test': check.get('cmd', '')}


def plain_items(values, field: str) -> None:
    """Refuse items that can't be texts.

    :param values: a list, or the values of an object.
    :raises InvalidValue: naming the field and the item.
    """
    for value in values:
        if value is None or isinstance(value, (list, dict)):
            raise exception.InvalidValue(
                _("An item of '%(field)s' is %(value)r; it has to be a text "
                  "or a number.") % {'field': field, 'value': value})
