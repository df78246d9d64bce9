# SPDX-License-Identifier: Apache-2.0
"""Quotas: what a project may use.

A resource's limit is the project's own, else that of the quota class
``default``, else that of ``[quota]``; negative or NULL is no limit.  Usage is
counted, never kept, so nothing has to be given back.

A request that makes a project use more goes three steps::

    reservation = QUOTAS.check(context, {'containers': 1, 'cpu': 2.0})
    ...                          # look up networks, claim resources
    with db_api.writer(context):
        reservation.apply()      # the first statement
        ...                      # write the rows

``check`` answers 403 early.  ``apply`` holds the limit against requests that
count at the same time.  A row sums up what the project was ever given;
``check`` notes these sums before it counts.  ``apply`` adds to them, in one
conditional UPDATE that fails when others were given so much meanwhile that
what was free may be gone; then it counts again, while it holds the row.  The
row stays locked until the transaction ends, so at most one request passes at
a time; on a cluster that lets two pass, one loses at its commit with a
deadlock and must be run again (``db_api.retry_on_conflict``).
"""

import functools
import math

from oslo_utils import importutils

from zun.common import exception
from zun.common.i18n import _
import zun.conf

CONF = zun.conf.CONF

UNLIMITED = -1
RESOURCES = ('containers', 'cpu', 'disk', 'memory')
# Amounts that differ by a millionth are the same: cpus are fractions.
TOLERANCE = 1e-6


def _db():
    # The driver is named by an option and so lives in this package; the
    # database's package is above it.
    return importutils.import_module('zun.db.api')


class Reservation:
    """A request that passed the check; see the module."""

    def apply(self) -> None:
        """Hold the limits. To be the first statement of the transaction
        that writes the rows.

        :raises OverQuota: others used up what was free (403).
        """


class DbQuotaDriver:
    """Limits and usages are in the database."""

    def get_defaults(self, context) -> dict[str, int | None]:
        """The limits of a project that has none of its own."""
        return self._limits(context, None)

    def get_class_quotas(self, context, quota_class: str
                         ) -> dict[str, int | None]:
        """The limits of a quota class; ``[quota]`` where it has none."""
        limits = _configured()
        for row in _db().quota_class_get_all_by_name(context, quota_class):
            if row['resource'] in limits:
                limits[row['resource']] = row['hard_limit']
        return limits

    def get_project_quotas(self, context, project_id: str,
                           usages: bool = True) -> dict[str, dict]:
        """By resource: ``limit`` and, if wanted, ``in_use``."""
        quotas = {name: {'limit': limit} for name, limit
                  in self._limits(context, project_id).items()}
        if usages:
            in_use = _db().quota_usages(context, project_id)
            for name, quota in quotas.items():
                quota['in_use'] = in_use[name]
        return quotas

    def destroy_all_by_project(self, context, project_id: str) -> None:
        """Remove a project's own limits."""
        _db().quota_destroy_all_by_project(context, project_id)

    def check(self, context, project_id: str, deltas: dict) -> Reservation:
        """See :meth:`QuotaEngine.check`."""
        db_api = _db()
        with db_api.reader(context):
            # In this order: what is counted after the sums were read has
            # everything in it that they had.
            sums = db_api.quota_sums(context, project_id)
            free = self.count(context, project_id, deltas)
        if sums is None and db_api.quota_sums_create(context, project_id):
            # Nobody can have been given anything without the row.
            sums = {}
        return DbReservation(self, context, project_id, deltas, sums, free)

    def hold(self, context, project_id: str, deltas: dict) -> None:
        """See :meth:`QuotaEngine.hold`."""
        DbReservation(self, context, project_id, deltas, None, {}).apply()

    def count(self, context, project_id: str, deltas: dict) -> dict:
        """Compare usage and what is wanted with the limits, as of now.

        :returns: what is free beyond what is wanted, by resource with a
            limit.
        :raises OverQuota: 403.
        """
        limits = {name: limit for name, limit
                  in self._limits(context, project_id).items()
                  if limit is not None and limit >= 0}
        if not limits:
            return {}
        usages = _db().quota_usages(context, project_id)
        over = overs(limits, usages, deltas)
        if over:
            raise exception.OverQuota(overs=over)
        return {name: limit - usages[name] - (deltas.get(name) or 0)
                for name, limit in limits.items()}

    def _limits(self, context, project_id) -> dict[str, int | None]:
        limits = _configured()
        limits.update(
            (name, limit) for name, limit
            in _db().quota_limits(context, project_id).items()
            if name in limits)
        return limits


class DbReservation(Reservation):
    """Held by the sums of the project.

    :param sums: what they were before ``free`` was counted; None: unknown.
    :param free: what was left by resource, with the deltas taken off.
    """

    def __init__(self, driver, context, project_id, deltas, sums, free):
        self._driver = driver
        self._context = context
        self._project_id = project_id
        self._deltas = deltas
        self._sums = sums
        self._free = free

    def apply(self) -> None:
        # What is given back is only seen by counting.
        amounts = {name: max(0, _whole(name, amount or 0))
                   for name, amount in self._deltas.items()}
        if self._sums is not None and self._add(amounts, {
                name: self._sums.get(name, 0) + _whole(name, free)
                for name, free in self._free.items()}):
            return
        if not self._add(amounts):
            raise exception.Conflict(_(
                'The quota of project %s is being changed. Please try '
                'again.') % self._project_id)
        self._driver.count(self._context, self._project_id, self._deltas)

    def _add(self, amounts: dict, most: dict | None = None) -> bool:
        return _db().quota_add(self._context, self._project_id, amounts,
                               most)


def _whole(name: str, amount: float) -> int:
    """An amount as the sums have it: cpus in millionths."""
    return round(amount * 10 ** 6) if name == 'cpu' else int(amount)


class NoopQuotaDriver:
    """Nothing is limited, nothing is counted."""

    def get_defaults(self, context) -> dict[str, int]:
        """No limits."""
        return dict.fromkeys(RESOURCES, UNLIMITED)

    def get_class_quotas(self, context, quota_class: str) -> dict[str, int]:
        """No limits."""
        return dict.fromkeys(RESOURCES, UNLIMITED)

    def get_project_quotas(self, context, project_id: str,
                           usages: bool = True) -> dict[str, dict]:
        """No limits and no usages."""
        quota = {'limit': UNLIMITED}
        if usages:
            quota['in_use'] = UNLIMITED
        return {name: dict(quota) for name in RESOURCES}

    def destroy_all_by_project(self, context, project_id: str) -> None:
        """There is nothing to remove."""

    def check(self, context, project_id: str, deltas: dict) -> Reservation:
        """Everything passes."""
        return Reservation()

    def hold(self, context, project_id: str, deltas: dict) -> None:
        """Everything passes."""


class QuotaEngine:
    """Quotas as ``[quota] driver`` keeps them."""

    @property
    def resources(self) -> list[str]:
        """The names of what is limited, sorted."""
        return list(RESOURCES)

    @property
    def _driver(self):
        return _load_driver(CONF.quota.driver)

    def get_defaults(self, context) -> dict[str, int | None]:
        """The limits, by resource, of a project that has none set."""
        return self._driver.get_defaults(context)

    def get_class_quotas(self, context, quota_class: str
                         ) -> dict[str, int | None]:
        """The limits of a quota class, by resource."""
        return self._driver.get_class_quotas(context, quota_class)

    def get_project_quotas(self, context, project_id: str,
                           usages: bool = True) -> dict[str, dict]:
        """The quotas of a project, by resource: ``limit``, ``in_use``."""
        return self._driver.get_project_quotas(context, project_id, usages)

    def destroy_all_by_project(self, context, project_id: str) -> None:
        """Remove the limits that are set for a project."""
        self._driver.destroy_all_by_project(context, project_id)

    def check(self, context, deltas: dict,
              project_id: str | None = None) -> Reservation:
        """Refuse a request that would go over a limit.

        All resources are looked at, also those that the request does not
        change: a project over any limit gets nothing more.

        :param deltas: what would be used in addition, by resource; cpu as
            a number, memory in MiB, disk in GiB; may be negative.
        :param project_id: whose quota; the context's by default.
        :raises OverQuota: 403.
        """
        return self._driver.check(
            context, project_id or context.project_id, deltas)

    def hold(self, context, deltas: dict) -> None:
        """Check and hold the context's quota in the open transaction, whose
        first statement this is to be.

        :raises OverQuota: 403.
        """
        self._driver.hold(context, context.project_id, deltas)


def check_update(context, container, patch: dict) -> Reservation:
    """Refuse a change of a container's size that would go over a limit.

    The quota is that of who asks, also when an administrator changes
    another project's container.

    :param patch: the new values; without ``cpu`` and ``memory`` all passes.
    :raises OverQuota: 403.
    """
    deltas = _update_deltas(container, patch)
    if not deltas:
        return Reservation()
    return QUOTAS.check(context, deltas)


def hold_update(context, container, patch: dict) -> None:
    """Check the same again, against requests that are checked meanwhile. To
    be the first statement of the transaction that writes the new sizes.

    :raises OverQuota: 403.
    """
    QUOTAS.hold(context, _update_deltas(container, patch))


def _update_deltas(container, patch: dict) -> dict:
    deltas = {}
    if 'cpu' in patch:
        deltas['cpu'] = float(patch['cpu']) - (container.cpu or 0)
    if 'memory' in patch:
        deltas['memory'] = int(patch['memory']) - int(container.memory or 0)
    return deltas


def overs(limits: dict, usages: dict, deltas: dict) -> list[str]:
    """The resources, sorted, of which more would be used than allowed."""
    return sorted(
        name for name, limit in limits.items()
        if limit is not None and limit >= 0 and _is_more(
            usages[name] + (deltas.get(name) or 0), limit))


def _is_more(total: float, limit: float) -> bool:
    if math.isnan(total):
        return True
    return total > limit and \
        total - limit > TOLERANCE * max(abs(total), abs(limit))


def _configured() -> dict[str, int | None]:
    return {name: CONF.quota[name] for name in RESOURCES}


@functools.cache
def _load_driver(path: str):
    return importutils.import_class(path)()


QUOTAS = QuotaEngine()
