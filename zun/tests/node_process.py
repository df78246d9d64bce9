# SPDX-License-Identifier: Apache-2.0
"""Reports a node that no agent runs on: one of the simulated cluster."""

from zun.cmd import preflight
from zun.common import process
from zun.common import service
from zun.compute import node_reporter
import zun.conf

CONF = zun.conf.CONF


def main() -> None:
    """Report until asked to end."""
    service.prepare_service()
    process.run(
        'node', lambda worker_id: [node_reporter.NodeReporter(CONF.host)],
        checks=[preflight.database, preflight.cluster])


if __name__ == '__main__':
    main()
