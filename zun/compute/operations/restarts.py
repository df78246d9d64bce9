# SPDX-License-Identifier: Apache-2.0
"""When a container that has ended runs again, by its restart policy.

The rules and the waiting times are Docker's: 100 ms before the first
restart, twice as long before each further one, at most a minute; a run of
ten seconds or more starts the counting of time anew.
"""

import json
import typing

FIRST_DELAY = 0.1
LONGEST_DELAY = 60.0
# Seconds of a run after which the waiting time is the first one again.
SETTLED = 10.0

_ALWAYS = ('always', 'unless-stopped')
_ON_FAILURE = 'on-failure'


class Memory(typing.NamedTuple):
    """What a container's former runs have left: kept with its Pod.

    :ivar count: restarts so far.
    :ivar delay: seconds that the last one was waited for.
    """

    count: int = 0
    delay: float = 0.0

    def dump(self) -> str:
        return json.dumps(self._asdict(), sort_keys=True)


def load(text: str | None) -> Memory:
    """What :meth:`Memory.dump` was kept as; nothing kept is no restart."""
    return Memory(**json.loads(text)) if text else Memory()


def decide(policy: dict | None, exit_code: int | None, ran: float,
           before: Memory) -> Memory | None:
    """Whether and when a container runs again.

    :param policy: ``Name`` and ``MaximumRetryCount`` (0: no limit).
    :param exit_code: None is a container that somebody removed.
    :param ran: seconds for which it ran.
    :returns: what to remember, with the seconds to wait; None: it stays
        as it is.
    """
    policy = policy or {}
    name = policy.get('Name')
    limit = int(policy.get('MaximumRetryCount') or 0)
    if name == _ON_FAILURE:
        if exit_code == 0 or (limit and before.count >= limit):
            return None
    elif name not in _ALWAYS:
        return None
    return Memory(before.count + 1, _delay(ran, before.delay))


def _delay(ran, before):
    if ran >= SETTLED or not before:
        return FIRST_DELAY
    return min(before * 2, LONGEST_DELAY)
