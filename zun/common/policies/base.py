# SPDX-License-Identifier: Apache-2.0
"""Rules that the others refer to, and what they are made with."""

from oslo_policy import policy

ADMIN_OR_OWNER = 'is_admin:True or project_id:%(project_id)s'
CONTEXT_IS_ADMIN = 'rule:context_is_admin'
DENY_EVERYBODY = 'rule:deny_everybody'
ROLE_ADMIN = 'role:admin'

base_policies = [
    policy.RuleDefault(
        'context_is_admin', ROLE_ADMIN,
        description='Who is an administrator.'),
    policy.RuleDefault(
        'admin_or_owner', ADMIN_OR_OWNER,
        description='An administrator, or the project that owns what is '
                    'acted on.'),
    policy.RuleDefault(
        'admin_api', CONTEXT_IS_ADMIN,
        description='Administrators only.'),
    policy.RuleDefault(
        'deny_everybody', '!',
        description='Nobody, administrators included.'),
]


def rule(name: str, check_str: str, description: str,
         *operations: tuple[str, str]) -> policy.DocumentedRuleDefault:
    """Return the default of a rule.

    :param operations: what it guards, as (method, path)
    """
    return policy.DocumentedRuleDefault(
        name, check_str, description,
        [{'method': method, 'path': path} for method, path in operations])


def list_rules():
    return base_policies
