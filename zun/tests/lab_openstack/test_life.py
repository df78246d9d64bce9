# SPDX-License-Identifier: Apache-2.0
"""What real services are left with once containers are gone."""

import contextlib

from zun.tests import base
from zun.tests.lab_network import deployment
from zun.tests.lab_openstack import labs
from zun.tests import processes

_API = 'http://127.0.0.1:%d/v1' % deployment.API_PORT
_PLACEMENT = 'http://127.0.0.1:8778'


class LifeTestCase(base.TestCase):

    def setUp(self):
        super().setUp()
        labs.folder()
        self.demo = deployment.Peer(_API, 'demo', 'demo')
        self.admin = deployment.Peer(_API, 'admin', 'admin')
        self.neutron = deployment.Peer(deployment.NEUTRON, 'admin', 'admin')
        self.placement = deployment.Peer(_PLACEMENT, 'admin', 'admin')
        self.network = self.neutron.ask(
            'GET', '/networks?name=private')[0]['id']

    def claimed(self, uuid):
        """What a container holds in Placement."""
        allocations = self.placement.send(
            'GET', '/allocations/' + uuid).json()['allocations']
        return [one['resources'] for one in allocations.values()]

    def ports(self, uuid):
        """Its ports, by their ids."""
        return [one['id'] for one in self.neutron.ask(
            'GET', '/ports?device_id=' + uuid)]

    def assert_holds_nothing(self, uuid):
        self.assertEqual(([], []), (self.claimed(uuid), self.ports(uuid)))

    def create(self, **fields):
        """Ask for a container; the answer."""
        answer = self.demo.send('POST', '/containers?run=true', json={
            'image': 'busybox', 'command': ['sleep', '3600'], 'cpu': 0.1,
            'memory': '64', 'disk': 1, 'nets': [{'network': self.network}],
            **fields})
        if answer.ok:
            self.addCleanup(self.delete, answer.json()['uuid'])
        return answer

    def await_status(self, uuid, *statuses):
        """The container once it has one of the statuses."""
        seen = {}

        def reached():
            seen.update(self.demo.ask('GET', '/containers/' + uuid))
            return seen['status'] in statuses and not seen['task_state']
        processes.wait_for('%s is %s' % (uuid, statuses), reached)
        return seen

    def delete(self, uuid):
        """Delete a container and wait for its end."""
        self.demo.send('DELETE', '/containers/%s?stop=true' % uuid)
        processes.wait_for('%s is gone' % uuid, lambda: self.demo.send(
            'GET', '/containers/' + uuid).status_code == 404)

    def test_port_and_claim_come_and_go(self):
        uuid = self.create().json()['uuid']
        shown = self.await_status(uuid, 'Running', 'Error')
        self.assertEqual('Running', shown['status'], shown['status_reason'])
        self.assertEqual([64], [one['MEMORY_MB']
                                for one in self.claimed(uuid)])
        self.assertEqual(1, len(self.ports(uuid)))
        self.delete(uuid)
        self.assert_holds_nothing(uuid)

    def test_a_zone_that_nobody_has_gives_no_host(self):
        uuid = self.create(availability_zone='nowhere').json()['uuid']
        shown = self.await_status(uuid, 'Running', 'Error')
        self.assertEqual('There are not enough hosts available.',
                         shown['status_reason'])
        self.assert_holds_nothing(uuid)

    def test_a_disabled_service_gets_no_container(self):
        with self.disabled():
            uuid = self.create().json()['uuid']
            shown = self.await_status(uuid, 'Running', 'Error')
        self.assertEqual('There are not enough hosts available.',
                         shown['status_reason'])
        self.assert_holds_nothing(uuid)

    @contextlib.contextmanager
    def disabled(self):
        """The node's service, for the length of a ``with``."""
        host = self.admin.ask('GET', '/hosts')[0]['hostname']
        body = {'host': host, 'binary': 'zun-compute'}
        self.admin.ask('PUT', '/services/disable', json=body)
        try:
            yield
        finally:
            self.admin.ask('PUT', '/services/enable', json=body)

    def test_more_than_the_quota_is_refused(self):
        self.admin.ask('PUT', '/quotas/' + self.demo.project,
                       json={'containers': 0})
        self.addCleanup(self.admin.send, 'DELETE',
                        '/quotas/' + self.demo.project)
        answer = self.create()
        self.assertEqual(403, answer.status_code)
