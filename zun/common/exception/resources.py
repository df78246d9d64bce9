# SPDX-License-Identifier: Apache-2.0
"""Errors about what users and operators handle."""

from zun.common.exception import base
from zun.common.i18n import _


# Requests.

class FailedParseStringToJson(base.ZunException):
    message = _('Failed parse string to json: %(reason)s.')


class InvalidCsr(base.Invalid):
    message = _('Received invalid csr %(csr)s.')


class InvalidDiscoveryURL(base.Invalid):
    message = _(
        "Received invalid discovery URL '%(discovery_url)s' for discovery "
        "endpoint '%(discovery_endpoint)s'.")


class InvalidIdentity(base.Invalid):
    message = _('Expected an uuid or int but received %(identity)s.')


class InvalidName(base.Invalid):
    message = _('Expected a name but received %(uuid)s.')


class InvalidParamInVersion(base.Invalid):
    message = _(
        'Invalid param %(param)s because current request version is '
        '%(req_version)s. %(param)s is only supported from version '
        '%(min_version)s')


class InvalidParameterValue(base.Invalid):
    message = _('%(err)s')


class InvalidUUID(base.Invalid):
    message = _('Expected a uuid but received %(uuid)s.')


class InvalidUuidOrName(base.Invalid):
    message = _('Expected a name or uuid but received %(uuid)s.')


class InvalidValue(base.Invalid):
    message = _("Received value '%(value)s' is invalid for type %(type)s.")


class PatchError(base.Invalid):
    message = _("Couldn't apply patch '%(patch)s'. Reason: %(reason)s")


# Containers and capsules.

class Base64Exception(base.Invalid):
    message = _('Invalid Base 64 file data')


class CapsuleAlreadyExists(base.ResourceExists):
    message = _('A capsule with %(field)s %(value)s already exists.')


class CapsuleNotFound(base.HTTPNotFound):
    message = _('Capsule %(capsule)s could not be found.')


class ContainerActionEventNotFound(base.ZunException):
    message = _('Event %(event)s not found for action id %(action_id)s')


class ContainerActionNotFound(base.ZunException):
    message = _(
        'Action for request_id %(request_id)s on container %(container_uuid)s'
        ' not fount')


class ContainerAlreadyExists(base.ResourceExists):
    message = _('A container with %(field)s %(value)s already exists.')


class ContainerNotFound(base.HTTPNotFound):
    message = _('Container %(container)s could not be found.')


class DockerError(base.ZunException):
    message = _('Docker internal error: %(error_msg)s.')


class ExecInstanceAlreadyExists(base.ResourceExists):
    message = _(
        'An exec instance with exec_id %(exec_id)s already exists in '
        'container.')


class InvalidCapsuleTemplate(base.ZunException):
    message = _('Invalid capsule template: %(reason)s.')


class InvalidWebsocketToken(base.ZunException):
    message = _('Websocket token is invalid')


class InvalidWebsocketUrl(base.ZunException):
    message = _('Websocket Url invalid')


class NoInteractiveFlag(base.Invalid):
    message = _('%(msg)s')


# Images.

class ImageAlreadyExists(base.ResourceExists):
    message = _('An image with tag %(tag)s and repo %(repo)s already exists.')


class ImageNotFound(base.Invalid):
    message = _('Image %(image)s could not be found.')


class InvalidReference(base.ZunException):
    message = _('invalid reference')


class NameEmpty(InvalidReference):
    message = _('repository name must have at least one component')


class NameTooLong(InvalidReference):
    message = _(
        'repository name must not be more than %(length_max)s characters')


class ReferenceInvalidFormat(InvalidReference):
    message = _('invalid reference format')


# Networks.

class CNIError(base.ZunException):
    """A network plug-in could not do what the runtime asked for."""


class ExternalNetworkAttachForbidden(base.NotAuthorized):
    message = _(
        'It is not allowed to create an interface on external network '
        '%(network_uuid)s')


class NetworkAlreadyExists(base.ResourceExists):
    message = _('A network with %(field)s %(value)s already exists.')

    def __init__(self, field: str, value: object) -> None:
        self.field = field
        self.value = value
        super().__init__(field=field, value=value)


class NetworkNotFound(base.HTTPNotFound):
    message = _('Neutron network %(network)s could not be found.')


class PortBindingFailed(base.Invalid):
    message = _(
        'Binding failed for port %(port)s, please check neutron logs for more'
        ' information.')


class PortInUse(base.Invalid):
    message = _('Port %(port)s is still in use.')


class PortNotFound(base.HTTPNotFound):
    message = _('Neutron port %(port)s could not be found.')


class PortNotUsable(base.Invalid):
    message = _('Port %(port)s not usable for the container.')


class ResourceNotReady(CNIError):
    message = _('Resource not ready: %(resource)s')


class SecurityGroupCannotBeApplied(base.Invalid):
    message = _('Security groups cannot apply to the container.')


class SecurityGroupCannotBeRemoved(base.Invalid):
    message = _('Security groups cannot be removed from the container.')


# Volumes.

class MakeFileSystemException(base.ZunException):
    message = _('Unexpected error while make file system')


class MountException(base.ZunException):
    message = _('Unexpected error while mount device')


class UnmountException(base.ZunException):
    message = _('Unexpected error while do umount')


class VolumeAlreadyExists(base.ResourceExists):
    message = _('A volume with %(field)s %(value)s already exists.')


class VolumeCreateFailed(base.Invalid):
    message = _('Volume Creation failed: %(creation_failed)s')


class VolumeDeleteFailed(base.Invalid):
    message = _('Volume Deletion failed: %(deletion_failed)s')


class VolumeInUse(base.Invalid):
    message = _('Volume %(volume)s is still in use.')


class VolumeMappingAlreadyExists(base.ResourceExists):
    message = _('A volume mapping with %(field)s %(value)s already exists.')


class VolumeMappingNotFound(base.HTTPNotFound):
    message = _('Volume mapping %(volume_mapping)s could not be found.')


class VolumeNotFound(base.HTTPNotFound):
    message = _('Volume %(volume)s could not be found.')


class VolumeNotUsable(base.Invalid):
    message = _('Volume %(volume)s not usable for the container.')


# Registries.

class RegistryAlreadyExists(base.ResourceExists):
    message = _('A registry with %(field)s %(value)s already exists.')


class RegistryNotFound(base.HTTPNotFound):
    message = _('Registry %(registry)s could not be found.')


# Hosts and services.

class ApiVersionsIntersect(base.ZunException):
    message = _(
        'Version of %(name)s %(min_ver)s %(max_ver)s intersects with another '
        'versions.')


class ComputeHostNotFound(base.NotFound):
    message = _('Compute host %(host)s could not be found.')


class ComputeNodeAlreadyExists(base.ResourceExists):
    message = _('A compute node with %(field)s %(value)s already exists.')


class ComputeNodeNotFound(base.HTTPNotFound):
    message = _('Compute node %(compute_node)s could not be found.')


class ContainerHostNotUp(base.ZunException):
    message = _('Container %(container)s host %(host)s is not up.')


class ZunServiceAlreadyExists(base.ResourceExists):
    message = _('Service %(binary)s on host %(host)s already exists.')


class ZunServiceNotFound(base.HTTPNotFound):
    message = _('Zun service %(binary)s on host %(host)s could not be found.')
