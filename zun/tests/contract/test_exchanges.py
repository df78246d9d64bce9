# SPDX-License-Identifier: Apache-2.0
"""Recorded exchanges, one test a family."""

import json
import logging

import zun.conf
from zun.db import api as db_api
from zun.tests import base
from zun.tests.contract import recordings
from zun.tests.contract import replay

CONF = zun.conf.CONF

# Differences of a failing family that its report shows.
SHOWN = 10


class ExchangesTest(base.BaseTestCase):
    """The API answers, writes and asks its peers as the reference does."""

    # A family is up to 400 requests.
    TIMEOUT_SCALING_FACTOR = 10

    def setUp(self) -> None:
        super().setUp()
        # Warnings of the requests that are meant to fail are of no use.
        logging.disable(logging.CRITICAL)
        self.addCleanup(logging.disable, logging.NOTSET)
        self.addCleanup(CONF.reset)
        self.addCleanup(db_api.configure)

    def replay(self, path) -> None:
        """Replay a family and fail with its differences."""
        runner = replay.Replay()
        self.addCleanup(runner.close)
        count, failed = 0, {}
        for exchange in recordings.exchanges(path):
            if 'container_show' in (exchange.get('answers') or {}):
                # What compute would answer to a show isn't asked for.
                continue
            count += 1
            found = runner.run(exchange)
            if found:
                failed[exchange['id']] = found
        self.assertGreater(count, 0, 'The family has no exchanges.')
        self.assertEqual({}, failed, self._report(count, failed))

    @staticmethod
    def _report(count: int, failed: dict) -> str:
        lines = ['%d of %d exchanges differ' % (len(failed), count)]
        for ident, found in list(failed.items())[:SHOWN]:
            lines.append(ident)
            lines += ['  %s\n    recorded %s\n    seen     %s' % (
                path, json.dumps(want)[:300], json.dumps(got)[:300])
                for path, want, got in found[:4]]
        return '\n'.join(lines)


def _add_tests() -> None:
    for family, path in recordings.exchange_families().items():
        def test(self, path=path):
            self.replay(path)
        name = 'test_' + family.replace('-', '_')
        test.__name__ = name
        test.__doc__ = None
        setattr(ExchangesTest, name, test)


_add_tests()
