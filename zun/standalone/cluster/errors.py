# SPDX-License-Identifier: Apache-2.0
"""Errors of the simulated API as Kubernetes ``Status`` objects."""

from typing import Any


class ApiError(Exception):
    """An answer other than success; ``status()`` is its JSON body."""

    def __init__(self, code: int, reason: str, message: str,
                 details: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.reason = reason
        self.message = message
        self.details = details

    def status(self) -> dict[str, Any]:
        """The ``Status`` object that the API server would send."""
        body: dict[str, Any] = {
            'kind': 'Status', 'apiVersion': 'v1', 'metadata': {},
            'status': 'Failure', 'message': self.message,
            'reason': self.reason}
        if self.details is not None:
            body['details'] = self.details
        body['code'] = self.code
        return body


def not_found(plural: str, name: str, group: str = '') -> ApiError:
    """404 for an object that does not exist."""
    kind = '%s.%s' % (plural, group) if group else plural
    return ApiError(404, 'NotFound', '%s "%s" not found' % (kind, name),
                    _details(plural, name, group))


def already_exists(plural: str, name: str, group: str = '') -> ApiError:
    """409 for a name that is taken."""
    kind = '%s.%s' % (plural, group) if group else plural
    return ApiError(409, 'AlreadyExists', '%s "%s" already exists' % (
        kind, name), _details(plural, name, group))


def conflict(plural: str, name: str, why: str, group: str = '') -> ApiError:
    """409 for a resourceVersion or uid that does not match."""
    kind = '%s.%s' % (plural, group) if group else plural
    return ApiError(409, 'Conflict',
                    'Operation cannot be fulfilled on %s "%s": %s' % (
                        kind, name, why), _details(plural, name, group))


def forbidden(plural: str, name: str, why: str,
              causes: list[dict[str, str]] | None = None) -> ApiError:
    """403 of an admission check."""
    details = _details(plural, name, '')
    if causes:
        details['causes'] = causes
    return ApiError(403, 'Forbidden', '%s "%s" is forbidden: %s' % (
        plural, name, why), details)


def invalid(kind: str, name: str, field: str, message: str,
            reason: str = 'FieldValueInvalid') -> ApiError:
    """422 for one field; ``message`` starts with e.g. 'Invalid value:'."""
    return ApiError(422, 'Invalid', '%s "%s" is invalid: %s: %s' % (
        kind, name, field, message), {
            'name': name, 'kind': kind,
            'causes': [{'reason': reason, 'message': message,
                        'field': field}]})


def bad_request(message: str) -> ApiError:
    """400."""
    return ApiError(400, 'BadRequest', message)


def unknown_resource() -> ApiError:
    """404 for a path that names no known resource."""
    return ApiError(404, 'NotFound',
                    'the server could not find the requested resource', {})


def method_not_allowed() -> ApiError:
    """405."""
    return ApiError(405, 'MethodNotAllowed', 'the server does not allow '
                    'this method on the requested resource', {})


def unsupported_media_type() -> ApiError:
    """415, for patches of an unknown type."""
    return ApiError(415, 'UnsupportedMediaType',
                    '415: Unsupported Media Type', {})


def expired(since: int, oldest: int) -> ApiError:
    """410: the events after ``since`` are no longer kept."""
    return ApiError(410, 'Expired', 'too old resource version: %d (%d)' % (
        since, oldest))


def _details(plural: str, name: str, group: str) -> dict[str, Any]:
    details = {'name': name, 'kind': plural}
    if group:
        details['group'] = group
    return details
