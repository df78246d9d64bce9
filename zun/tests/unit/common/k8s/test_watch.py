# SPDX-License-Identifier: Apache-2.0
import threading

from zun.common.k8s import client
from zun.common.k8s import errors
from zun.common.k8s import watch
from zun.tests import base
from zun.tests.unit.common.k8s import server

LIMIT = 30.0


def pod(name='a', version='1', **fields):
    return {'metadata': {'name': name, 'namespace': 'n',
                         'resourceVersion': version}, **fields}


def event(kind, found):
    return {'type': kind, 'object': found}


def listed(*pods, version='1'):
    return 200, {'items': list(pods),
                 'metadata': {'resourceVersion': version}}


EXPIRED = event('ERROR', {'kind': 'Status', 'code': 410,
                          'reason': 'Expired', 'message': 'too old'})


class WatchTestCase(base.TestCase):

    def setUp(self):
        super().setUp()
        self.server = self.useFixture(server.Server())
        self.config('kubernetes', api_server=self.server.url)
        self.cluster = self.server.cluster()

    def answer(self, *answers):
        self.server.answers.extend(answers)

    def versions(self):
        """resourceVersion of each watch, None for each list."""
        return [request[2].get('resourceVersion')
                for request in self.server.asked]


class TestEvents(WatchTestCase):

    def events(self):
        return list(watch.events(self.cluster, client.PODS, '5',
                                 labels='a=b'))

    def test_changes(self):
        self.answer((200, [event('ADDED', pod()),
                           event('BOOKMARK', pod(version='9'))]))
        self.assertEqual(['ADDED', 'BOOKMARK'],
                         [one.type for one in self.events()])
        query = self.server.asked[0][2]
        self.assertEqual(('true', '5', 'a=b'), (
            query['watch'], query['resourceVersion'],
            query['labelSelector']))

    def test_version_too_old(self):
        self.answer((200, [EXPIRED]))
        self.assertRaises(errors.Expired, self.events)
        self.answer((410, {'reason': 'Expired'}))
        self.assertRaises(errors.Expired, self.events)


class TestWaitFor(WatchTestCase):

    def wait_for(self, condition, timeout=LIMIT, **kwargs):
        return watch.wait_for(self.cluster, client.PODS, 'a', 'n',
                              condition, timeout, **kwargs)

    def test_true_already(self):
        self.answer(listed(pod(x=1)))
        self.assertEqual(1, self.wait_for(lambda found: found.get('x')))
        self.assertEqual([None], self.versions())

    def test_known_saves_a_request(self):
        self.answer((200, [event('MODIFIED', pod(version='8', x=2))]))
        self.assertEqual(2, self.wait_for(lambda found: found.get('x'),
                                          known=pod(version='7')))
        self.assertEqual(['7'], self.versions())

    def test_becomes_true(self):
        self.answer(listed(pod()), (200, [
            event('BOOKMARK', pod(version='2', x=9)),
            event('MODIFIED', pod(version='3', x=1))]))
        self.assertEqual(1, self.wait_for(lambda found: found.get('x')))

    def test_goes(self):
        self.answer(listed(pod()), (200, [event('DELETED', pod())]))
        self.assertTrue(self.wait_for(lambda found: found is None))

    def test_watch_that_ends(self):
        self.answer(listed(pod()), (200, []), listed(pod(x=1)))
        self.assertEqual(1, self.wait_for(lambda found: found.get('x')))

    def test_version_too_old(self):
        self.answer(listed(pod()), (200, [EXPIRED]), listed(pod(x=1)))
        self.assertEqual(1, self.wait_for(lambda found: found.get('x')))

    def test_time_is_over(self):
        self.answer(listed(pod()), (200, [None]))
        self.assertFalse(self.wait_for(lambda found: found.get('x'), 0.2))

    def test_server_goes_away(self):
        self.answer(listed(pod()), server.RESET, server.RESET)
        self.assertRaises(errors.Unavailable, self.wait_for,
                          lambda found: found.get('x'))


class Seen:
    """A handler that stops the watch once it has seen enough."""

    def __init__(self, enough):
        self.calls = []
        self._enough = enough
        self.done = threading.Event()

    def replace(self, objects):
        self._add('replace', [one['metadata']['name'] for one in objects])

    def update(self, event):
        self._add(event.type, event.object['metadata']['name'])

    def _add(self, *call):
        self.calls.append(call)
        if len(self.calls) >= self._enough:
            self.done.set()


class TestWatcher(WatchTestCase):

    def run_until(self, enough):
        self.seen = Seen(enough)
        # What follows holds the connection, as a quiet cluster does.
        self.answer((200, [None]))
        watcher = watch.Watcher(self.cluster, client.PODS, self.seen)
        thread = threading.Thread(target=watcher.run, daemon=True)
        thread.start()
        self.assertTrue(self.seen.done.wait(LIMIT))
        watcher.stop()
        thread.join(LIMIT)
        self.assertFalse(thread.is_alive())
        return self.seen.calls

    def test_list_then_changes(self):
        self.answer(listed(pod()), (200, [event('ADDED', pod('b')), None]))
        self.assertEqual([('replace', ['a']), ('ADDED', 'b')],
                         self.run_until(2))

    def test_resumed_where_the_connection_ended(self):
        self.answer(
            listed(version='5'), (200, [event('ADDED', pod(version='6'))]),
            (200, [event('BOOKMARK', pod(version='8'))]),
            (200, [event('DELETED', pod(version='9')), None]))
        self.assertEqual([('replace', []), ('ADDED', 'a'),
                          ('DELETED', 'a')], self.run_until(3))
        self.assertEqual([None, '5', '6', '8'], self.versions())

    def test_listed_again_when_the_version_is_too_old(self):
        self.answer(listed(pod(), version='5'), (200, [EXPIRED]),
                    listed(pod('b'), version='9'))
        self.assertEqual([('replace', ['a']), ('replace', ['b'])],
                         self.run_until(2))

    def test_server_that_is_away_for_a_moment(self):
        self.answer((503, {}), server.RESET, server.RESET, listed(pod()))
        self.assertEqual([('replace', ['a'])], self.run_until(1))
