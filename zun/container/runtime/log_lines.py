# SPDX-License-Identifier: Apache-2.0
"""Lines of the log files that the kubelet and the runtime keep.

Each is ``TIME STREAM TAG TEXT``; the tag P says that the text goes on with
the next line of the same stream.
https://github.com/kubernetes/design-proposals-archive/blob/main/node/kubelet-cri-logging.md
"""

from collections.abc import Iterable
from collections.abc import Iterator
import datetime

_STREAMS = {b'stdout', b'stderr'}


def select(lines: Iterable[bytes], streams: set[bytes], timestamps: bool,
           since: datetime.datetime | None) -> Iterator[bytes]:
    """What a container has said, line by line.

    :param lines: of a file.
    :param streams: ``b'stdout'`` and ``b'stderr'``, or one of them.
    :param timestamps: put the time before each line.
    :param since: naive, in UTC; older lines are left out.
    """
    begun: dict[bytes, bytes] = {}
    for line in lines:
        parts = line.rstrip(b'\n').split(b' ', 3)
        if len(parts) < 3 or parts[1] not in _STREAMS:
            # The end of a file that is being written.
            continue
        when, stream, tag = parts[:3]
        text = parts[3] if len(parts) > 3 else b''
        if stream not in streams:
            continue
        before = begun.pop(stream, None)
        if before is None:
            if since is not None and _time(when) < since:
                continue
            before = when + b' ' if timestamps else b''
        if tag.partition(b':')[0] == b'P':
            begun[stream] = before + text
        else:
            yield before + text + b'\n'
    yield from begun.values()


def _time(text: bytes) -> datetime.datetime:
    """A time of a log, cut to microseconds, in UTC."""
    moment, zone = text.decode('ascii', 'replace'), '+00:00'
    if moment.endswith('Z'):
        moment = moment[:-1]
    elif len(moment) > 6 and moment[-6] in '+-':
        moment, zone = moment[:-6], moment[-6:]
    whole, __, part = moment.partition('.')
    try:
        found = datetime.datetime.fromisoformat(
            '%s.%s%s' % (whole, part[:6].ljust(6, '0'), zone))
    except ValueError:
        return datetime.datetime.max
    return found.astimezone(datetime.timezone.utc).replace(tzinfo=None)


def newest(lines: Iterable[bytes], count: int | None, limit: int) -> bytes:
    """The last lines: so many of them, and no more than so many bytes."""
    kept: list[bytes] = []
    size = 0
    for line in lines:
        kept.append(line)
        size += len(line)
        if size > 2 * limit:
            kept, size = _shortened(kept, limit)
    kept, size = _shortened(kept, limit)
    if count is not None and count >= 0:
        kept = kept[len(kept) - min(count, len(kept)):]
    return b''.join(kept)


def _shortened(lines, limit):
    size, first = 0, len(lines)
    while first and size + len(lines[first - 1]) <= limit:
        first -= 1
        size += len(lines[first])
    return lines[first:], size
