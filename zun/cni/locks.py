# SPDX-License-Identifier: Apache-2.0
"""A lock for each of many things, kept only while somebody holds it."""

from collections.abc import Iterator
import contextlib
import threading


class Locks:
    """Locks by name."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        # By name: the lock, and how many hold it or wait for it.
        self._locks: dict[str, list] = {}

    @contextlib.contextmanager
    def hold(self, name: str) -> Iterator[None]:
        """Nobody else is in here with the same name."""
        with self._guard:
            entry = self._locks.setdefault(name, [threading.Lock(), 0])
            entry[1] += 1
        try:
            with entry[0]:
                yield
        finally:
            with self._guard:
                entry[1] -= 1
                if not entry[1]:
                    del self._locks[name]

    def __len__(self) -> int:
        return len(self._locks)
