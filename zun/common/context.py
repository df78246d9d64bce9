# SPDX-License-Identifier: Apache-2.0
"""Who asks, and on whose behalf: the context of a request or of a task."""

from collections.abc import Callable
from collections.abc import Mapping
import copy
import datetime
from typing import Any

from oslo_context import context
from oslo_db.sqlalchemy import enginefacade
from oslo_utils import timeutils

from zun.common import policy


@enginefacade.transaction_context_provider
class RequestContext(context.RequestContext):
    """Identity, scope and trace of one request.

    :ivar all_projects: queries are not limited to the project
    :ivar auth_token_info: what the Identity service said about the token
    :ivar fence: None, or what the outermost database transaction calls
        with its session first; it raises where the task that the context
        belongs to is no longer this worker's
    """

    FROM_DICT_EXTRA_KEYS = [
        'all_projects', 'auth_token_info', 'is_admin', 'password',
        'project_name', 'timestamp', 'trust_id', 'user_name',
    ]

    def __init__(self, *,
                 is_admin: bool | None = None,
                 all_projects: bool = False,
                 auth_token_info: Mapping[str, Any] | None = None,
                 password: str | None = None,
                 timestamp: datetime.datetime | str | None = None,
                 trust_id: str | None = None,
                 **kwargs: Any) -> None:
        """Take the attributes of oslo.context's class and the own ones.

        :param is_admin: None asks the policy ``context_is_admin``
        :param timestamp: when the request came; None is now
        """
        super().__init__(is_admin=bool(is_admin), **kwargs)
        self.all_projects = all_projects
        self.auth_token_info = auth_token_info
        self.fence: Callable[[Any], None] | None = None
        self.password = password
        self.timestamp = _parse_time(timestamp)
        self.trust_id = trust_id
        if is_admin is None:
            self.is_admin = policy.check_is_admin(self)

    def to_dict(self) -> dict[str, Any]:
        values = super().to_dict()
        values.update({
            'all_projects': self.all_projects,
            'auth_token_info': self.auth_token_info,
            'domain_id': self.domain_id,
            'domain_name': self.domain_name,
            'password': self.password,
            'project_id': self.project_id,
            'project_name': self.project_name,
            'timestamp': self.timestamp.isoformat(),
            'trust_id': self.trust_id,
            'user_domain_id': self.user_domain_id,
            'user_domain_name': self.user_domain_name,
            'user_id': self.user_id,
            'user_name': self.user_name,
        })
        return values

    def to_policy_values(self) -> dict[str, Any]:
        # oslo.context's own mapping warns whenever is_admin is read.
        values = dict(super().to_policy_values())
        values['is_admin'] = self.is_admin
        return values

    def elevated(self) -> 'RequestContext':
        """Return a copy that has the rights of an administrator."""
        elevated = copy.copy(self)
        elevated.roles = [*self.roles]
        if 'admin' not in elevated.roles:
            elevated.roles.append('admin')
        elevated.is_admin = True
        return elevated

    def can(self, action: str, target: Mapping[str, Any] | None = None,
            fatal: bool = True) -> bool:
        """Tell whether the policy ``action`` allows it.

        :param target: what is acted on; None is what the context owns
        :param fatal: raise where it is not allowed
        :raises zun.common.exception.PolicyNotAuthorized: if ``fatal``
        """
        return policy.enforce(self, action, target, do_raise=fatal,
                              action=action)


def _parse_time(when: datetime.datetime | str | None) -> datetime.datetime:
    if when is None:
        return timeutils.utcnow()
    if isinstance(when, str):
        return timeutils.parse_isotime(when).replace(tzinfo=None)
    return when


def make_context(**kwargs: Any) -> RequestContext:
    """Return a context of the given attributes."""
    return RequestContext(**kwargs)


def make_admin_context(all_projects: bool = False,
                       **kwargs: Any) -> RequestContext:
    """Return a context of the service itself.

    :param all_projects: let queries see the rows of every project
    """
    return RequestContext(is_admin=True, all_projects=all_projects,
                          **{'overwrite': False, **kwargs})


def get_admin_context(show_deleted: bool = False,
                      all_projects: bool = False) -> RequestContext:
    """Return an administrator's context that belongs to nobody."""
    return make_admin_context(all_projects=all_projects,
                              show_deleted=show_deleted)
