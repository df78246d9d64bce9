# SPDX-License-Identifier: Apache-2.0

from unittest import mock

from oslo_db import exception as db_exc
import prometheus_client

from zun.compute.tasks import metrics
from zun.tests.unit.compute.tasks import base


class MetricsTestCase(base.TaskTestCase):

    def value(self, name, **labels):
        return prometheus_client.REGISTRY.get_sample_value(
            name, labels) or 0

    def test_a_task_is_counted_and_timed(self):
        before = {name: self.value(name, kind='counted', **labels)
                  for name, labels in (
                      ('zun_task_claims_total', {}),
                      ('zun_task_wait_seconds_count', {}),
                      ('zun_task_duration_seconds_count',
                       {'outcome': 'done'}))}
        self.operations.add('counted', lambda context: None)
        uuid = self.enqueue('counted')
        self.start_worker()
        self.wait_for_state(uuid, 'done')
        self.assertEqual(before['zun_task_claims_total'] + 1,
                         self.value('zun_task_claims_total', kind='counted'))
        self.assertEqual(
            before['zun_task_wait_seconds_count'] + 1,
            self.value('zun_task_wait_seconds_count', kind='counted'))
        base.wait_for(lambda: self.value(
            'zun_task_duration_seconds_count', kind='counted',
            outcome='done') == before['zun_task_duration_seconds_count'] + 1,
            'its duration')

    def test_a_take_over_is_counted(self):
        self.operations.add('taken', lambda context: None)
        uuid = self.enqueue('taken')
        self.change(uuid, owner='dead-worker', epoch=1)
        self.start_worker()
        self.wait_for_state(uuid, 'done')
        self.assertEqual(1, self.value('zun_task_takeovers_total',
                                       kind='taken'))

    def test_failures_and_retries_are_counted(self):
        def fail(context):
            raise ConnectionError if not failures.pop() else ValueError
        failures = [True, False]
        self.operations.add('failing', fail)
        uuid = self.enqueue('failing')
        self.start_worker()
        self.wait_for_state(uuid, 'ready')
        base.wait_for(lambda: self.value('zun_task_retries_total',
                                         kind='failing') == 1, 'the retry')
        self.change(uuid, run_at=0)
        self.wait_for_state(uuid, 'failed')
        self.assertEqual(1, self.value('zun_task_failures_total',
                                       kind='failing'))

    def test_depth_and_age_are_read_when_asked_for(self):
        for _ in range(3):
            self.enqueue('waiting')
        registry = prometheus_client.CollectorRegistry()
        registry.register(metrics.QueueCollector())
        labels = {'kind': 'waiting', 'state': 'ready'}
        self.assertEqual(3, registry.get_sample_value(
            'zun_task_queue_depth', labels))
        self.assertTrue(0 <= registry.get_sample_value(
            'zun_task_queue_age_seconds', labels) < base.LIMIT)

    def test_other_figures_are_given_without_the_database(self):
        registry = prometheus_client.CollectorRegistry()
        prometheus_client.Counter('other', 'Other', registry=registry)
        registry.register(metrics.QueueCollector())
        with mock.patch('zun.db.api.reader', autospec=True,
                        side_effect=db_exc.DBConnectionError):
            text = prometheus_client.generate_latest(registry).decode()
        self.assertIn('other_total', text)
