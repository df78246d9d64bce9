# SPDX-License-Identifier: Apache-2.0
"""What is added to every request before Placement is asked."""

DISABLED_TRAIT = 'CUSTOM_ZUN_COMPUTE_STATUS_DISABLED'


def process(client, extra_spec: dict) -> None:
    """Keep disabled hosts out: their providers carry a trait for it, which
    is made here if Placement does not know it (it would refuse the query).

    :param client: a SchedulerReportClient.
    """
    client.ensure_traits([DISABLED_TRAIT])
    extra_spec['trait:' + DISABLED_TRAIT] = 'forbidden'
