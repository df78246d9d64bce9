# SPDX-License-Identifier: Apache-2.0

import fnmatch
import pathlib
import socket

from oslo_config import cfg
from oslo_config import generator
from oslo_utils import netutils

import zun
import zun.conf
from zun.conf import opts
from zun.tests import base
from zun.tests.contract import facts

# Groups that are this project's own.
OWN_GROUPS = ('agent', 'kubernetes', 'task')

HERE = {
    socket.gethostname(): '<this host>',
    netutils.get_my_ipv4(): '<this address>',
    str(pathlib.Path(zun.__file__).parent): '<package parent>/zun',
}


def described(group: str, opt: cfg.Opt) -> dict:
    """Return what the facts tell about an option."""
    default = opt.default
    fact = {
        'default': HERE.get(default, default) if isinstance(default, str)
        else default,
        'group': group,
        'name': opt.name,
        'type': type(opt).__name__,
    }
    if isinstance(opt, cfg.ListOpt):
        fact['item_type'] = type(opt.type.item_type).__name__
    if opt.deprecated_opts:
        fact['deprecated_names'] = [
            [old.group, old.name] for old in opt.deprecated_opts]
    bounds = {
        'choices': list(getattr(opt.type, 'choices', None) or []),
        'max': getattr(opt.type, 'max', None),
        'min': getattr(opt.type, 'min', None),
    }
    flags = {name: getattr(opt, name) for name in (
        'deprecated_for_removal', 'mutable', 'required', 'sample_default',
        'secret')}
    fact.update({name: value for name, value in {**bounds, **flags}.items()
                 if value})
    if fact.get('min') is None and bounds['min'] == -1:
        fact['min'] = -1
    return fact


def declared() -> list[dict]:
    return [described(str(group), opt)
            for group, members in opts.list_opts()
            for opt in members if str(group) not in OWN_GROUPS]


def by_name(options: list[dict]) -> list[dict]:
    return sorted(options, key=lambda opt: (opt['group'], opt['name']))


class FactsTestCase(base.BaseTestCase):

    maxDiff = None

    def test_same_options_as_the_reference(self):
        self.assertEqual(
            [(opt['group'], opt['name']) for opt in facts.load('options')],
            [(opt['group'], opt['name']) for opt in by_name(declared())])

    def test_same_types_defaults_and_bounds_as_the_reference(self):
        for fact, opt in zip(facts.load('options'), by_name(declared()),
                             strict=True):
            self.assertEqual(fact, opt)


class ListOptsTestCase(base.BaseTestCase):

    def test_every_group_is_listed_once(self):
        groups = [str(group) for group, _ in opts.list_opts()]
        self.assertEqual(len(set(groups)), len(groups))

    def test_every_option_is_explained(self):
        self.assertEqual([], [
            (str(group), opt.name) for group, members in opts.list_opts()
            for opt in members if not opt.help])

    def test_every_listed_option_is_registered(self):
        missing = []
        for group, members in opts.list_opts():
            if str(group) == 'keystone_auth':
                # The plug-in registers its own when it is loaded.
                continue
            for opt in members:
                where = (zun.conf.CONF if str(group) == 'DEFAULT'
                         else zun.conf.CONF[str(group)])
                if opt.dest not in where:
                    missing.append((str(group), opt.dest))
        self.assertEqual([], missing)

    def test_every_module_is_in_the_table(self):
        directory = pathlib.Path(zun.conf.__file__).parent
        names = {path.stem for path in directory.glob('*.py')
                 if not fnmatch.fnmatch(path.name, '__init__.py')}
        self.assertEqual(
            names - {'opts', 'peer'},
            {module.__name__.rpartition('.')[2]
             for module in zun.conf.MODULES})

    def test_a_sample_can_be_made(self):
        conf = cfg.ConfigOpts()
        generator.register_cli_opts(conf)
        conf(['--namespace', 'zun.conf', '--output-file',
              self.create_tempfiles([('zun.conf', '')])[0]])
        generator.generate(conf)
        sample = pathlib.Path(conf.output_file).read_text()
        self.assertIn('#api_paste_config = api-paste.ini', sample)


class ValuesTestCase(base.TestCase):

    def read(self, text: str) -> cfg.ConfigOpts:
        """Return the configuration as a file makes it."""
        path = self.create_tempfiles([('zun', text)], '.conf')[0]
        zun.conf.CONF.clear()
        zun.conf.CONF(['--config-file', path], project='zun')
        return zun.conf.CONF

    def test_a_file_of_an_older_release_is_accepted(self):
        conf = self.read('''
[DEFAULT]
container_driver = docker
capsule_driver = cri
transport_url = rabbit://
rootwrap_config = /etc/zun/rootwrap.conf
[etcd]
etcd_host = 10.0.0.1
[docker]
docker_remote_api_port = 2375
[network]
driver = kuryr
''')
        self.assertEqual('docker', conf.container_driver)

    def test_mysql_engine_where_it_is_documented(self):
        conf = self.read('[DEFAULT]\nmysql_engine = Aria\n')
        self.assertEqual('Aria', conf.database.mysql_engine)

    def test_mysql_engine_where_it_was_read(self):
        conf = self.read('[DEFAULT]\nmysql_engine = Aria\n'
                         '[database]\nmysql_engine = RocksDB\n')
        self.assertEqual('RocksDB', conf.database.mysql_engine)

    def test_quota_below_no_limit_is_refused(self):
        self.assertOptionRefused('containers', -2, 'quota')

    def test_unknown_scheduler_is_refused(self):
        self.assertOptionRefused('driver', 'dice', 'scheduler')

    def test_session_options_of_the_identity_service(self):
        self.config(group='keystone_auth', cafile='/ca.pem')
        self.assertEqual('/ca.pem', zun.conf.CONF.keystone_auth.cafile)
