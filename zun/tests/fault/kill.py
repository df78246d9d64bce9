# SPDX-License-Identifier: Apache-2.0
"""Workers killed before and after each effect of each operation.

    python -m zun.tests.fault.kill --list
    python -m zun.tests.fault.kill --all
    python -m zun.tests.fault.kill --random 2000 --seed 1
    python -m zun.tests.fault.kill --random 200 --seed 1 --stop
"""

import argparse
import collections
from concurrent import futures
import itertools
import logging
import random
import shutil
import sys
import threading
import time

from zun.common.k8s import client as k8s
import zun.conf
from zun.tests import databases
from zun.tests.fault import ground as grounds
from zun.tests.fault import lives
from zun.tests.fault import points

CONF = zun.conf.CONF
PHASES = (points.BEFORE, points.AFTER)
# operation -> kind of task -> what an undisturbed run does.
Recorded = dict[str, dict[str, list[str]]]


def record(ground: grounds.Ground, names=lives.NAMES, side_by_side: int = 8
           ) -> Recorded:
    """The points of each operation, from a run that nobody disturbs.

    :raises AssertionError: it does not end well.
    """
    def undisturbed(name):
        life = lives.make(ground, name, {}, 0)
        return name, life.live(), life.kinds

    with futures.ThreadPoolExecutor(side_by_side) as pool:
        found = list(pool.map(undisturbed, names))
    wrong = [one for __, of, __ in found for one in of]
    if wrong:
        raise AssertionError('\n'.join(wrong))
    return {name: kinds for name, __, kinds in found}


def every(recorded: Recorded) -> list[tuple[str, lives.Plan]]:
    """Each point of each operation once; a life has several of them."""
    plans = []
    seen: set[str] = set()
    for name, kinds in recorded.items():
        # What many lives have in common is tried once.
        new = {kind: [(number, phase) for number in range(len(found))
                      for phase in PHASES]
               for kind, found in kinds.items() if kind not in seen or
               kind == 'container_keep'}
        seen.update(kinds)
        for chosen in itertools.zip_longest(*new.values()):
            plans.append((name, {kind: point for kind, point in
                                 zip(new, chosen) if point}))
    return plans


def at_random(recorded: Recorded, count: int, seed: int,
              name: str = 'SIGKILL') -> list[tuple[str, lives.Plan]]:
    """Plans with that many deaths in all.

    :param name: of the signal; SIGSTOP ends after others have taken over.
    """
    dice = random.Random(seed)
    plans = []
    while count > 0:
        operation = dice.choice(list(recorded))
        plan = {kind: (dice.randrange(len(found)), dice.choice(PHASES), name)
                for kind, found in recorded[operation].items()}
        plans.append((operation, plan))
        count -= len(plan)
    return plans


class Campaign:
    """Lives side by side on one ground.

    :ivar wrong: all that was wrong.
    :ivar lived: lives by name.
    """

    def __init__(self, ground: grounds.Ground, tell=print) -> None:
        self.ground = ground
        self.wrong: list[str] = []
        self.lived: collections.Counter[str] = collections.Counter()
        self._tell = tell
        self._ended = 0
        self._lock = threading.Lock()

    def run(self, plans: list[tuple[str, lives.Plan]], side_by_side: int,
            until: float = float('inf')) -> None:
        """Live them all, or as many as there is time for.

        :param until: a time of the monotonic clock.
        """
        with futures.ThreadPoolExecutor(side_by_side) as pool:
            for number, (name, plan) in enumerate(plans):
                pool.submit(self._live, name, plan, number, until)
            while not self._over(len(plans)):
                self.ground.wake_stopped()
                time.sleep(0.5)
        self.check_end()

    def _over(self, count):
        with self._lock:
            return self._ended >= count

    def _live(self, name, plan, number, until):
        if time.monotonic() <= until:
            self._live_one(name, plan, number)
        with self._lock:
            self._ended += 1

    def _live_one(self, name, plan, number):
        wrong = lives.make(self.ground, name, plan, number).live()
        with self._lock:
            self.lived[name] += 1
            self.wrong += wrong
            for one in wrong:
                self._tell('WRONG ' + one)
            total = sum(self.lived.values())
            if total % 20 == 0:
                self._tell('%d lives, %d deaths, %d wrong' % (
                    total, self.ground.points.fired(), len(self.wrong)))

    def check_end(self, failures: bool = True) -> None:
        """Nothing may be left when all is over.

        :param failures: a task that failed is wrong too.
        """
        left = self.ground.unfinished()
        if left:
            self.wrong.append('%d tasks have not ended' % left)
        for kind, lane, error in self.ground.failures() * failures:
            self.wrong.append('task failed: %s of %s: %s' % (
                kind, lane, error))
        ports = [port for port in
                 self.ground.peers.network.rows['ports'].values()]
        if ports:
            self.wrong.append('%d ports left' % len(ports))
        if self.ground.peers.placement.allocations:
            self.wrong.append('allocations left: %s' % list(
                self.ground.peers.placement.allocations))


def open_ground(database: str, **options) -> grounds.Ground:
    """A ground that is ready; end it with ``cleanUp()``."""
    ground = grounds.Ground(database, **options)
    ground.setUp()
    CONF([], project='zun', default_config_files=[])
    CONF.set_override('kubeconfig', ground.simulated.kubeconfig(),
                      'kubernetes')
    k8s.reset()
    ground.add_group()
    return ground


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--list', action='store_true')
    parser.add_argument('--all', action='store_true')
    parser.add_argument('--random', type=int, default=0, metavar='DEATHS')
    parser.add_argument('--stop', action='store_true',
                        help='SIGSTOP, and SIGCONT when it is too late')
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--minutes', type=float, default=600)
    parser.add_argument('--side-by-side', type=int, default=8)
    parser.add_argument('--logs', metavar='FOLDER',
                        help='copy the logs to it at the end')
    parser.add_argument('--operation', action='append',
                        choices=lives.NAMES)
    options = parser.parse_args()
    # It tells of each watch whose process was killed.
    logging.getLogger('aiohttp.server').setLevel(logging.CRITICAL)
    began = time.monotonic()
    server = databases.get('mariadb')
    ground = open_ground(server.create_database())
    try:
        recorded = record(ground, options.operation or lives.NAMES,
                          options.side_by_side)
        if options.list:
            for name, kinds in recorded.items():
                for kind, found in kinds.items():
                    print('%s: %s: %d points' % (name, kind, len(found)))
                    for number, what in enumerate(found):
                        print('    %3d %s' % (number, what))
            return 0
        plans = every(recorded) if options.all else at_random(
            recorded, options.random, options.seed,
            'SIGSTOP' if options.stop else 'SIGKILL')
        campaign = Campaign(ground)
        campaign.run(plans, options.side_by_side,
                     began + 60 * options.minutes)
        print('%d points recorded, %d of %d lives, %d deaths, %d wrong, '
              '%.0f s, seed %d' % (
                  sum(len(found) for kinds in recorded.values()
                      for found in kinds.values()),
                  sum(campaign.lived.values()), len(plans),
                  ground.points.fired(), len(campaign.wrong),
                  time.monotonic() - began, options.seed))
        for one in campaign.wrong:
            print(one)
        return 1 if campaign.wrong else 0
    finally:
        if options.logs:
            shutil.copytree(ground.directory, options.logs,
                            ignore=shutil.ignore_patterns('runtime'),
                            dirs_exist_ok=True)
        ground.cleanUp()


if __name__ == '__main__':
    sys.exit(main())
