# SPDX-License-Identifier: Apache-2.0
"""The root of the exceptions, the families below it and their API codes.

A class has a message with named places and the HTTP status it maps to. What
has a status of 500 is not shown to clients word for word.
"""

import re

from oslo_log import log as logging

from zun.common.i18n import _

LOG = logging.getLogger(__name__)

# Words of a class name: a capitalised word, an acronym of two letters or
# more that ends before the next word, or a number. Other single capitals
# are not part of the code, which clients of the reference rely on.
_WORDS = re.compile(r'[A-Z]?[a-z]+|[A-Z]{2,}(?=[A-Z][a-z]|\d|\W|$)|\d+')


def convert_excp_to_err_code(name: str) -> str:
    """Return the API code of an exception's class name.

    ``ContainerNotFound`` becomes ``container-not-found``.
    """
    return '-'.join(word.lower() for word in _WORDS.findall(name))


class ZunException(Exception):
    """Base of all errors of the service.

    :param message: overrides the message of the class; it may have named
        places too
    :param kwargs: values of the named places; kept as ``kwargs``
    """

    message = _('An unknown exception occurred.')
    code = 500

    def __init__(self, message: str | None = None, **kwargs: object) -> None:
        self.kwargs = {'code': self.code, **kwargs}
        if message is None:
            self.message = self._fill(self.message)
        elif kwargs:
            self.message = self._fill(str(message))
        else:
            self.message = str(message)
        super().__init__(self.message)

    def _fill(self, template: str) -> str:
        try:
            return template % self.kwargs
        except (KeyError, TypeError, ValueError) as error:
            # The error that is being reported matters more than its text.
            # Values are left out: they may be secrets.
            LOG.error('Message of %(name)s cannot be filled in: %(error)r; '
                      'values given: %(keys)s',
                      {'name': type(self).__name__, 'error': error,
                       'keys': sorted(self.kwargs)})
            return template

    def __str__(self) -> str:
        return self.message

    def format_message(self) -> str:
        """Return the message with its values filled in."""
        return self.message


class AuthorizationFailure(ZunException):
    message = _('%(client)s connection failed. %(message)s')


class Conflict(ZunException):
    message = _('Conflict.')
    code = 409


class ConflictOptions(Conflict):
    message = _('Conflicting options.')


class ConnectionFailed(ZunException):
    message = _('Failed to connect to remote host')


class EntityNotFound(ZunException):
    message = _('The %(entity)s (%(name)s) could not be found.')


class Invalid(ZunException):
    message = _('Unacceptable parameters.')
    code = 400


class InvalidState(Conflict):
    message = _('Invalid resource state.')


class InvalidStateException(ZunException):
    message = _('Cannot %(action)s container %(id)s in %(actual_state)s state')
    code = 409


class NotAuthorized(ZunException):
    message = _('Not authorized.')
    code = 403


class NotFound(ZunException):
    message = _('Resource could not be found.')
    code = 404


class ObjectNotFound(ZunException):
    message = _('The %(name)s %(id)s could not be found.')


class ObjectNotUnique(ZunException):
    message = _('The %(name)s already exists.')


class OperationNotSupported(ZunException):
    message = _('The operation is not supported.')


class OverQuota(ZunException):
    message = _('Quota exceeded for resources: %(overs)s')
    code = 403


class PolicyNotAuthorized(NotAuthorized):
    message = _("Policy doesn't allow %(action)s to be performed.")


class ResourceExists(ObjectNotUnique):
    message = _('The %(name)s resource already exists.')
    code = 409


class ResourceNotFound(ObjectNotFound):
    message = _('The %(name)s resource %(id)s could not be found.')
    code = 404


class HTTPNotFound(ResourceNotFound):
    """A resource that a request names does not exist."""


class UniqueConstraintViolated(ResourceExists):
    message = _('A resource with %(fields)s violates unique constraint.')


class ValidationError(Invalid):
    message = _('%(detail)s')


class SchemaValidationError(ValidationError):
    """A body or query does not match the JSON Schema of its operation."""
