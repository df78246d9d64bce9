# SPDX-License-Identifier: Apache-2.0
"""How services are shown."""

import datetime

import zun.conf

CONF = zun.conf.CONF

KEYS = ('id', 'host', 'binary', 'disabled', 'disabled_reason', 'forced_down',
        'report_count')
TIMES = ('created_at', 'updated_at', 'last_seen_up')


def _time(value: datetime.datetime | None) -> str | None:
    return value and value.isoformat(timespec='microseconds')


def format_service(service: dict, up: bool) -> dict:
    """A row of `zun_service` as a service.

    A service without a zone is in the default one.
    """
    shown = {key: service[key] for key in KEYS}
    for key in TIMES:
        shown[key] = _time(service[key])
    shown['availability_zone'] = (service['availability_zone'] or
                                  CONF.default_availability_zone)
    shown['state'] = 'up' if up else 'down'
    return shown
