# SPDX-License-Identifier: Apache-2.0
"""Peers that are slow, away or refuse, while containers come and go.

    python -m zun.tests.fault.storm --lives 60 --seed 1

Whatever Kubernetes, Neutron, Placement, Glance and Keystone do, a container
ends as if they had not done it, or in Error with a reason, and its delete
leaves nothing.
"""

import argparse
import collections
from concurrent import futures
import random
import sys
import threading
import time

from zun.tests import databases
from zun.tests.fault import ground as grounds
from zun.tests.fault import kill
from zun.tests.fault import lives
from zun.tests import processes

# What a request meets, and how often compared with the others.
FAULTS = (
    {'delay': 10.0}, {'refuse': True}, {'lose': True}, {'status': 409},
    {'status': 429}, {'status': 500}, {'status': 503})
# Whom it meets: paths of the cluster (True) or of the other peers.
PLACES = (
    (True, r'/api/v1/namespaces/.*/pods'), (True, r'/api/v1/namespaces'),
    (False, '/network/v2.0/ports'), (False, '/network/'),
    (False, '/placement/allocations'), (False, '/placement/'))
# Seconds between two faults.
PAUSE = 0.7
LIMIT = 240.0


class Weather(threading.Thread):
    """Puts faults in force, one after another.

    :ivar made: faults by place and kind.
    """

    def __init__(self, ground: grounds.Ground, seed: int) -> None:
        super().__init__(daemon=True)
        self._ground = ground
        self._dice = random.Random(seed)
        self._ended = threading.Event()
        self.made: collections.Counter[str] = collections.Counter()

    def run(self) -> None:
        while not self._ended.wait(PAUSE):
            of_cluster, path = self._dice.choice(PLACES)
            fault = self._dice.choice(FAULTS)
            whom = self._ground.simulated if of_cluster \
                else self._ground.peers
            whom.fault(path=path, times=self._dice.choice((1, 1, 2)),
                       seconds=20.0, **fault)
            self.made['%s %s' % (path, fault)] += 1

    def end(self) -> None:
        """Fair weather from now on."""
        self._ended.set()
        self.join()
        self._ground.simulated.faults.clear()
        self._ground.peers.faults.clear()


class StormLife(lives.Life):
    """create, stop, start, delete; each may end in a stated error."""

    name = 'storm'

    def run(self):
        answer = self._insist('POST', '/containers', params={'run': 'true'},
                              json={'image': 'busybox', 'cpu': 0.1,
                                    'memory': '64', 'disk': 1,
                                    'command': lives.COMMAND})
        self.uuid = answer.json()['uuid']
        if self._rest()['status'] == 'Running':
            for action, status in (('stop', 'Stopped'),
                                   ('start', 'Running')):
                self._act(action, status)
        self._delete()
        self.settle(lambda: self.ground.check_gone(self.uuid))

    def _insist(self, method, path, **options):
        """A request that is repeated while the API says 503 or 409."""
        found = []

        def accepted():
            response = self.ground.request(method, path, **options)
            if response.status_code >= 500 and response.status_code != 503:
                raise AssertionError('%s %s: %d %s' % (
                    method, path, response.status_code, response.text))
            found[:] = [response]
            return response.ok or response.status_code == 404
        processes.wait_for('%s %s' % (method, path), accepted, LIMIT)
        return found[0]

    def _rest(self):
        """The row once nothing works on it."""
        self.ground.wait_idle(self.uuid, LIMIT)
        return self.ground.wait_status(
            self.uuid, 'Running', 'Stopped', 'Error', 'Created', limit=LIMIT)

    def _act(self, action, status):
        if not self.ground.request(
                'POST', '/containers/%s/%s' % (self.uuid, action)).ok:
            return
        row = self._rest()
        if row['status'] == 'Error' and not row['status_reason']:
            self.wrong.append('%s: Error without a reason' % action)
        elif row['status'] == status:
            self.settle(lambda: self.ground.check_whole(
                self.uuid, self.ground.show(self.uuid) or {}))

    def _delete(self):
        def gone():
            self._insist('DELETE', '/containers/' + self.uuid,
                         params={'stop': 'true'})
            self.ground.wait_idle(self.uuid, LIMIT)
            return self.ground.show(self.uuid) is None
        self.await_true('end', gone, LIMIT)


def run(ground: grounds.Ground, count: int, seed: int, side_by_side: int
        ) -> tuple[list[str], Weather]:
    """Lives in a storm; what was wrong."""
    weather = Weather(ground, seed)
    weather.start()
    with futures.ThreadPoolExecutor(side_by_side) as pool:
        found = list(pool.map(lambda number: StormLife(
            ground, {}, number).live(), range(count)))
    weather.end()
    campaign = kill.Campaign(ground)
    campaign.check_end(failures=False)
    return [one for of in found for one in of] + campaign.wrong, weather


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--lives', type=int, default=60)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--side-by-side', type=int, default=6)
    options = parser.parse_args()
    server = databases.get('mariadb')
    ground = kill.open_ground(server.create_database())
    began = time.monotonic()
    try:
        wrong, weather = run(ground, options.lives, options.seed,
                             options.side_by_side)
    finally:
        ground.cleanUp()
    for what, times in sorted(weather.made.items()):
        print('%4d %s' % (times, what))
    print('%d lives, %d faults, %d wrong, %.0f s, seed %d' % (
        options.lives, sum(weather.made.values()), len(wrong),
        time.monotonic() - began, options.seed))
    for one in wrong:
        print(one)
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
