# SPDX-License-Identifier: Apache-2.0

import fixtures
from osprofiler import initializer

from zun.common import profiler
import zun.conf
from zun.tests import base

CONF = zun.conf.CONF


class WsgiMiddlewareTestCase(base.TestCase):

    def test_off_leaves_the_application_alone(self):
        app = object()
        self.assertIs(app, profiler.WsgiMiddleware.factory({})(app))

    def test_on_goes_around_the_application(self):
        self.config(group='profiler', enabled=True)
        app = object()
        around = profiler.WsgiMiddleware.factory({})(app)
        self.assertIsInstance(around, profiler.WsgiMiddleware)
        self.assertIs(app, around.application)


class SetupTestCase(base.TestCase):

    def setUp(self):
        super().setUp()
        self.init = self.useFixture(fixtures.MockPatchObject(
            initializer, 'init_from_conf')).mock

    def test_off(self):
        profiler.setup('zun-api', 'host-1')
        self.init.assert_not_called()

    def test_on(self):
        self.config(group='profiler', enabled=True)
        profiler.setup('zun-api', 'host-1')
        self.init.assert_called_once_with(
            conf=CONF, context=None, project='zun', service='zun-api',
            host='host-1')


class TraceClsTestCase(base.TestCase):

    class Plain:
        def work(self):
            return 1

    def test_off_leaves_the_class_alone(self):
        work = self.Plain.work
        self.assertIs(self.Plain, profiler.trace_cls('rpc')(self.Plain))
        self.assertIs(work, self.Plain.work)

    def test_on_traces_methods(self):
        class Traced(self.Plain):
            def work(self):
                return 2
        work = Traced.work
        self.config(group='profiler', enabled=True)
        profiler.trace_cls('rpc')(Traced)
        self.assertIsNot(work, Traced.work)
        self.assertEqual(2, Traced().work())
