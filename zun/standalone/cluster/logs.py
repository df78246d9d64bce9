# SPDX-License-Identifier: Apache-2.0
"""Container logs: files in the CRI's format, and reading them back."""

import asyncio
import dataclasses
import datetime
import os
import pathlib
import time
from typing import AsyncIterator
from typing import Iterator

#: Longest line before it is stored in parts, as containerd does.
LINE_LIMIT = 16384


def stamp(nanoseconds: int) -> str:
    """RFC 3339 with nine digits, UTC."""
    seconds, fraction = divmod(nanoseconds, 10 ** 9)
    moment = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)
    return '%s.%09dZ' % (moment.strftime('%Y-%m-%dT%H:%M:%S'), fraction)


class LogWriter:
    """Appends to a log file: ``TIME STREAM F|P TEXT`` a line."""

    def __init__(self, path: pathlib.Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self.grown = asyncio.Event()
        self.closed = False
        self._file = path.open('ab')
        self._rest: dict[str, bytes] = {}

    def write(self, stream: str, data: bytes) -> None:
        """Store output; an unfinished line is kept back until it ends."""
        lines = (self._rest.pop(stream, b'') + data).split(b'\n')
        rest = lines.pop()
        for line in lines:
            self._line(stream, line, b'F')
        while len(rest) >= LINE_LIMIT:
            self._line(stream, rest[:LINE_LIMIT], b'P')
            rest = rest[LINE_LIMIT:]
        if rest:
            self._rest[stream] = rest
        self._file.flush()
        self.grown.set()

    def close(self) -> None:
        """Store unfinished lines and end the file; again is nothing."""
        if self.closed:
            return
        for stream, rest in self._rest.items():
            self._line(stream, rest, b'P')
        self._file.close()
        self.closed = True
        self.grown.set()

    def _line(self, stream: str, text: bytes, tag: bytes) -> None:
        while len(text) > LINE_LIMIT:
            self._line(stream, text[:LINE_LIMIT], b'P')
            text = text[LINE_LIMIT:]
        self._file.write(b'%s %s %s %s\n' % (
            stamp(time.time_ns()).encode(), stream.encode(), tag, text))


@dataclasses.dataclass(frozen=True)
class LogOptions:
    """Query of ``pods/log``; ``since`` is RFC 3339 text to compare with."""

    timestamps: bool = False
    tail: int | None = None
    since: str = ''
    limit: int | None = None


def _lines(chunk: bytes, options: LogOptions) -> Iterator[bytes]:
    for line in chunk.splitlines(keepends=True):
        moment, _stream, tag, text = line.split(b' ', 3)
        if options.since and moment.decode() < options.since:
            continue
        if tag == b'P':
            text = text[:-1]
        yield moment + b' ' + text if options.timestamps else text


def read(path: pathlib.Path, options: LogOptions) -> bytes:
    """All of a log so far."""
    if not path.exists():
        return b''
    return _cut(path.read_bytes(), options)


def _cut(raw: bytes, options: LogOptions) -> bytes:
    lines = list(_lines(raw, options))
    if options.tail is not None:
        lines = lines[len(lines) - min(options.tail, len(lines)):]
    data = b''.join(lines)
    return data if options.limit is None else data[:options.limit]


async def follow(writer: LogWriter, options: LogOptions
                 ) -> AsyncIterator[bytes]:
    """The log so far and then its growth, until the container ends."""
    with writer.path.open('rb') as source:
        size = os.fstat(source.fileno()).st_size
        first = _cut(source.read(size), options)
        left = None if options.limit is None else options.limit - len(first)
        if first:
            yield first
        while left is None or left > 0:
            writer.grown.clear()
            chunk = b''.join(_lines(source.read(), options))
            if left is not None:
                chunk = chunk[:left]
                left -= len(chunk)
            if chunk:
                yield chunk
            elif writer.closed:
                return
            else:
                await writer.grown.wait()
