# SPDX-License-Identifier: Apache-2.0
import threading

from oslo_db import exception as db_exc

from zun.common import consts
from zun.common.k8s import errors as k8s_errors
from zun.compute.operations import restarts
from zun.compute.operations import sync
from zun.container import driver
from zun.db import api as db_api
from zun import objects
from zun.tests.unit.compute.operations import base
from zun.tests.unit.compute.operations import fakes
from zun.tests.unit.container import fake_driver
from zun.tests.unit.db import utils

LIMIT = 30.0
ALWAYS = {'Name': 'always', 'MaximumRetryCount': '0'}
GONE = driver.Sight()


def running(**fields):
    return driver.Sight(present=True, running=True, values={
        'status': consts.RUNNING, 'status_detail': 'Up 5 mins'}, **fields)


def ended(code=0, ran=1.0, **fields):
    return driver.Sight(
        present=True, ended=True, exit_code=code, ran=ran, values={
            'status': consts.STOPPED,
            'status_detail': 'Exited(%d) 1 seconds ago ' % code}, **fields)


class FakeObserver:
    """Shows what tests tell it to.

    :ivar sights: by uuid of the container.
    """

    def __init__(self):
        self.sights = {}
        self.capsules = {}
        self.batches = []
        self.again = []
        self.removed = []
        self.all_projects = []
        self.refusal = None
        self.looked_at_all = False
        self.wanted = threading.Event()

    def start(self):
        pass

    def stop(self):
        pass

    def changed(self, limit, timeout):
        if self.batches:
            return self.batches.pop(0)
        self.wanted.set()
        return []

    def look_again(self, uuids, delay):
        self.again.append((set(uuids), delay))

    def look_at_all(self):
        self.looked_at_all = True

    def look(self, container, now):
        return self.sights.get(container.uuid, GONE)

    def look_into(self, capsule, now):
        return self.capsules.get(capsule.uuid)

    def known(self):
        return set(self.sights) | set(self.capsules)

    def remove_unknown(self, uuids):
        if self.refusal is not None:
            raise self.refusal
        self.removed.extend(uuids)

    def projects(self):
        return self.all_projects


class SyncTestCase(base.OperationTestCase):

    def setUp(self):
        super().setUp()
        self.observer = FakeObserver()

    def put(self, sight=None, **fields):
        container = self.put_container(**fields)
        if sight is not None:
            self.observer.sights[container.uuid] = sight
        return container

    def sync(self, container):
        return sync.sync(self.observer, [container.uuid])

    def tasks(self):
        with db_api.reader(None) as session:
            return session.execute(base.TASK.select()).all()

    def kinds(self):
        return [task.kind for task in self.tasks()]


class TestSync(SyncTestCase):

    def test_running(self):
        container = self.put(running(), status=consts.UNKNOWN)
        self.assertEqual(set(), self.sync(container))
        self.assertRow(container, status=consts.RUNNING,
                       status_detail='Up 5 mins')

    def test_nothing_new_writes_nothing(self):
        container = self.put(running(), status_detail='Up 5 mins')
        before = self.row(container).updated_at
        self.sync(container)
        self.assertEqual(before, self.row(container).updated_at)

    def test_while_a_task_works_on_it(self):
        container = self.put(ended())
        self.ask('container_stop', container, timeout='1')
        self.assertEqual({container.uuid}, self.sync(container))
        self.assertRow(container, status=consts.RUNNING)

    def test_while_something_is_done_to_it(self):
        container = self.put(ended(),
                             task_state=consts.CONTAINER_STOPPING)
        self.sync(container)
        self.assertRow(container, status=consts.RUNNING)

    def test_rows_that_the_engine_knows_nothing_of(self):
        for status in (consts.CREATING, consts.DELETING, consts.DELETED):
            container = self.put(status=status)
            self.sync(container)
            self.assertRow(container, status=status)

    def test_never_made(self):
        container = self.new_container(status=consts.ERROR,
                                       status_reason='x')
        self.sync(container)
        self.assertRow(container, status=consts.ERROR, status_reason='x')

    def test_unknown_uuid(self):
        self.assertEqual(set(), sync.sync(self.observer, [utils.UUID]))

    def test_row_that_cannot_be_understood(self):
        broken = self.put(ended(3))
        broken.restart_policy = {'Name': 'on-failure',
                                 'MaximumRetryCount': 'many'}
        broken.save(self.context)
        container = self.put(ended(3))
        sync.sync(self.observer, [broken.uuid, container.uuid])
        self.assertRow(container, status=consts.STOPPED)
        self.assertRow(broken, status=consts.RUNNING)


class TestEnd(SyncTestCase):

    def test_no_policy(self):
        container = self.put(ended(3))
        self.sync(container)
        self.assertRow(container, status=consts.STOPPED,
                       status_detail='Exited(3) 1 seconds ago ')
        self.assertEqual([], self.kinds())

    def test_policy(self):
        container = self.put(ended(3), restart_policy=ALWAYS)
        self.sync(container)
        self.assertRow(container, status=consts.RESTARTING)
        self.assertEqual(['container_restart'], self.kinds())

    def test_policy_counts(self):
        on_failure = {'Name': 'on-failure', 'MaximumRetryCount': '2'}
        container = self.put(
            ended(3, restarts=restarts.Memory(2, 0.2).dump()),
            restart_policy=on_failure)
        self.sync(container)
        self.assertRow(container, status=consts.STOPPED)

    def test_stopped_by_its_user(self):
        """What was meant to end stays so, whatever the policy."""
        container = self.put(ended(137), restart_policy=ALWAYS,
                             status=consts.STOPPED)
        self.sync(container)
        self.assertRow(container, status=consts.STOPPED)
        self.assertEqual([], self.kinds())

    def test_auto_remove(self):
        container = self.put(ended(0), auto_remove=True)
        self.sync(container)
        self.assertRow(container, status=consts.DELETED)
        self.assertEqual(['container_delete'], self.kinds())

    def test_reason(self):
        sight = ended(137, note='OOMKilled')
        sight.values['status_reason'] = 'OOMKilled'
        container = self.put(sight)
        self.sync(container)
        self.assertRow(container, status_reason='OOMKilled')

    def test_restart_is_carried_out(self):
        container = self.put(ended(3), state=fake_driver.EXITED,
                             restart_policy=ALWAYS)
        self.sync(container)
        self.run_task(self.tasks()[0].uuid)
        self.assertRow(container, status=consts.RUNNING)


class TestHealth(SyncTestCase):

    def test_auto_heal(self):
        container = self.put(running(unhealthy=True), auto_heal=True)
        self.sync(container)
        self.assertRow(container, status=consts.RESTARTING,
                       status_reason='The healthcheck of the container '
                                     'failed')
        self.assertEqual(['container_restart'], self.kinds())

    def test_without_auto_heal(self):
        container = self.put(running(unhealthy=True))
        self.sync(container)
        self.assertRow(container, status=consts.RUNNING)
        self.assertEqual([], self.kinds())


class TestGone(SyncTestCase):

    def test_removed_by_somebody(self):
        container = self.put()
        self.sync(container)
        self.assertRow(container, status=consts.ERROR, status_reason=(
            'No such container: %s in docker' % container.container_id))

    def test_evicted(self):
        container = self.put(driver.Sight(note='Evicted: full'))
        self.sync(container)
        self.assertRow(container, status=consts.STOPPED,
                       status_reason='Evicted: full')

    def test_healed(self):
        for fields in ({'auto_heal': True}, {'restart_policy': ALWAYS}):
            container = self.put(**fields)
            self.sync(container)
            self.assertRow(container, status=consts.RESTARTING)
        self.assertEqual(['container_restart'] * 2, self.kinds())

    def test_stopped_one_is_not_healed(self):
        container = self.put(restart_policy=ALWAYS, status=consts.STOPPED)
        self.sync(container)
        self.assertRow(container, status=consts.ERROR)
        self.assertEqual([], self.kinds())

    def test_auto_remove(self):
        container = self.put(auto_remove=True)
        self.sync(container)
        self.assertRow(container, status=consts.DELETED)
        self.assertEqual(['container_delete'], self.kinds())


class TestCapsule(SyncTestCase):

    def setUp(self):
        super().setUp()
        self.capsule = self.put_container(cls=objects.Capsule)
        self.member = self.new_container(
            objects.CapsuleContainer, capsule_id=self.capsule.id,
            container_id='fake-m', status=consts.RUNNING)

    def test_all_rows(self):
        self.observer.capsules[self.capsule.uuid] = {
            self.capsule.uuid: {'status': consts.RUNNING,
                                'status_detail': 'Up 5 mins'},
            self.member.uuid: {'status': consts.STOPPED,
                               'status_detail': 'Exited(1)'}}
        self.sync(self.capsule)
        self.assertRow(self.capsule, status_detail='Up 5 mins')
        self.assertRow(self.member, status=consts.STOPPED)

    def test_removed_by_somebody(self):
        self.sync(self.capsule)
        self.assertRow(self.capsule, status=consts.ERROR)

    def test_while_something_is_done_to_it(self):
        self.capsule.task_state = consts.CONTAINER_DELETING
        self.capsule.save(self.context)
        self.sync(self.capsule)
        self.assertRow(self.capsule, status=consts.RUNNING)


class TestReconcile(SyncTestCase):

    def reconcile(self):
        sync.reconcile(self.manager.parts, self.observer)

    def again(self):
        return set().union(*(uuids for uuids, __ in self.observer.again))

    def test_everything_is_looked_at(self):
        self.reconcile()
        self.assertTrue(self.observer.looked_at_all)

    def test_rows_without_a_container(self):
        lost = self.put()
        for fields in ({'status': consts.ERROR},
                       {'status': consts.CREATING}):
            self.put(**fields)
        self.put(running())
        self.reconcile()
        self.assertEqual({lost.uuid}, self.again())

    def test_container_without_a_row(self):
        self.observer.sights[utils.UUID] = running()
        kept = self.put(running())
        self.reconcile()
        self.assertEqual([utils.UUID], self.observer.removed)
        self.assertNotIn(kept.uuid, self.observer.removed)

    def test_container_whose_delete_still_works(self):
        container = self.put(running())
        self.ask('container_delete', container, force=True)
        container.destroy(self.context)
        self.reconcile()
        self.assertEqual([], self.observer.removed)

    def test_removal_that_fails(self):
        """The next pass tries again."""
        self.observer.sights[utils.UUID] = running()
        self.observer.refusal = k8s_errors.Unavailable('away')
        self.reconcile()
        self.assertEqual([], self.observer.removed)

    def test_namespaces(self):
        self.observer.all_projects = ['p1', 'p2']
        self.reconcile()
        self.assertEqual(2, self.engine.calls.count('tidy'))


class TestStateSync(SyncTestCase):

    def start(self):
        self.engine.observer = lambda: self.observer
        state_sync = sync.StateSync(fakes.Parts(
            self.engine, self.network, self.placement, self.wire))
        state_sync.start()
        self.addCleanup(state_sync.stop)

    def wait(self):
        self.assertTrue(self.observer.wanted.wait(LIMIT))

    def test_changes(self):
        container = self.put(ended(3))
        self.observer.batches = [[container.uuid]]
        self.start()
        self.wait()
        self.assertRow(container, status=consts.STOPPED)

    def test_busy_ones_are_looked_at_again(self):
        container = self.put(ended(3))
        self.ask('container_stop', container, timeout='1')
        self.observer.batches = [[container.uuid]]
        self.start()
        self.wait()
        self.assertEqual([({container.uuid}, sync.BUSY_SECONDS)],
                         self.observer.again)

    def test_database_away(self):
        container = self.put(ended(3))
        self.observer.batches = [[container.uuid]]
        faults = [db_exc.DBConnectionError()]
        look = self.observer.look

        def fail(*args):
            if faults:
                raise faults.pop()
            return look(*args)

        self.observer.look = fail
        self.observer.look_again = lambda uuids, delay: (
            self.observer.batches.append(list(uuids)))
        self.start()
        self.wait()
        self.assertRow(container, status=consts.STOPPED)
