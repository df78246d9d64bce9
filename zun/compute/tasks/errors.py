# SPDX-License-Identifier: Apache-2.0
"""Errors of the task engine, and which errors can pass by themselves."""

import json
from typing import Any

from oslo_db import exception as db_exc
import sqlalchemy as sa

from zun.common import exception
from zun.common.i18n import _
from zun.common import utils

# Answers of a peer after which the same request may succeed.
PASSING_STATUS = frozenset((408, 425, 429, 500, 502, 503, 504))

# What the database layer raises; oslo.db passes some on as they are.
DB_ERRORS = (db_exc.DBError, sa.exc.DBAPIError)

# Errors of the database that the same statement will get again.
LASTING_DB_ERRORS = (
    db_exc.DBConstraintError, db_exc.DBDataError, db_exc.DBDuplicateEntry,
    db_exc.DBInvalidUnicodeParameter, db_exc.DBNonExistentConstraint,
    db_exc.DBNonExistentTable, db_exc.DBReferenceError,
    sa.exc.ProgrammingError,
)

# Longest text of an error that is kept with its task.
MAX_MESSAGE = 4096


class LeaseLost(exception.ZunException):
    """The task was given to another worker; this one must write no more."""

    message = _('Task %(task)s is no longer held by this worker '
                '(epoch %(epoch)s).')


class Retry(exception.ZunException):
    """Raised by an operation that has to be run again.

    :param reason: what it waits for, or what failed
    :param after: seconds.  Given, the operation only waits: no attempt is
        used up, and limiting the time is its own business.  Not given, an
        attempt failed, and the next follows after a pause that doubles.
    """

    message = _('The operation has to be run again: %(reason)s')

    def __init__(self, reason: str = 'not ready yet',
                 after: float | None = None) -> None:
        super().__init__(reason=reason)
        self.after = after


class GaveUp(exception.ZunException):
    """All attempts were used up without an error to show for it."""

    message = _('Gave up after %(attempts)s attempts: the workers died.')


class UnknownKind(Retry):
    """A task of a release that is not this one."""

    def __init__(self, kind: str, version: int, after: float) -> None:
        super().__init__(_('this release cannot run tasks of kind %(kind)s, '
                           'version %(version)s')
                         % {'kind': kind, 'version': version}, after)


class PayloadTooLarge(exception.Invalid):
    """The arguments of an operation exceed [task] max_payload_size."""

    message = _('The request is too large: %(size)s bytes to hand over, '
                'at most %(limit)s are allowed. Mount smaller files.')


class TaskTimeout(exception.ZunException):
    """The outcome of a change did not come in time."""

    message = _('%(kind)s was not done within %(seconds)s seconds: '
                '%(why)s')
    code = 503


class TaskNotFound(exception.NotFound):
    message = _('There is no task %(task)s.')


class TaskConflict(exception.Conflict):
    message = _('Task %(task)s is %(state)s: %(remedy)s')


class Superseded(exception.Conflict):
    """A task that would have to wait, while a delete waits for it."""

    message = _('Ended for the deletion that was asked for meanwhile: '
                '%(reason)s')


class Cancelled(exception.Conflict):
    """What somebody who waits for the outcome gets to hear."""

    message = _('The task was cancelled by an operator.')


# What an operator may get wrong.
QUEUE_ERRORS = (TaskNotFound, TaskConflict)


class OperationFailed(exception.ZunException):
    """An error of another process whose class is not known here."""


def is_transient(error: BaseException) -> bool:
    """Whether the same operation may succeed later.

    An error may say so itself by an attribute ``transient``.  Errors of
    peers and of Kubernetes carry the ``status`` of the answer; None is no
    answer.
    """
    if isinstance(error, Retry):
        return True
    said = getattr(error, 'transient', None)
    if said is not None:
        return bool(said)
    if isinstance(error, DB_ERRORS):
        return not isinstance(error, LASTING_DB_ERRORS)
    if hasattr(error, 'status'):
        return error.status is None or error.status in PASSING_STATUS
    return isinstance(error, (ConnectionError, TimeoutError))


def dump(error: BaseException) -> str:
    """An error as JSON, to keep with its task."""
    text = str(error) or type(error).__name__
    if isinstance(error, DB_ERRORS):
        # The statement follows; it tells nobody anything.
        text = utils.one_line(error)
    return json.dumps({'class': type(error).__name__,
                       'message': text[:MAX_MESSAGE],
                       'code': getattr(error, 'code', None)})


def load(text: str) -> Exception:
    """The error that :func:`dump` was given, as near as can be."""
    kept: dict[str, Any] = json.loads(text)
    cls = getattr(exception, kept['class'], None)
    if isinstance(cls, type) and issubclass(cls, exception.ZunException):
        return cls(kept['message'])
    error = OperationFailed(kept['message'])
    if isinstance(kept['code'], int):
        error.code = kept['code']
    return error


def message(text: str | None) -> str:
    """The words of a kept error, for people."""
    if not text:
        return ''
    kept = json.loads(text)
    return '%(class)s: %(message)s' % kept
