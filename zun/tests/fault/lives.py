# SPDX-License-Identifier: Apache-2.0
"""One container's, capsule's, image's or network's life, with deaths in it.

A life asks for a thing, for one operation on it and for its end; workers die
at the points that a plan names (kind of task → number, phase). After each
step all must be as if nobody had died.
"""

import json
import threading
import time
from typing import Callable

from zun.tests.fault import cases
from zun.tests.fault import ground as grounds
from zun.tests import processes

# kind of task -> number and phase of the point of death, and the name of
# the signal if it is another than SIGKILL.
Plan = dict[str, tuple[int, str] | tuple[int, str, str]]
# Seconds within which each step of a life must end.
LIMIT = 90.0
COMMAND = ['sleep', '3600']


class Life:
    """What all lives have in common.

    :ivar wrong: what was not as it should be.
    :ivar kinds: points seen in each task's last attempt.
    """

    name = ''

    def __init__(self, ground: grounds.Ground, plan: Plan, number: int
                 ) -> None:
        self.ground = ground
        self.plan = plan
        self.number = number
        self.wrong: list[str] = []
        self.kinds: dict[str, list[str]] = {}
        self.uuid = ''

    def live(self) -> list[str]:
        """Run it through; what was wrong, empty if nothing."""
        try:
            self.run()
        except Exception as exc:
            self.wrong.append('%s: %s' % (type(exc).__name__, exc))
        return ['%s %s: %s (plan %s)' % (self.name, self.uuid, one,
                                         self.plan) for one in self.wrong]

    def run(self) -> None:
        raise NotImplementedError

    def arm_any(self, kind: str) -> Callable[[], None]:
        """Arm for a thing whose lane is not known yet."""
        target = 'any.%s.%d' % (kind, self.number)
        if kind in self.plan:
            self.ground.points.arm(target, kind, *self.plan[kind])
        return lambda: self.ground.points.disarm(target)

    def arm(self, *kinds: str) -> None:
        for kind in kinds:
            if kind in self.plan:
                self.ground.points.arm(self.uuid, kind, *self.plan[kind])

    def done(self, *kinds: str) -> None:
        """The lane is at rest: take note of its points."""
        self.ground.wait_idle(self.uuid, LIMIT)
        self.ground.points.disarm(self.uuid)
        for kind in kinds:
            found = self.ground.points.points(self.uuid, kind)
            if found:
                self.kinds[kind] = found

    def request(self, method, path, **options):
        """A request that is accepted."""
        response = self.ground.request(method, path, **options)
        if not response.ok:
            raise AssertionError('%s %s: %d %s' % (
                method, path, response.status_code, response.text))
        return response

    def await_true(self, what: str, condition: Callable[[], bool],
                   limit: float = LIMIT) -> None:
        processes.wait_for('%s of %s' % (what, self.uuid), condition, limit)

    def settle(self, check: Callable[[], list[str]], limit: float = 20.0
               ) -> None:
        """Note what a check still finds wrong after a while."""
        deadline = time.monotonic() + limit
        while True:
            wrong = check()
            if not wrong or time.monotonic() > deadline:
                self.wrong += wrong
                return
            time.sleep(processes.POLL * 2)


class ContainerLife(Life):
    """create, an operation, delete."""

    def __init__(self, ground, plan, number, verb: cases.Verb) -> None:
        super().__init__(ground, plan, number)
        self.verb = verb
        self.name = verb.name

    def run(self):
        self._create()
        self._prepare()
        self._operate()
        if self.verb.status == 'Paused':
            # What is paused cannot be stopped.
            self._ask(cases.UNPAUSE)
            self.ground.wait_status(self.uuid, 'Running', limit=LIMIT)
        self.arm(cases.DELETE)
        self.ground.delete(self.uuid, LIMIT)
        self.done(cases.DELETE)
        self.settle(lambda: self.ground.check_gone(self.uuid))

    def _create(self):
        disarm = self.arm_any(cases.CREATE)
        self.uuid = self.ground.create(run=self.verb.run, command=COMMAND)
        self.ground.wait_status(
            self.uuid, 'Running' if self.verb.run else 'Created',
            limit=LIMIT)
        self.done(cases.CREATE)
        disarm()
        self._check({})

    def _prepare(self):
        for request, status in zip(self.verb.before, self.verb.statuses):
            self._ask(request)
            self.ground.wait_idle(self.uuid, LIMIT)
            self.ground.wait_status(self.uuid, status, limit=LIMIT)

    def _ask(self, request):
        params = {key: str(value).format(**self.ground.networks)
                  for key, value in request.params.items()}
        return self.request(
            request.method, '/containers/%s%s' % (self.uuid, request.path),
            params=params, json=request.json, version=request.version)

    def _operate(self):
        self.arm(*self.verb.kinds)
        answer = self._ask(self.verb.request)
        self.done(*self.verb.kinds)
        self.ground.wait_status(self.uuid, self.verb.status, limit=LIMIT)
        self._check(self.verb.expect)
        if self.verb.name == 'commit':
            self._check_commit(answer.json()['uuid'])

    def _check(self, expect):
        def look():
            row = self.ground.show(self.uuid) or {}
            wrong = ['%s is %s' % (key, row.get(key))
                     for key, value in expect.items()
                     if row.get(key) != value]
            return wrong + self.ground.check_whole(self.uuid, row)
        self.settle(look)
        self.wrong += self.ground.check_actions(self.uuid)

    def _check_commit(self, image):
        row = self.ground.peers.image.images.get(image)
        if row is None or row['status'] != 'active':
            self.wrong.append('the image is %s' % (row and row['status']))


class CapsuleLife(Life):
    """create, delete."""

    name = 'capsule'

    def run(self):
        disarm = self.arm_any('capsule_create')
        self.uuid = self.request('POST', '/capsules/', json={
            'template': cases.TEMPLATE}).json()['uuid']
        self.done('capsule_create')
        self.await_true('Running', lambda: self._status() == 'Running')
        disarm()
        self.settle(self._check)
        self.arm('capsule_delete')
        # The request waits for the end, which may come after its limit.
        self.ground.request('DELETE', '/capsules/' + self.uuid)
        self.done('capsule_delete')
        self.await_true('end', lambda: self._status() is None)
        self.settle(lambda: self.ground.check_gone(self.uuid))

    def _status(self):
        answer = self.ground.request('GET', '/capsules/' + self.uuid)
        return answer.json()['status'] if answer.ok else None

    def _check(self):
        wrong = []
        if len(self.ground.pods(self.uuid)) != 1:
            wrong.append('%d Pods' % len(self.ground.pods(self.uuid)))
        if len(self.ground.ports(self.uuid)) != 1:
            wrong.append('%d ports' % len(self.ground.ports(self.uuid)))
        if self.uuid not in self.ground.peers.placement.allocations:
            wrong.append('no allocation')
        return wrong


class ImageLife(Life):
    """pull, delete."""

    name = 'image'
    # The name of an image and its host is one image: one life at a time.
    _alone = threading.Lock()

    def run(self):
        with self._alone:
            self._run()

    def _run(self):
        disarm = self.arm_any('image_pull')
        self.uuid = self.request(
            'POST', '/images/', admin=True, json={
                'repo': 'busybox', 'host': grounds.NODE}).json()['uuid']
        self.done('image_pull')
        disarm()
        shown = self.ground.request(
            'GET', '/images/' + self.uuid, admin=True).json()
        if not shown.get('size'):
            self.wrong.append('no size: %s' % json.dumps(shown))
        self.arm('image_delete')
        self.request('DELETE', '/images/' + self.uuid, admin=True)
        self.done('image_delete')
        if self.ground.request('GET', '/images/' + self.uuid,
                               admin=True).ok:
            self.wrong.append('the row is still there')


class NetworkLife(Life):
    """create, delete."""

    name = 'network'
    _alone = threading.Lock()

    def run(self):
        with self._alone:
            self._run()

    def _run(self):
        network = self.ground.networks[grounds.LONE]
        self.uuid = network
        self.arm('network_create')
        self.request('POST', '/networks', admin=True, json={
            'neutron_net_id': network, 'name': 'fault'})
        self.done('network_create')
        self._expect(1)
        self.arm('network_delete')
        self.request('DELETE', '/networks/' + network, admin=True)
        self.done('network_delete')
        self._expect(0)

    def _expect(self, count):
        found = self.ground.count_networks()
        if found != count:
            self.wrong.append('%d networks instead of %d' % (found, count))


OTHERS: dict[str, type[Life]] = {
    'capsule': CapsuleLife, 'image': ImageLife, 'network': NetworkLife}
VERBS = {verb.name: verb for verb in cases.VERBS}
NAMES = (*VERBS, *OTHERS)


def make(ground: grounds.Ground, name: str, plan: Plan, number: int) -> Life:
    """A life around an operation."""
    if name in VERBS:
        return ContainerLife(ground, plan, number, VERBS[name])
    return OTHERS[name](ground, plan, number)
