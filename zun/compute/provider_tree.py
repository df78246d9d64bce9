# SPDX-License-Identifier: Apache-2.0
"""What Placement knows of a host's resource providers.

A tree is the last state that was read or written; the report client compares
a wanted state with it and sends what differs.
"""

import dataclasses
import time


@dataclasses.dataclass
class Provider:
    """A resource provider: its inventory by resource class (a dict with
    ``total``, ``reserved``, ``min_unit``, ``max_unit``, ``step_size`` and
    ``allocation_ratio``), traits and aggregates.

    ``generation`` guards every write.
    """
    uuid: str
    name: str
    generation: int
    parent_uuid: str | None = None
    inventory: dict[str, dict] = dataclasses.field(default_factory=dict)
    traits: set[str] = dataclasses.field(default_factory=set)
    aggregates: set[str] = dataclasses.field(default_factory=set)

    def has_inventory(self, wanted: dict[str, dict]) -> bool:
        """Whether the inventory is this one already. Keys that are not
        given do not matter: Placement fills them in.
        """
        return self.inventory.keys() == wanted.keys() and all(
            self.inventory[name].get(key) == value
            for name, values in wanted.items()
            for key, value in values.items())


class ProviderTree:
    """The providers of one host by uuid, and when they were read."""

    def __init__(self, providers: list[Provider]):
        self._providers = {provider.uuid: provider for provider in providers}
        self.read_at = time.monotonic()

    def __contains__(self, uuid: str) -> bool:
        return uuid in self._providers

    def get(self, uuid: str) -> Provider:
        """The provider with this uuid.

        :raises KeyError: it is not in the tree.
        """
        return self._providers[uuid]

    def add(self, provider: Provider) -> Provider:
        """Put a provider in."""
        self._providers[provider.uuid] = provider
        return provider

    def is_stale(self, seconds: int) -> bool:
        """Whether it was read longer ago; 0 seconds: never."""
        return bool(seconds) and \
            time.monotonic() - self.read_at > seconds
