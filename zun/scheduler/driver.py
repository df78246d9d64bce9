# SPDX-License-Identifier: Apache-2.0
"""What a scheduler driver must do."""

import abc


class Scheduler(abc.ABC):
    """Orders the hosts that Placement offers.

    Loaded by ``[scheduler] driver`` from the entry points
    ``zun.scheduler.driver``.
    """

    @abc.abstractmethod
    def select_hosts(self, context, container, extra_spec: dict,
                     alloc_reqs_by_rp_uuid: dict) -> list:
        """The HostStates that the container may go to, best first.

        :param extra_spec: see ``SchedulerClient.select_destinations``.
        :param alloc_reqs_by_rp_uuid: Placement's allocation requests by the
            provider that they take from. Only hosts whose provider is among
            them may be answered.
        :returns: the empty list when there is none.
        """
