# SPDX-License-Identifier: Apache-2.0
"""exec, attach and logs: the channel protocol over WebSocket.

Channels: 0 standard input, 1 output, 2 error, 3 status, 4 window size;
255 in version 5 closes the channel that its byte names.
"""

import asyncio
import datetime
import json
import re
import signal
import time
from typing import Any
import uuid

import aiohttp
from aiohttp import web

from zun.standalone.cluster import admission
from zun.standalone.cluster import containers
from zun.standalone.cluster import errors
from zun.standalone.cluster import kubelet
from zun.standalone.cluster import logs
from zun.standalone.cluster import processes

PROTOCOLS = ('v5.channel.k8s.io', 'v4.channel.k8s.io')
_CHANNELS = {'stdout': 1, 'stderr': 2}
#: Messages waiting for a slow client before a program is held up.
_WINDOW = 64
_EXEC_FAILED = ('error executing command in container: failed to exec in '
                'container: failed to start exec "%s": OCI runtime exec '
                'failed: exec failed: unable to start container process: %s')
_WAITING = {'ErrImagePull': "image can't be pulled",
            'ImagePullBackOff': 'trying and failing to pull image'}


def container_name(pod: dict[str, Any], wanted: str) -> str:
    """The container that a request means.

    :raises ApiError: 400 for an unknown name, or none among several.
    """
    name = pod['metadata']['name']
    main = [c['name'] for c in pod['spec']['containers']]
    known = [c['name'] for c in admission.all_containers(pod['spec'])]
    if wanted:
        if wanted not in known:
            raise errors.bad_request(
                'container %s is not valid for pod %s' % (wanted, name))
        return wanted
    if len(main) == 1:
        return main[0]
    raise errors.bad_request(
        'a container name must be specified for pod %s, choose one of: [%s]'
        % (name, ' '.join(main)))


class Session:
    """One WebSocket and the process behind it."""

    def __init__(self, socket: web.WebSocketResponse,
                 wanted: dict[str, bool]) -> None:
        self.socket = socket
        self.wanted = wanted
        self.process: processes.LocalProcess | None = None
        self._queue: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._held = False

    def output(self, stream: str, data: bytes) -> None:
        """Queue output for the client."""
        if not self.wanted.get(stream):
            return
        self._queue.put_nowait(bytes([_CHANNELS[stream]]) + data)
        if self.process and self._queue.qsize() > _WINDOW and (
                not self._held):
            self._held = True
            self.process.hold()

    def status(self, document: dict[str, Any]) -> None:
        """Queue the final status (channel 3) and the end."""
        self._queue.put_nowait(b'\x03' + json.dumps(document).encode())
        self._queue.put_nowait(None)

    async def send_all(self) -> None:
        """Send what is queued until the end."""
        while True:
            message = await self._queue.get()
            if message is None:
                return
            await self.socket.send_bytes(message)
            if self._held and self._queue.qsize() < _WINDOW / 2:
                self._held = False
                if self.process:
                    self.process.release()


def exit_status(code: int) -> dict[str, Any]:
    """The status document of a program that ended."""
    if code == 0:
        return {'metadata': {}, 'status': 'Success'}
    return {
        'metadata': {}, 'status': 'Failure', 'reason': 'NonZeroExitCode',
        'message': 'command terminated with non-zero exit code: command '
        'terminated with exit code %d' % code,
        'details': {'causes': [{'reason': 'ExitCode',
                                'message': str(code)}]}}


def failure_status(why: str) -> dict[str, Any]:
    """The status document of a program that could not be started."""
    text = 'Internal error occurred: ' + _EXEC_FAILED % (
        uuid.uuid4().hex + uuid.uuid4().hex, why)
    return {'metadata': {}, 'status': 'Failure', 'reason': 'InternalError',
            'message': 'Internal error occurred: ' + text,
            'details': {'causes': [{'message': text}]}, 'code': 500}


async def execute(request: web.Request, container: containers.Container
                  ) -> web.StreamResponse:
    """Serve ``pods/exec``."""
    query = request.query
    socket, session = await _open(request)
    tty = query.get('tty') == 'true'
    argv = query.getall('command', [])
    try:
        process = container.execute(argv, session.output, tty=tty,
                                    stdin=bool(session.wanted['stdin']))
    except processes.StartError as e:
        session.status(failure_status(str(e)))
        await session.send_all()
        await socket.close()
        return socket
    session.process = process
    reader = asyncio.ensure_future(_read(socket, process, process, True))
    sender = asyncio.ensure_future(session.send_all())
    ended = asyncio.ensure_future(process.wait())
    try:
        await asyncio.wait({reader, ended},
                           return_when=asyncio.FIRST_COMPLETED)
        if not ended.done() and socket.closed:
            processes.send(process.pid, signal.SIGKILL)
        session.status(exit_status(await ended))
    finally:
        if not process.exit_code.done():
            processes.send(process.pid, signal.SIGKILL)
        process.release()
    await _finish(socket, reader, sender)
    return socket


async def attach(request: web.Request, container: containers.Container
                 ) -> web.StreamResponse:
    """Serve ``pods/attach``."""
    socket, session = await _open(request)
    if container.process is None:
        raise errors.bad_request('container %s is not running'
                                 % container.name)
    container.attached.add(session.output)
    once = bool(container.spec.get('stdinOnce'))
    reader = asyncio.ensure_future(
        _read(socket, container.process, container, once))
    sender = asyncio.ensure_future(session.send_all())
    ended = asyncio.ensure_future(container.ended.wait())
    try:
        await asyncio.wait({reader, ended},
                           return_when=asyncio.FIRST_COMPLETED)
    finally:
        container.attached.discard(session.output)
        ended.cancel()
    session.status({'metadata': {}, 'status': 'Success'})
    await _finish(socket, reader, sender)
    return socket


async def _open(request: web.Request
                ) -> tuple[web.WebSocketResponse, Session]:
    query = request.query
    tty = query.get('tty') == 'true'
    wanted = {name: query.get(name) in ('true', '1')
              for name in ('stdin', 'stdout', 'stderr')}
    if not any(wanted.values()):
        raise errors.bad_request('you must specify at least 1 of stdin, '
                                 'stdout, stderr')
    if tty:
        wanted['stderr'] = False
    socket = web.WebSocketResponse(protocols=PROTOCOLS, max_msg_size=0)
    await socket.prepare(request)
    return socket, Session(socket, wanted)


async def _finish(socket: web.WebSocketResponse,
                  reader: asyncio.Future[None],
                  sender: asyncio.Future[None]) -> None:
    try:
        await sender
    except (ConnectionError, aiohttp.ClientError):
        pass  # the client has gone: there is nobody to tell
    await socket.close()
    reader.cancel()
    await asyncio.gather(reader, return_exceptions=True)


async def _read(socket: web.WebSocketResponse,
                process: processes.LocalProcess,
                screen: processes.LocalProcess | containers.Container,
                close_stdin: bool) -> None:
    """Carry the client's messages out until it closes its input."""
    async for message in socket:
        data = message.data
        if message.type == aiohttp.WSMsgType.TEXT:
            data = data.encode()
        elif message.type != aiohttp.WSMsgType.BINARY:
            return
        if not data:
            continue
        channel, data = data[0], data[1:]
        if channel == 0:
            await process.write(data)
        elif channel == 4:
            size = json.loads(data)
            screen.resize(int(size['Width']), int(size['Height']))
        elif channel == 255 and data[:1] == b'\0':
            if close_stdin:
                process.close_stdin()
            else:
                return


# logs

def log_options(pod: str, query: Any) -> logs.LogOptions:
    """Read the query of ``pods/log``.

    :raises ApiError: 422.
    """
    def number(key: str, least: int, rule: str) -> int | None:
        text = query.get(key)
        if text is None:
            return None
        if not re.fullmatch(r'-?\d+', text) or int(text) < least:
            raise errors.invalid('PodLogOptions', pod, key,
                                 'Invalid value: %s: must be %s' % (
                                     text, rule))
        return int(text)
    if 'stream' in query:
        raise errors.invalid('PodLogOptions', pod, 'stream',
                             'Forbidden: may not be specified',
                             'FieldValueForbidden')
    seconds = number('sinceSeconds', 1, 'greater than 0')
    since = ''
    if seconds is not None:
        since = logs.stamp(time.time_ns() - seconds * 10 ** 9)
    elif query.get('sinceTime'):
        since = _precise(query['sinceTime'])
    return logs.LogOptions(
        timestamps=query.get('timestamps') in ('true', '1'),
        tail=number('tailLines', 0, 'greater than or equal to 0'),
        limit=number('limitBytes', 1, 'greater than 0'), since=since)


def _precise(moment: str) -> str:
    try:
        parsed = datetime.datetime.fromisoformat(
            moment.replace('Z', '+00:00'))
    except ValueError:
        raise errors.bad_request(
            'parsing time "%s" as RFC 3339' % moment) from None
    return logs.stamp(int(parsed.timestamp() * 10 ** 6) * 1000)


def run_of_log(pod: dict[str, Any], name: str, query: Any) -> int:
    """The number of the run whose log is wanted.

    :raises ApiError: 400 for a log that cannot be there.
    """
    pod_name = pod['metadata']['name']
    status = pod['status']
    entry = next((e for e in (status.get('containerStatuses') or []) + (
        status.get('initContainerStatuses') or [])
        if e['name'] == name), None)
    run = entry['restartCount'] if entry else 0
    if query.get('previous') in ('true', '1'):
        if not run:
            raise errors.bad_request(
                'previous terminated container "%s" in pod "%s" not found'
                % (name, pod_name))
        return run - 1
    waiting = (entry or {'state': {}})['state'].get('waiting')
    if waiting and not run:
        raise errors.bad_request(
            'container "%s" in pod "%s" is waiting to start: %s' % (
                name, pod_name, _WAITING.get(waiting['reason'],
                                             waiting['reason'])))
    return run - 1 if waiting else run


async def log(request: web.Request, node: kubelet.Kubelet,
              pod: dict[str, Any], name: str, run: int
              ) -> web.StreamResponse:
    """Serve ``pods/log``, of one run of a container."""
    options = log_options(pod['metadata']['name'], request.query)
    container = node.container(pod['metadata']['uid'], name)
    response = web.StreamResponse(headers={'Content-Type': 'text/plain'})
    if request.query.get('follow') in ('true', '1') and container:
        response.enable_chunked_encoding()
        await response.prepare(request)
        async for chunk in logs.follow(container.log, options):
            await response.write(chunk)
    else:
        data = logs.read(node.log_path(pod, name, run), options)
        response.content_length = len(data)
        await response.prepare(request)
        await response.write(data)
    await response.write_eof()
    return response
