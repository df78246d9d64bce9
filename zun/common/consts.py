# SPDX-License-Identifier: Apache-2.0
"""Names and numbers that rows, requests and peers share."""

# What a container row is part of (container.container_type).
TYPE_ANY = -1
TYPE_CONTAINER = 0
TYPE_CAPSULE = 1
TYPE_CAPSULE_CONTAINER = 2
TYPE_CAPSULE_INIT_CONTAINER = 3

# Status of a container (container.status).
CONTAINER_STATUSES = (
    ERROR, RUNNING, STOPPED, PAUSED, UNKNOWN, CREATING, CREATED, DELETED,
    DELETING, REBUILDING, DEAD, RESTARTING,
) = (
    'Error', 'Running', 'Stopped', 'Paused', 'Unknown', 'Creating',
    'Created', 'Deleted', 'Deleting', 'Rebuilding', 'Dead', 'Restarting',
)

# Status of a capsule; Running and Unknown are shared with containers.
CAPSULE_STATUSES = (
    PENDING, RUNNING, SUCCEEDED, FAILED, UNKNOWN,
) = (
    'Pending', 'Running', 'Succeeded', 'Failed', 'Unknown',
)

# What is being done to a container (container.task_state).
TASK_STATES = (
    IMAGE_PULLING, CONTAINER_CREATING, CONTAINER_STARTING,
    CONTAINER_DELETING, CONTAINER_STOPPING, CONTAINER_REBOOTING,
    CONTAINER_PAUSING, CONTAINER_UNPAUSING, CONTAINER_KILLING, SG_ADDING,
    SG_REMOVING, NETWORK_ATTACHING, NETWORK_DETACHING,
    CONTAINER_REBUILDING,
) = (
    'image_pulling', 'container_creating', 'container_starting',
    'container_deleting', 'container_stopping', 'container_rebooting',
    'container_pausing', 'container_unpausing', 'container_killing',
    'sg_adding', 'sg_removing', 'network_attaching', 'network_detaching',
    'container_rebuilding',
)

# Resource classes of the inventory.
RESOURCE_CLASSES = (
    VCPU, MEMORY_MB, DISK_GB, PCI_DEVICE, SRIOV_NET_VF, NUMA_SOCKET,
    NUMA_CORE, NUMA_THREAD, NUMA_MEMORY_MB, IPV4_ADDRESS,
) = (
    'VCPU', 'MEMORY_MB', 'DISK_GB', 'PCI_DEVICE', 'SRIOV_NET_VF',
    'NUMA_SOCKET', 'NUMA_CORE', 'NUMA_THREAD', 'NUMA_MEMORY_MB',
    'IPV4_ADDRESS',
)

# Traits of a resource provider that the service defines.
CUSTOM_TRAITS = (
    ZUN_COMPUTE_STATUS_DISABLED,
) = (
    'CUSTOM_ZUN_COMPUTE_STATUS_DISABLED',
)

# Status of a resource that is taken.
ALLOCATED = 'allocated'

# Prefix of the names of what the service makes elsewhere.
NAME_PREFIX = 'zun-'

# Neutron's attributes of a port.
BINDING_PROFILE = 'binding:profile'
BINDING_HOST_ID = 'binding:host_id'
DEVICE_OWNER_ZUN = 'compute:zun'

# CNI.
DEFAULT_IFNAME = 'eth0'
CNI_EXCEPTION_CODE = 100
CNI_TIMEOUT_CODE = 200
CNI_METADATA_VIF = 'vif'
CNI_METADATA_PID = 'pid'

# Drivers that give a PCI device to a program instead of the kernel.
USERSPACE_DRIVERS = ['vfio-pci', 'uio', 'uio_pci_generic', 'igb_uio']

# Name of the quota class that counts where a project has no quota.
DEFAULT_QUOTA_CLASS_NAME = 'default'
