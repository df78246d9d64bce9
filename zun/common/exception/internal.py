# SPDX-License-Identifier: Apache-2.0
"""Errors inside the service."""

from zun.common.exception import base
from zun.common.i18n import _


# Objects.

class IncompatibleObjectVersion(base.ZunException):
    message = _('Version %(objver)s of %(objname)s is not supported')


class ObjectActionError(base.ZunException):
    message = _('Object action %(action)s failed because: %(reason)s')


class OrphanedObjectError(base.ZunException):
    message = _('Cannot call %(method)s on orphaned %(objtype)s object')


class UnsupportedObjectError(base.ZunException):
    message = _('Unsupported object type %(objtype)s')


# Others.

class ClassNotFound(base.NotFound):
    message = _('Class %(class_name)s could not be found: %(exception)s')


class CommandError(base.ZunException):
    message = _('The command: %(cmd)s failed on the system, due to %(error)s')


class ConfigInvalid(base.ZunException):
    message = _('Invalid configuration file. %(error_msg)s')


class FileNotFound(base.ZunException):
    message = _('The expected file not exist')


class GetDiscoveryUrlFailed(base.ZunException):
    message = _("Failed to get discovery url from '%(discovery_endpoint)s'.")


class InvalidEncryptionKey(base.ZunException):
    message = _(
        'Can not decrypt data with the auth_encryption_key in zun config.')


class PollTimeOut(base.ZunException):
    message = _('Polling request timed out.')


class ServerInError(base.ZunException):
    message = _(
        'Went to status %(resource_status)s due to "%(status_reason)s"')


class ServerUnknownStatus(base.ZunException):
    message = _(
        '%(result)s - Unknown status %(resource_status)s due to '
        '"%(status_reason)s"')


class SocketException(base.ZunException):
    message = _('Socket exceptions')
