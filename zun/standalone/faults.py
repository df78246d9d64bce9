# SPDX-License-Identifier: Apache-2.0
"""Faults that tests put between a client and a simulated service."""

import dataclasses
import re
import time


@dataclasses.dataclass
class Fault:
    """What happens to matching requests.

    ``path``: regular expression searched in the path; ``method``: '' = any.
    ``times``: requests hit before the fault is over (None: no limit);
    ``skip``: matching requests that pass first; ``seconds``: how long it
    lasts from now (None: no limit).
    One of: ``refuse`` (the connection breaks, before anything is done),
    ``lose`` (the request is carried out, then the connection breaks),
    ``status`` (that HTTP status with an error body); ``delay`` (seconds)
    comes before either, or alone.
    """

    path: str = ''
    method: str = ''
    times: int | None = None
    skip: int = 0
    seconds: float | None = None
    refuse: bool = False
    lose: bool = False
    status: int = 0
    reason: str = 'InternalError'
    message: str = 'a fault was asked for'
    delay: float = 0
    until: float = dataclasses.field(default=0, init=False)

    def __post_init__(self) -> None:
        if self.seconds is not None:
            self.until = time.monotonic() + self.seconds


class Faults:
    """The faults in force."""

    def __init__(self) -> None:
        self._faults: list[Fault] = []
        self.hits: list[tuple[str, str]] = []

    def add(self, fault: Fault) -> Fault:
        """Put a fault in force."""
        self._faults.append(fault)
        return fault

    def clear(self) -> None:
        """No faults from now on."""
        self._faults.clear()

    def match(self, method: str, path: str) -> Fault | None:
        """The fault that hits a request; counts it."""
        for fault in list(self._faults):
            if fault.seconds is not None and (
                    time.monotonic() > fault.until):
                self._faults.remove(fault)
                continue
            if fault.method not in ('', method) or not re.search(
                    fault.path, path):
                continue
            if fault.skip > 0:
                fault.skip -= 1
                continue
            if fault.times is not None:
                fault.times -= 1
                if fault.times <= 0:
                    self._faults.remove(fault)
            self.hits.append((method, path))
            return fault
        return None
