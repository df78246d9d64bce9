# SPDX-License-Identifier: Apache-2.0
"""Filters: which of Placement's candidates a container may go to.

A filter is a class with ``host_passes(host_state, container, extra_spec)``.
``[scheduler] available_filters`` names classes, or functions that return
lists of them; ``enabled_filters`` picks among them by class name.
"""

from oslo_utils import importutils

from zun.common import exception
from zun.scheduler.filters import availability_zone_filter
from zun.scheduler.filters import base
from zun.scheduler.filters import compute_filter
from zun.scheduler.filters import cpu_filter
from zun.scheduler.filters import cpuset_filter
from zun.scheduler.filters import disk_filter
from zun.scheduler.filters import label_filter
from zun.scheduler.filters import pci_passthrough_filter
from zun.scheduler.filters import ram_filter
from zun.scheduler.filters import runtime_filter

BaseHostFilter = base.BaseHostFilter


def all_filters() -> list[type]:
    """The filters that come with the service."""
    return [availability_zone_filter.AvailabilityZoneFilter,
            compute_filter.ComputeFilter,
            cpu_filter.CPUFilter,
            cpuset_filter.CpuSetFilter,
            disk_filter.DiskFilter,
            label_filter.LabelFilter,
            pci_passthrough_filter.PciPassthroughFilter,
            ram_filter.RamFilter,
            runtime_filter.RuntimeFilter]


def load_filters(available: list[str], enabled: list[str]) -> list:
    """Instances of the enabled filters, in their order.

    :raises SchedulerHostFilterNotFound: a name is not among the available.
    """
    classes: dict[str, type] = {}
    for path in available:
        found = importutils.import_class(path)
        for cls in [found] if isinstance(found, type) else found():
            classes[cls.__name__] = cls
    for name in enabled:
        if name not in classes:
            raise exception.SchedulerHostFilterNotFound(filter_name=name)
    return [classes[name]() for name in enabled]
