# SPDX-License-Identifier: Apache-2.0
"""Values that differ from run to run, as recordings write them.

``<uuid:n>`` ``<req:n>`` ``<name:n>`` are numbered by first appearance;
``<now FORMAT>`` is the time of the request as it is printed, ``<now>`` in a
row, ``<now-5>`` seconds before it; ``<fernet:plain>`` is a ciphertext.
"""

import base64
import datetime
import re

from cryptography import fernet

ENCRYPTION_KEY = 'notgood but just long enough i t'

UUID = (r'[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-'
        r'[0-9a-f]{12}')
_TIME = (r'(?P<date>\d{4}-\d\d-\d\d)(?P<sep>[ T])(?P<clock>\d\d:\d\d:\d\d)'
         r'(?P<fraction>\.\d+)?(?P<zone>Z|[+-]\d\d:\d\d)?')
_LETTERS = ('alpha|beta|gamma|delta|epsilon|zeta|eta|theta|iota|kappa|'
            'lambda|mu|nu|xi|omicron|pi|rho|sigma|tau|upsilon|phi|chi|psi|'
            'omega')
_TOKEN = re.compile('|'.join((
    '(?P<req>req-%s)' % UUID,
    '(?P<uuid>%s)' % UUID,
    '(?P<time>%s)' % _TIME,
    r'(?P<name>(?<![a-z0-9])(?:%s)-(?:2[0-4]|1\d|[1-9])(?!\d))' % _LETTERS,
    r'(?P<fernet>gAAAA[A-Za-z0-9_\-]{40,}={0,2})')))
_SECONDS = re.compile(r'^<now([+-]\d+)?>$')

# The ids that peers give to what they make are the same in each run.
_GIVEN = 'dddddddd-0000-4000'

# Lists whose order means nothing.
_UNORDERED = ('security_groups',)


def cipher() -> fernet.Fernet:
    """What registries' passwords are encrypted with in recordings."""
    return fernet.Fernet(base64.b64encode(ENCRYPTION_KEY[:32].encode()))


class Clock:
    """The time of a request, and the times of its seed that depend on it.

    :ivar end: when the answer was there.
    """

    def __init__(self, start: datetime.datetime) -> None:
        self.start = self.end = start
        self._seeded = {}

    def seed(self, text: str) -> datetime.datetime:
        """The time that a seed means."""
        relative = _SECONDS.match(text)
        if not relative:
            return datetime.datetime.fromisoformat(text)
        when = self.start + datetime.timedelta(
            seconds=int(relative[1] or 0))
        self._seeded[when] = text[1:-1]
        return when

    def name(self, when: datetime.datetime) -> str | None:
        """'now', 'now-5', ... for a time that has such a name."""
        if when in self._seeded:
            return self._seeded[when]
        return 'now' if self.start <= when <= self.end else None

    def name_of_second(self, when: datetime.datetime) -> str | None:
        """The same for a time that was printed without its fraction."""
        for known in [*self._seeded, self.start]:
            if known.replace(microsecond=0) == when:
                return self.name(known)
        return None


class Normaliser:
    """Puts placeholders into what was observed.

    :param known: text with all that the exchange itself contains; uuids in
        it stay.
    """

    def __init__(self, known: str, clock: Clock) -> None:
        self._known = set(re.findall(UUID, known))
        self._clock = clock
        self._numbers = {'req': {}, 'uuid': {}, 'name': {}}

    def walk(self, value, key=None):
        """A value with placeholders; the keys of objects are sorted."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, bytes):
            return self.text(value.decode('utf-8', 'replace'))
        if isinstance(value, datetime.datetime):
            return self._time_of_row(value)
        if isinstance(value, dict):
            return {self.text(str(name)): self.walk(value[name], name)
                    for name in sorted(value, key=str)}
        if isinstance(value, (list, tuple)):
            items = sorted(value, key=str) if key in _UNORDERED else value
            return [self.walk(item) for item in items]
        return value

    def text(self, text: str) -> str:
        """A text with placeholders."""
        return _TOKEN.sub(self._replace, text)

    def _time_of_row(self, when: datetime.datetime) -> str:
        name = self._clock.name(when)
        if name:
            return '<%s>' % name
        return when.strftime('%Y-%m-%d %H:%M:%S') + (
            '.%06d' % when.microsecond if when.microsecond else '')

    def _replace(self, match: re.Match) -> str:
        kind = next(name for name in ('req', 'uuid', 'time', 'name',
                                      'fernet') if match[name] is not None)
        text = match[kind]
        if kind == 'time':
            return self._printed_time(match)
        if kind == 'fernet':
            return self._plain(text)
        if kind == 'req' and text[4:] in self._known:
            return text
        if kind == 'uuid' and (text in self._known or
                               text.startswith(_GIVEN)):
            return text
        numbers = self._numbers[kind]
        return '<%s:%d>' % (kind, numbers.setdefault(text,
                                                     len(numbers) + 1))

    def _printed_time(self, match: re.Match) -> str:
        when = datetime.datetime.fromisoformat('%s %s%s' % (
            match['date'], match['clock'], (match['fraction'] or '')[:7]))
        name = self._clock.name(when)
        if name is None and match['fraction'] is None:
            name = self._clock.name_of_second(when)
        if name is None:
            return match['time']
        return '<%s YYYY-MM-DD%shh:mm:ss%s%s>' % (
            name, match['sep'], '.ffffff' if match['fraction'] else '',
            match['zone'] or '')

    @staticmethod
    def _plain(text: str) -> str:
        try:
            return '<fernet:%s>' % cipher().decrypt(text.encode()).decode()
        except fernet.InvalidToken:
            return text
