# SPDX-License-Identifier: Apache-2.0
"""Clients that ask as fast as they are answered."""

import dataclasses
import http.client
import json
import threading
import time
import typing

HEADERS = {
    'OpenStack-API-Version': 'container 1.40', 'X-Auth-Token': 'user-token',
    'X-Project-Id': 'p', 'X-User-Id': 'u', 'X-Roles': 'member,reader',
    'X-User-Domain-Id': 'default', 'X-Project-Name': 'p',
    'X-User-Name': 'u', 'Content-Type': 'application/json',
    'Accept': 'application/json'}


class Request(typing.NamedTuple):
    """What is asked again and again."""
    method: str
    path: str
    status: int
    body: dict | None = None


@dataclasses.dataclass
class Result:
    """Seconds of each answer, and how long all of them took together."""
    seconds: list[float]
    elapsed: float

    def percentile(self, share: float) -> float:
        """The time, in ms, that this share of the answers stayed within."""
        ordered = sorted(self.seconds)
        return 1000 * ordered[min(len(ordered) - 1,
                                  int(share * len(ordered)))]

    @property
    def rate(self) -> float:
        """Answers a second."""
        return len(self.seconds) / self.elapsed


class WrongAnswer(Exception):
    """The API did not answer what it should; nothing can be measured."""


class Client(threading.Thread):
    """One client with one connection."""

    def __init__(self, port: int, request: Request, until: float):
        super().__init__(daemon=True)
        self._port, self._request, self._until = port, request, until
        self.seconds: list[float] = []
        self.error: Exception | None = None

    def run(self) -> None:
        try:
            self._ask()
        except Exception as exc:
            self.error = exc

    def _ask(self) -> None:
        connection = http.client.HTTPConnection('127.0.0.1', self._port,
                                                timeout=120)
        body = json.dumps(self._request.body).encode() \
            if self._request.body is not None else None
        while not self.seconds or time.monotonic() < self._until:
            start = time.monotonic()
            connection.request(self._request.method, self._request.path,
                               body, HEADERS)
            answer = connection.getresponse()
            text = answer.read()
            self.seconds.append(time.monotonic() - start)
            if answer.status != self._request.status:
                raise WrongAnswer('%s %s: %d %s' % (
                    self._request.method, self._request.path, answer.status,
                    text[:300]))
        connection.close()


def run(port: int, request: Request, clients: int, seconds: float) -> Result:
    """Ask for so long; at least once a client.

    :raises WrongAnswer: an answer had another status.
    """
    start = time.monotonic()
    threads = [Client(port, request, start + seconds)
               for _number in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    elapsed = time.monotonic() - start
    for thread in threads:
        if thread.error is not None:
            raise thread.error
    return Result([one for thread in threads for one in thread.seconds],
                  elapsed)
