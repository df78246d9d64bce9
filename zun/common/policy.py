# SPDX-License-Identifier: Apache-2.0
"""Whether somebody may do something: the rules of oslo.policy."""

from collections.abc import Mapping
import threading
import time
from typing import Any

from oslo_log import log as logging
from oslo_policy import opts
from oslo_policy import policy

from zun.common import exception
from zun.common import policies
import zun.conf

CONF = zun.conf.CONF
LOG = logging.getLogger(__name__)

opts._register(CONF)

# Seconds after which a changed policy file counts.
REREAD_SECONDS = 1

_lock = threading.Lock()
_enforcer: policy.Enforcer | None = None


class Enforcer(policy.Enforcer):
    """Looks at the policy files at most once a second.

    oslo.policy looks for them in every check, which takes as long as the
    check itself.
    """

    _looked_at: float | None = None

    def load_rules(self, force_reload: bool = False) -> None:
        now = time.monotonic()
        if (force_reload or self._looked_at is None
                or now - self._looked_at >= REREAD_SECONDS):
            super().load_rules(force_reload)
            self._looked_at = now

    def clear(self) -> None:
        super().clear()
        self._looked_at = None


def init(policy_file: str | None = None,
         rules: Mapping[str, Any] | None = None,
         default_rule: str | None = None,
         use_conf: bool = True) -> Enforcer:
    """Return the enforcer, made once from the defaults and the policy file.

    :param policy_file: overrides ``[oslo_policy] policy_file``
    :param rules: overrides the rules of the file
    :param default_rule: rule that stands for one that is not there
    :param use_conf: read the file, again each time it changes
    """
    global _enforcer
    with _lock:
        if _enforcer is None:
            enforcer = Enforcer(
                CONF, policy_file=policy_file, rules=rules,
                default_rule=default_rule, use_conf=use_conf)
            enforcer.register_defaults(policies.list_rules())
            _enforcer = enforcer
        return _enforcer


def reset() -> None:
    """Forget the rules; the next check reads them again."""
    global _enforcer
    with _lock:
        if _enforcer is not None:
            _enforcer.clear()
        _enforcer = None


def get_enforcer() -> Enforcer:
    """Return the enforcer for oslo.policy's command line tools."""
    CONF([], project='zun')
    return init()


def enforce(context: Any, rule: str,
            target: Mapping[str, Any] | None = None,
            do_raise: bool = True,
            exc: type[Exception] | None = None,
            *args: Any, **kwargs: Any) -> bool:
    """Tell whether a rule allows what the context asks for.

    A rule that is not there allows nothing.

    :param target: what is acted on; None is what the context owns
    :param do_raise: raise where it is not allowed
    :param exc: what to raise then; None is PolicyNotAuthorized
    :param args: arguments of ``exc``
    :param kwargs: keyword arguments of ``exc``
    :raises zun.common.exception.PolicyNotAuthorized: unless ``exc``
    """
    enforcer = init()
    credentials = context.to_policy_values()
    if target is None:
        target = {'project_id': credentials['project_id'],
                  'user_id': credentials['user_id']}
    if exc is None:
        exc = exception.PolicyNotAuthorized
        kwargs.setdefault('action', rule)
    return enforcer.enforce(rule, target, credentials, do_raise, exc,
                            *args, **kwargs)


def authorize(context: Any, action: str,
              target: Mapping[str, Any] | None = None,
              do_raise: bool = True,
              exc: type[Exception] | None = None,
              might_not_exist: bool = False) -> bool:
    """Like :func:`enforce`, for rules that must be registered.

    :param might_not_exist: a rule that only a policy file defines
    :raises oslo_policy.policy.PolicyNotRegistered: the rule is unknown
    """
    if not might_not_exist and action not in init().registered_rules:
        raise policy.PolicyNotRegistered(action)
    return enforce(context, action, target, do_raise, exc)


def check_is_admin(context: Any) -> bool:
    """Tell whether the roles of the context are an administrator's."""
    values = context.to_policy_values()
    return init().enforce('context_is_admin', values, values)
