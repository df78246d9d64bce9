# SPDX-License-Identifier: Apache-2.0
"""Work that several threads ask for at the same time."""

from collections.abc import Callable
import threading
import typing


class Once:
    """Work that is done once, however many ask for it meanwhile.

    Who asks while it is under way waits, and gets the same answer.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: dict[typing.Any, _Outcome] = {}

    def do(self, key: typing.Any, work: Callable[[], typing.Any]
           ) -> typing.Any:
        """Do the work of a key, or wait for whoever does it.

        :raises Exception: what the work raised, for all who wait.
        """
        with self._lock:
            outcome = self._running.get(key)
            first = outcome is None
            if first:
                outcome = self._running[key] = _Outcome()
        if not first:
            return outcome.get()
        try:
            outcome.answer = work()
        except BaseException as exc:
            outcome.error = exc
            raise
        finally:
            with self._lock:
                del self._running[key]
            outcome.done.set()
        return outcome.answer


class _Outcome:
    """What work that others wait for has come to."""

    answer: typing.Any = None
    error: BaseException | None = None

    def __init__(self) -> None:
        self.done = threading.Event()

    def get(self) -> typing.Any:
        self.done.wait()
        if self.error is not None:
            raise self.error
        return self.answer
