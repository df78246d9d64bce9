# SPDX-License-Identifier: Apache-2.0
"""What all filters have in common."""


class BaseHostFilter:
    """A test that a host passes or not.

    A filter that sets ``host_state.limits`` tells the host what its claim
    may reach.
    """

    def host_passes(self, host_state, container, extra_spec: dict) -> bool:
        """Whether the container may go to this host.

        :param host_state: a HostState.
        :param container: the object with its wishes (cpu, memory, ...).
        :param extra_spec: ``hints``, ``availability_zone``,
            ``pci_requests``; each may be missing or None.
        """
        raise NotImplementedError()
