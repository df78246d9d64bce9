# SPDX-License-Identifier: Apache-2.0
"""Errors of scheduling, Placement, PCI devices, CPU pinning and quotas."""

from zun.common.exception import base
from zun.common.i18n import _


# Scheduling and Placement.

class AllocationMoveFailed(base.ZunException):
    message = _(
        'Failed to move allocations from consumer %(source_consumer)s to '
        'consumer %(target_consumer)s. Error: %(error)s')


class AllocationNotFound(base.HTTPNotFound):
    message = _('Allocation %(allocation)s could not be found.')


class AllocationUpdateFailed(base.ZunException):
    message = _(
        'Failed to update allocations for consumer %(consumer_uuid)s. Error: '
        '%(error)s')


class ConsumerAllocationRetrievalFailed(base.ZunException):
    message = _(
        'Failed to retrieve allocations for consumer %(consumer_uuid)s: '
        '%(error)s')


class InvalidInventory(base.Invalid):
    message = _(
        "Inventory for '%(resource_class)s' on resource provider "
        "'%(resource_provider)s' invalid.")


class InvalidResourceAmount(base.Invalid):
    message = _("Resource amounts must be integers. Received '%(amount)s'.")


class InvalidResourceClass(base.Invalid):
    message = _("Resource class '%(resource_class)s' invalid.")


class InventoryInUse(InvalidInventory):
    """An inventory that allocations refer to cannot go."""


class InventoryNotFound(base.HTTPNotFound):
    message = _('Inventory %(inventory)s could not be found.')


class NoValidHost(base.ZunException):
    message = _('No valid host was found. %(reason)s')


class PlacementAPIConflict(base.ZunException):
    message = _(
        'A conflict was encountered attempting to invoke the placement API at'
        ' URL %(url)s: %(error)s')


class PlacementAPIConnectFailure(base.ZunException):
    message = _('Unable to communicate with the Placement API.')


class RequestedHostNotFound(base.NotFound):
    message = _('Requested host %(host)s could not be found.')


class ResourceClassAlreadyExists(base.ResourceExists):
    message = _('A resource class with %(field)s %(value)s already exists.')


class ResourceClassNotFound(base.HTTPNotFound):
    message = _('Resource class %(resource_class)s could not be found.')


class ResourceProviderAggregateRetrievalFailed(base.ZunException):
    message = _(
        'Failed to get aggregates for resource provider with UUID %(uuid)s')


class ResourceProviderAllocationRetrievalFailed(base.ZunException):
    message = _(
        'Failed to retrieve allocations for resource provider %(rp_uuid)s: '
        '%(error)s')


class ResourceProviderAlreadyExists(base.ResourceExists):
    message = _('A resource provider with %(field)s %(value)s already exists.')


class ResourceProviderCreationFailed(base.ZunException):
    message = _('Failed to create resource provider %(name)s')


class ResourceProviderDeletionFailed(base.ZunException):
    message = _('Failed to delete resource provider %(uuid)s')


class ResourceProviderInUse(base.ZunException):
    message = _('Resource provider has allocations.')


class ResourceProviderNotFound(base.NotFound):
    message = _('No such resource provider %(name_or_uuid)s.')


class ResourceProviderRetrievalFailed(base.ZunException):
    message = _('Failed to get resource provider with UUID %(uuid)s')


class ResourceProviderSyncFailed(base.ZunException):
    message = _(
        'Failed to synchronize the placement service with resource provider '
        'information supplied by the compute host.')


class ResourceProviderTraitRetrievalFailed(base.ZunException):
    message = _(
        'Failed to get traits for resource provider with UUID %(uuid)s')


class ResourceProviderUpdateConflict(PlacementAPIConflict):
    message = _(
        'A conflict was encountered attempting to update resource provider '
        '%(uuid)s (generation %(generation)d): %(error)s')


class ResourceProviderUpdateFailed(base.ZunException):
    message = _(
        'Failed to update resource provider via URL %(url)s: %(error)s')


class ResourcesUnavailable(base.ZunException):
    message = _('Insufficient compute resources: %(reason)s.')


class SchedulerHostFilterNotFound(base.NotFound):
    message = _('Scheduler Host Filter %(filter_name)s could not be found.')


class TraitCreationFailed(base.ZunException):
    message = _('Failed to create trait %(name)s: %(error)s')


class TraitRetrievalFailed(base.ZunException):
    message = _(
        'Failed to get traits for resource provider with UUID %(uuid)s')


class UsagesRetrievalFailed(base.ZunException):
    message = _(
        "Failed to retrieve usages for project '%(project_id)s' and user "
        "'%(user_id)s'.")


# PCI devices.

class PciConfigInvalidWhitelist(base.ZunException):
    message = _('Invalid PCI devices Whitelist config %(reason)s')


class PciDeviceInvalidDeviceName(base.ZunException):
    message = _(
        'Invalid PCI Whitelist: The PCI whitelist can specify devname or '
        'address, but not both')


class PciDeviceInvalidOwner(base.Invalid):
    message = _(
        'PCI device %(compute_node_id)s:%(address)s is owned by %(owner)s '
        'instead of %(hopeowner)s')


class PciDeviceInvalidStatus(base.Invalid):
    message = _(
        'PCI device %(compute_node_id)s:%(address)s is %(status)s instead of '
        '%(hopestatus)s')


class PciDeviceNotFound(base.NotFound):
    message = _('PCI Device %(node_id)s:%(address)s not found.')


class PciDeviceNotFoundById(base.NotFound):
    message = _('PCI device %(id)s not found')


class PciDevicePFInvalidStatus(base.Invalid):
    message = _(
        'Physical Function %(compute_node_id)s:%(address)s, related to VF '
        '%(compute_node_id)s:%(vf_address)s is %(status)s instead of '
        '%(hopestatus)s')


class PciDevicePoolEmpty(base.ZunException):
    message = _(
        'Attempt to consume PCI device %(compute_node_uuid)s:%(address)s from'
        ' empty pool')


class PciDeviceVFInvalidStatus(base.Invalid):
    message = _(
        'Not all Virtual Functions of PF %(compute_node_id)s:%(address)s are '
        'free.')


class PciDeviceWrongAddressFormat(base.ZunException):
    message = _('The PCI address %(address)s has an incorrect format.')


# CPU pinning.

class CPUPinningInvalid(base.Invalid):
    message = _(
        'CPU set to pin %(requested)s must be a subset of free CPU set '
        '%(free)s')


class CPUPinningUnknown(base.ZunException):
    message = _(
        'CPU set to pin %(requested)s must be a subset of known CPU set '
        '%(cpuset)s')


class CPUUnpinningInvalid(base.Invalid):
    message = _(
        'CPU set to unpin %(requested)s must be a subset of pinned CPU set '
        '%(pinned)s')


class CPUUnpinningUnknown(base.Invalid):
    message = _(
        'CPU set to unpin %(requested)s must be a subset of known CPU set '
        '%(cpuset)s')


# Quotas.

class InvalidQuotaMethodUsage(base.Invalid):
    message = _('Wrong quota method %(method)s used on resource %(res)s')


class InvalidQuotaValue(base.Invalid):
    message = _(
        'Change would make usage less than 0 for the following resources: '
        '%(unders)s')


class QuotaAlreadyExists(base.ZunException):
    message = _(
        'Quota already exists for project %(project_id)s, resource '
        '%(resource)s.')


class QuotaNotFound(base.NotFound):
    message = _('Quota could not be found.')


class ProjectQuotaNotFound(QuotaNotFound):
    message = _('Quota for project %(project_id)s could not be found.')


class QuotaClassNotFound(QuotaNotFound):
    message = _('Quota class %(class_name)s could not be found.')


class QuotaResourceUnknown(QuotaNotFound):
    message = _('Unknow quota resources %(unknown)s.')


class QuotaUsageNotFound(base.NotFound):
    message = _('Quota usage could not be found')
