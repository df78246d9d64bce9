# SPDX-License-Identifier: Apache-2.0

"""Which services are alive.

Each service writes its heartbeat into its row of ``zun_service``; a
service whose last sign of life is older than ``[DEFAULT]
service_down_time`` seconds counts as down.
"""

import datetime
import typing as ty

from oslo_utils import timeutils

import zun.conf

CONF = zun.conf.CONF


def last_sign(service: ty.Any) -> ty.Optional[datetime.datetime]:
    """The last sign of life of a service (naive UTC), or None.

    A service that was registered but has not reported yet counts from its
    last change, then from its registration.
    """
    when = service.last_seen_up or service.updated_at or service.created_at
    return timeutils.normalize_time(when) if when else None


def is_up(service: ty.Any, down_time: int,
          now: ty.Optional[datetime.datetime] = None) -> bool:
    """Whether a service is alive.

    :param service: a ZunService, or anything with its fields
    :param down_time: whole seconds of silence that are forgiven, into the
        past as into the future (clocks differ)
    :param now: naive UTC, the current time by default
    """
    if service.forced_down:
        return False
    when = last_sign(service)
    if when is None:
        return False
    elapsed = ((now or timeutils.utcnow()) - when).total_seconds()
    return abs(int(elapsed)) <= down_time


class ServiceGroup:
    """Answers by the limit that was configured when it was made."""

    def __init__(self) -> None:
        self.service_down_time = CONF.service_down_time

    def service_is_up(self, member: ty.Any) -> bool:
        """Whether a ZunService is alive."""
        return is_up(member, self.service_down_time)
