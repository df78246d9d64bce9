# SPDX-License-Identifier: Apache-2.0

from zun.compute import container_actions as actions
from zun.compute.operations import events
from zun import objects
from zun.tests.unit.compute.operations import base


class TestReport(base.OperationTestCase):

    def setUp(self):
        super().setUp()
        self.container = self.put_container()
        objects.ContainerAction.action_start(
            self.context, self.container.uuid, actions.START,
            want_result=False)
        self.report = events.Report(self.context, self.container,
                                    actions.START)

    def results(self):
        action = objects.ContainerAction.get_by_request_id(
            self.context, self.container.uuid, self.context.request_id)
        return [event.result for event in
                objects.ContainerActionEvent.get_by_action(
                    self.context, action.id)]

    def test_attempt_after_one_that_died_in_the_middle(self):
        self.report.begin(events.START)
        with self.report.event(events.START):
            self.assertEqual([None], self.results())
        self.assertEqual(['Success'], self.results())

    def test_attempt_after_one_that_died_at_the_end(self):
        for _ in range(2):
            with self.report.event(events.START):
                pass
        self.assertEqual(['Success'], self.results())
