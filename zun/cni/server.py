# SPDX-License-Identifier: Apache-2.0
"""The daemon's end of the unix socket.

A request is its length in four bytes, then JSON; the sandbox's network
namespace comes with the first byte as an open file. The answer is JSON up to
the end of the connection: ``{"result": ...}`` or ``{"error": ...}``.
"""

from collections.abc import Callable
import concurrent.futures
import json
import os
import pathlib
import socket
import threading
import time

from oslo_log import log as logging

from zun.cni import spec

LOG = logging.getLogger(__name__)

_BACKLOG = 512
_LARGEST = 4 * 1024 * 1024
_READ_SECONDS = 10
_STOP_SECONDS = 30


class Server:
    """Answers zun-cni.

    :param path: of the socket; for root alone.
    :param answer: carries a request out; its result.
    :param workers: requests at the same time.
    """

    def __init__(self, path: str, answer: Callable[[spec.Request], object],
                 workers: int):
        self._path = pathlib.Path(path)
        self._answer = answer
        self._pool = concurrent.futures.ThreadPoolExecutor(
            workers, thread_name_prefix='request')
        self._socket: socket.socket | None = None

    def start(self) -> None:
        """Listen; returns at once.

        :raises OSError: the socket cannot be made.
        """
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o755)
        self._path.unlink(missing_ok=True)
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.bind(str(self._path))
        self._path.chmod(0o600)
        self._socket.listen(_BACKLOG)
        threading.Thread(target=self._accept, name='server',
                         daemon=True).start()

    def stop(self) -> None:
        """Take no more requests and end those that run."""
        listener, self._socket = self._socket, None
        if listener is not None:
            listener.shutdown(socket.SHUT_RDWR)
            listener.close()
            self._path.unlink(missing_ok=True)
        self._pool.shutdown()

    def _accept(self):
        listener = self._socket
        while self._socket is listener:
            try:
                near, __ = listener.accept()
            except OSError as error:
                if self._socket is listener:
                    LOG.error('The socket cannot be accepted on: %s', error)
                    time.sleep(0.1)
                continue
            self._pool.submit(self._serve, near)

    def _serve(self, near):
        began = time.monotonic()
        files: list[int] = []
        request = None
        with near:
            try:
                near.settimeout(_READ_SECONDS)
                document, files = _receive(near)
                request = spec.Request.parse(
                    document, files[0] if files else None)
                answer = {'result': self._answer(request)}
            except spec.CNIError as error:
                answer = {'error': error.document()}
            except Exception as error:
                LOG.exception('A request failed')
                answer = {'error': {'code': spec.INTERNAL,
                                    'msg': '%s: %s' % (
                                        type(error).__name__, error)}}
            finally:
                for file in files:
                    os.close(file)
            _report(request, answer, time.monotonic() - began)
            try:
                near.sendall(json.dumps(answer).encode())
            except OSError as error:
                LOG.warning('The answer came too late: %s', error)


def _receive(near) -> tuple[object, list[int]]:
    """A request and the open files that came with it.

    :raises CNIError: it is none.
    """
    head, files, __, __ = socket.recv_fds(near, 4, 1)
    try:
        size = int.from_bytes(head, 'big')
        if len(head) < 4 or size > _LARGEST:
            raise spec.CNIError(spec.DECODE_FAILURE,
                                'The request has no usable length')
        parts, left = [], size
        while left:
            part = near.recv(min(left, 65536))
            if not part:
                raise spec.CNIError(spec.DECODE_FAILURE,
                                    'The request ends too soon')
            parts.append(part)
            left -= len(part)
        return json.loads(b''.join(parts)), files
    except Exception as error:
        for file in files:
            os.close(file)
        if isinstance(error, ValueError):
            raise spec.CNIError(spec.DECODE_FAILURE,
                                'The request is no JSON: %s' % error)
        raise


def _report(request, answer, seconds):
    if request is None:
        LOG.warning('A request was refused: %s', answer['error']['msg'])
        return
    error = answer.get('error')
    LOG.log(
        logging.WARNING if error else logging.INFO,
        '%(command)s %(sandbox)s took %(time).1f ms%(outcome)s',
        {'command': request.command,
         'sandbox': request.environment.get('CNI_CONTAINERID', ''),
         'time': seconds * 1e3,
         'outcome': ': %s' % error['msg'] if error else ''})
