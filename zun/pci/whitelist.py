# SPDX-License-Identifier: Apache-2.0
"""The devices of a host that containers may be given."""

from oslo_serialization import jsonutils

from zun.common import exception
import zun.conf
from zun.pci import devspec

CONF = zun.conf.CONF


class Whitelist:
    """``[pci] passthrough_whitelist``: JSON objects or lists of them.

    :raises PciConfigInvalidWhitelist: an entry is not such JSON.
    """

    def __init__(self, entries: list[str] | None = None):
        if entries is None:
            entries = CONF.pci.passthrough_whitelist
        self.specs = [devspec.PciDeviceSpec(spec) for entry in entries
                      for spec in _parse(entry)]

    def device_assignable(self, dev: dict) -> bool:
        """Whether a device may be given away."""
        return any(spec.match(dev) for spec in self.specs)

    def get_devspec(self, pci_obj) -> devspec.PciDeviceSpec | None:
        """The first entry that a PciDevice falls under."""
        for spec in self.specs:
            if spec.match_pci_obj(pci_obj):
                return spec
        return None


def _parse(entry: str) -> list[dict]:
    try:
        found = jsonutils.loads(entry)
    except ValueError as exc:
        raise exception.PciConfigInvalidWhitelist(
            reason="Invalid entry: '%s'" % entry) from exc
    if isinstance(found, dict):
        return [found]
    if not isinstance(found, list):
        raise exception.PciConfigInvalidWhitelist(
            reason="Invalid entry: '%s'; Expecting list or dict" % entry)
    for spec in found:
        if not isinstance(spec, dict):
            raise exception.PciConfigInvalidWhitelist(
                reason="Invalid entry: '%s'; Expecting dict" % spec)
    return found
