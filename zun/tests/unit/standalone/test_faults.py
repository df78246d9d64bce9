# SPDX-License-Identifier: Apache-2.0

from zun.standalone import faults
from zun.tests import base


class FaultsTest(base.BaseTestCase):

    def setUp(self):
        super().setUp()
        self.faults = faults.Faults()

    def hits(self, *requests):
        return [bool(self.faults.match(*request)) for request in requests]

    def test_method_and_path(self):
        self.faults.add(faults.Fault(path='/pods', method='POST'))
        self.assertEqual([True, False, False], self.hits(
            ('POST', '/api/pods'), ('GET', '/api/pods'),
            ('POST', '/api/nodes')))

    def test_skip_and_times(self):
        self.faults.add(faults.Fault(skip=1, times=2))
        self.assertEqual([False, True, True, False],
                         self.hits(*[('GET', '/')] * 4))

    def test_over_after_its_time(self):
        self.faults.add(faults.Fault(seconds=-1))
        self.assertEqual([False], self.hits(('GET', '/')))
