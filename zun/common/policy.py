# SPDX-License-Identifier: Apache-2.0
"""Whether somebody may do something: the rules of oslo.policy."""

from collections.abc import Mapping
import threading
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

_lock = threading.Lock()
_enforcer: policy.Enforcer | None = None


def init(policy_file: str | None = None,
         rules: Mapping[str, Any] | None = None,
         default_rule: str | None = None,
         use_conf: bool = True) -> policy.Enforcer:
    """Return the enforcer, made from the defaults and the policy file.

    :param policy_file: overrides ``[oslo_policy] policy_file``
    :param rules: overrides the rules of the file
    :param default_rule: rule that stands for one that is not there
    :param use_conf: read the file, again each time it changes
    """
    global _enforcer
    with _lock:
        if _enforcer is None:
            enforcer = policy.Enforcer(
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


def get_enforcer() -> policy.Enforcer:
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
    credentials = _values(context)
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
    values = _values(context)
    return init().enforce('context_is_admin', values, values)


def _values(context: Any) -> dict[str, Any]:
    # A plain dict: oslo.context's warns of each look-up of an old key.
    return dict(context.to_policy_values())
