# SPDX-License-Identifier: Apache-2.0
"""Figures of the task engine for Prometheus."""

from collections.abc import Iterator

from oslo_log import log as logging
import prometheus_client
from prometheus_client import core

from zun.common import utils
from zun.compute.tasks import errors
from zun.db import api as db_api
from zun.db.sqlalchemy.queries import task_admin
from zun.db.sqlalchemy.queries import tasks

LOG = logging.getLogger(__name__)

CLAIMS = prometheus_client.Counter(
    'zun_task_claims_total', 'Tasks claimed by this process', ['kind'])
LOST_CLAIMS = prometheus_client.Counter(
    'zun_task_lost_claims_total',
    'Claims that another worker was faster with')
TAKEOVERS = prometheus_client.Counter(
    'zun_task_takeovers_total',
    'Tasks claimed that were taken from a dead worker', ['kind'])
LEASES_LOST = prometheus_client.Counter(
    'zun_task_leases_lost_total',
    'Tasks that were taken from this process while it ran them', ['kind'])
RETRIES = prometheus_client.Counter(
    'zun_task_retries_total', 'Attempts that failed and are repeated',
    ['kind'])
FAILURES = prometheus_client.Counter(
    'zun_task_failures_total', 'Tasks given up', ['kind'])
DURATION = prometheus_client.Histogram(
    'zun_task_duration_seconds', 'Time that one attempt took',
    ['kind', 'outcome'],
    buckets=(.01, .05, .1, .5, 1, 2, 5, 10, 30, 60, 120, 300, 600))
WAIT = prometheus_client.Histogram(
    'zun_task_wait_seconds', 'Time from when a task was due to its claim',
    ['kind'], buckets=(.005, .01, .02, .05, .1, .2, .5, 1, 2, 5, 15, 60, 300))
DEAD_WORKERS = prometheus_client.Counter(
    'zun_task_dead_workers_total', 'Workers that this process gave up')


class QueueCollector:
    """Reads depth and age of the queue when it is asked for its figures."""

    def collect(self) -> Iterator[core.Metric]:
        depth = core.GaugeMetricFamily(
            'zun_task_queue_depth', 'Tasks that wait or run',
            labels=['kind', 'state'])
        age = core.GaugeMetricFamily(
            'zun_task_queue_age_seconds', 'Age of the oldest of them',
            labels=['kind', 'state'])
        try:
            with db_api.reader(None) as session:
                rows = task_admin.depths(session)
        except errors.DB_ERRORS as error:
            # The other figures are wanted all the more.
            LOG.warning('The queue cannot be counted: %s',
                        utils.one_line(error))
            return
        for row in rows:
            depth.add_metric([row.kind, row.state], row.number)
            age.add_metric([row.kind, row.state], row.age / tasks.MICROS)
        yield depth
        yield age
