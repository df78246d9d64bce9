# SPDX-License-Identifier: Apache-2.0
"""Recorded inputs and outputs of pure functions, one test a family."""

import json

from zun.common import exception
from zun.tests import base
from zun.tests.contract import recordings
from zun.tests.contract import vectors


class VectorsTest(base.BaseTestCase):
    """Functions answer as the reference's do.

    Two kinds of errors are others: where the reference fails by accident
    (an exception that isn't one of its own), any error that is meant or any
    value is right; and what it answered with 500 for bad input is a client
    error here, of whatever class.  Of messages the first line counts; the
    rest is JSON Schema's wording.
    """

    def check(self, family: str, path) -> None:
        """Answer the vectors of a family and fail with the differences."""
        cases, failed = recordings.vectors(path), []
        for vector in cases:
            found = self.difference(family, vector)
            if found:
                failed.append('%s%s\n    %s' % (
                    vector['function'], json.dumps(vector['in']), found))
        self.assertEqual([], failed, '\n'.join(
            ['%d of %d differ' % (len(failed), len(cases))] +
            failed[:20]))

    @staticmethod
    def difference(family: str, vector: dict) -> str | None:
        """What is not as recorded."""
        wanted = vector.get('raises')
        try:
            seen = vectors.answer(family, vector)
        except Exception as error:
            return _other_error(wanted, error) if wanted else \
                'raises %r' % error
        if wanted:
            accident = 'code' not in wanted
            return None if accident else 'returns %s' % seen
        if seen == vector['out'] and _same_types(seen, vector['out']):
            return None
        return 'returns %s instead of %s' % (seen, vector['out'])


def _other_error(wanted: dict, error: Exception) -> str | None:
    code = getattr(error, 'code', 500)
    if wanted.get('code', 500) >= 500 and 400 <= code < 500:
        return None
    if 'code' not in wanted:
        meant = isinstance(error, (exception.ZunException, ValueError))
        return None if meant else 'raises %r' % error
    seen = (code, str(error).split('\n')[0])
    if seen == (wanted['code'], wanted['message'].split('\n')[0]):
        return None
    return 'raises %r' % error


def _same_types(one, other) -> bool:
    """Whether two equal documents are also spelt the same in JSON."""
    return json.dumps(one, sort_keys=True) == json.dumps(other,
                                                         sort_keys=True)


def _add_tests() -> None:
    for family, path in recordings.vector_families().items():
        def test(self, family=family, path=path):
            self.check(family, path)
        name = 'test_' + family.replace('-', '_')
        test.__name__ = name
        setattr(VectorsTest, name, test)


_add_tests()
