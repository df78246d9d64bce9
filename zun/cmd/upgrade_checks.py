# SPDX-License-Identifier: Apache-2.0
"""What ``zun-status upgrade check`` looks at."""

import os

from oslo_config import cfg
from oslo_upgradecheck import upgradecheck

from zun.cmd import preflight
from zun.common import crypt
from zun.common import exception
from zun.common.k8s import client
from zun.common.k8s import errors as k8s_errors
from zun.common import process
import zun.conf
from zun.conf import opts
from zun.db.sqlalchemy import migration

CONF = zun.conf.CONF

SUCCESS = upgradecheck.Code.SUCCESS
WARNING = upgradecheck.Code.WARNING
FAILURE = upgradecheck.Code.FAILURE

# How the help of an option begins that has no effect any more.
UNUSED = 'Unused:'

# Groups and options of libraries that take no part any more.
GONE_GROUPS = ('etcd', 'kuryr', 'matchmaker_redis', 'oslo_messaging_amqp',
               'oslo_messaging_kafka', 'oslo_messaging_metrics',
               'oslo_messaging_notifications', 'oslo_messaging_rabbit')
GONE_OPTIONS = ('control_exchange', 'rpc_backend', 'rpc_response_timeout',
                'transport_url')

# Values that mean Kubernetes now.
OLD_ENGINES = (('DEFAULT', 'container_driver', ('docker', 'cri')),
               ('DEFAULT', 'capsule_driver', ('docker', 'cri')),
               ('network', 'driver', ('kuryr',)))


def _set_by_operator(group: str, name: str) -> bool:
    location = CONF.get_location(
        name.replace('-', '_'), None if group == 'DEFAULT' else group)
    return location is not None and location.location.is_user_controlled


def unused_options() -> list[str]:
    """Options without effect that the operator has set, as group.name."""
    return sorted('%s.%s' % (group, option.name)
                  for group, options in opts.list_opts() for option in options
                  if (option.help or '').startswith(UNUSED) and
                  _set_by_operator(str(group), option.name))


def gone_options() -> list[str]:
    """Options of the configuration files that nothing reads."""
    found = set()
    for path in CONF.config_file or ():
        sections: dict[str, dict] = {}
        cfg.ConfigParser(os.fspath(path), sections).parse()
        for group, options in sections.items():
            found.update('%s.%s' % (group, name) for name in options
                         if group in GONE_GROUPS or
                         group == 'DEFAULT' and name in GONE_OPTIONS)
    return sorted(found)


class Checks(upgradecheck.UpgradeCommands):
    """The checks, in the order in which they are shown."""

    def _check_key(self) -> upgradecheck.Result:
        if crypt.uses_published_key():
            return upgradecheck.Result(
                FAILURE, 'auth_encryption_key has its published default: '
                'services do not start with it. Set one of your own, and '
                'enter the passwords of registries anew.')
        return upgradecheck.Result(SUCCESS)

    def _check_options(self) -> upgradecheck.Result:
        names = unused_options() + gone_options()
        if names:
            return upgradecheck.Result(
                WARNING, 'These options have no effect, remove them: '
                + ', '.join(names))
        return upgradecheck.Result(SUCCESS)

    def _check_engines(self) -> upgradecheck.Result:
        old = ['%s.%s = %s' % (group, name, value)
               for group, name, values in OLD_ENGINES
               for value in [_value(group, name)]
               if value in values and _set_by_operator(group, name)]
        if old:
            return upgradecheck.Result(
                WARNING, '%s: that means Kubernetes now, and Docker no '
                'more.' % ', '.join(old))
        return upgradecheck.Result(SUCCESS)

    def _check_database(self) -> upgradecheck.Result:
        try:
            revision = preflight.database_revision()
        except process.StartError as error:
            return upgradecheck.Result(FAILURE, str(error))
        if revision is None:
            return upgradecheck.Result(
                SUCCESS, 'The database is empty: run "zun-db-manage '
                'upgrade".')
        known = migration.known_revisions()
        if revision not in known:
            return upgradecheck.Result(
                FAILURE, 'The database is at revision %s. Upgrade it to Zun '
                '18.0.0 with that release first.' % revision)
        if revision != known[0]:
            return upgradecheck.Result(
                SUCCESS, 'Run "zun-db-manage upgrade" before the services '
                'start.')
        return upgradecheck.Result(SUCCESS)

    def _check_cluster(self) -> upgradecheck.Result:
        name = CONF.kubernetes.runtime_class
        try:
            cluster = client.get_cluster()
            cluster.version()
            if name:
                cluster.get(client.RUNTIME_CLASSES, name)
        except k8s_errors.NotFound:
            return upgradecheck.Result(
                FAILURE, 'The cluster has no RuntimeClass %s. Create it, or '
                'name another one in [kubernetes] runtime_class.' % name)
        except exception.ZunException as error:
            return upgradecheck.Result(FAILURE, process.one_line(error))
        return upgradecheck.Result(SUCCESS)

    _upgrade_checks = (
        ('Encryption key', _check_key),
        ('Options without effect', _check_options),
        ('Container engines', _check_engines),
        ('Database', _check_database),
        ('Kubernetes cluster', _check_cluster),
    )


def _value(group: str, name: str) -> object:
    return CONF[name] if group == 'DEFAULT' else CONF[group][name]
