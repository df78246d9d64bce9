# SPDX-License-Identifier: Apache-2.0
"""The versioned objects: names, versions and fields of Zun 18.0.0.

Every class is an attribute of this package (``objects.Container``); importing
the package registers them all.
"""

from zun.objects import compute_node
from zun.objects import container
from zun.objects import container_action
from zun.objects import container_pci_requests
from zun.objects import exec_instance
from zun.objects import image
from zun.objects import numa
from zun.objects import pci_device
from zun.objects import pci_device_pool
from zun.objects import quota
from zun.objects import quota_class
from zun.objects import registry
from zun.objects import request_group
from zun.objects import resource_class
from zun.objects import resource_provider
from zun.objects import vif
from zun.objects import volume
from zun.objects import volume_mapping
from zun.objects import zun_network
from zun.objects import zun_service

Capsule = container.Capsule
CapsuleContainer = container.CapsuleContainer
CapsuleInitContainer = container.CapsuleInitContainer
ComputeNode = compute_node.ComputeNode
Container = container.Container
ContainerAction = container_action.ContainerAction
ContainerActionEvent = container_action.ContainerActionEvent
ContainerPCIRequest = container_pci_requests.ContainerPCIRequest
ContainerPCIRequests = container_pci_requests.ContainerPCIRequests
Cpuset = container.Cpuset
ExecInstance = exec_instance.ExecInstance
Image = image.Image
NUMANode = numa.NUMANode
NUMATopology = numa.NUMATopology
PciDevice = pci_device.PciDevice
PciDevicePool = pci_device_pool.PciDevicePool
PciDevicePoolList = pci_device_pool.PciDevicePoolList
Quota = quota.Quota
QuotaClass = quota_class.QuotaClass
Registry = registry.Registry
RequestGroup = request_group.RequestGroup
ResourceClass = resource_class.ResourceClass
ResourceProvider = resource_provider.ResourceProvider
VIFState = vif.VIFState
Volume = volume.Volume
VolumeMapping = volume_mapping.VolumeMapping
ZunNetwork = zun_network.ZunNetwork
ZunService = zun_service.ZunService


def register_all() -> None:
    """Register the objects; importing the package did it already."""
