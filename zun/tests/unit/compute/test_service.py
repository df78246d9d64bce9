# SPDX-License-Identifier: Apache-2.0

import threading

from zun.compute import service
from zun.tests import base
from zun.tests.unit.compute.tasks import base as task_base


class Duty:

    def __init__(self, log, name):
        self.log, self.name = log, name

    def start(self):
        self.log.append('start ' + self.name)

    def stop(self):
        self.log.append('stop ' + self.name)


class Elector:
    """Wins and loses when it is told to."""

    def __init__(self):
        self.leads = False
        self.steps = []
        self.ended = threading.Event()

    def is_leader(self):
        return self.leads

    def run(self, stop, started, stopped):
        for leads in (True, False, True):
            self.leads = leads
            (started if leads else stopped)()
        stop.wait(task_base.LIMIT)
        stopped()
        self.ended.set()


class LeadershipTestCase(base.BaseTestCase):

    def setUp(self):
        super().setUp()
        self.log = []

    def duties(self):
        return [Duty(self.log, 'sync'), Duty(self.log, 'more')]

    def test_duties_follow_the_election(self):
        elector = Elector()
        leadership = service.Leadership(elector, self.duties)
        leadership.start()
        task_base.wait_for(lambda: len(self.log) == 6, 'the second term')
        self.assertTrue(leadership.is_leader())
        leadership.stop()
        self.assertTrue(elector.ended.is_set())
        term = ['start sync', 'start more', 'stop more', 'stop sync']
        self.assertEqual(term + term, self.log)

    def test_the_only_process_always_leads(self):
        leadership = service.Leadership(None, self.duties)
        self.assertTrue(leadership.is_leader())
        leadership.start()
        task_base.wait_for(lambda: len(self.log) == 2, 'the duties')
        leadership.stop()
        self.assertEqual(['start sync', 'start more', 'stop more',
                          'stop sync'], self.log)
