# SPDX-License-Identifier: Apache-2.0
"""The DevStack plug-in, with stand-ins for DevStack's functions."""

import configparser
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import zun
from zun.conf import opts
from zun.tests import base

_ROOT = pathlib.Path(zun.__file__).parents[1]
_PLUGIN = _ROOT / 'devstack'
_FUNCTIONS = pathlib.Path(__file__).parent / 'functions.sh'
_ALL = ('zun-api,zun-compute,zun-compute-agent,zun-wsproxy,'
        'zun-cni-daemon,key,mysql')


class PluginTestCase(base.TestCase):

    def setUp(self):
        super().setUp()
        self.top = pathlib.Path(tempfile.mkdtemp(prefix='zun-devstack-'))
        self.addCleanup(shutil.rmtree, self.top)
        self.stubs = self.top / 'stubs'
        (self.stubs / 'bin').mkdir(parents=True)
        for name in ('kubectl', 'zun-db-manage'):
            program = self.stubs / 'bin' / name
            program.write_text('#!/bin/sh\necho %s "$@" >> "$STUBS/calls"\n'
                               % name)
            program.chmod(0o755)
        self.kubeconfig = self.top / 'kubeconfig'
        self.kubeconfig.touch()

    def run_plugin(self, *phase, services=_ALL, **more):
        """Run a phase; the process."""
        environment = {
            'PATH': '%s:%s' % (self.stubs / 'bin', os.environ['PATH']),
            'STUBS': self.stubs, 'ENABLED_SERVICES': services,
            'DEST': self.top, 'DATA_DIR': self.top / 'data',
            'ZUN_DIR': _ROOT, 'ZUN_CONF_DIR': self.top / 'etc',
            'ZUN_CNI_BIN': self.top / 'cni', 'SERVICE_HOST': '192.0.2.1',
            'SERVICE_PROTOCOL': 'http', 'SERVICE_LISTEN_ADDRESS': '[::]',
            'SERVICE_TIMEOUT': '60', 'STACK_USER': 'root',
            'ENABLE_DEBUG_LOG_LEVEL': 'True', 'REGION_NAME': 'RegionOne',
            'SERVICE_PROJECT_NAME': 'service',
            'SERVICE_DOMAIN_NAME': 'Default', 'DATABASE_BACKENDS': 'mysql',
            'ZUN_KUBECONFIG': self.kubeconfig, 'ZUN_HOST': 'node-1', **more}
        return subprocess.run(
            ['bash', _FUNCTIONS, _PLUGIN, *phase], text=True,
            env={name: str(value) for name, value in environment.items()},
            stdin=subprocess.DEVNULL, capture_output=True)

    def phase(self, *words, **options):
        """Run a phase that succeeds; what it asked for."""
        calls = self.stubs / 'calls'
        calls.unlink(missing_ok=True)
        done = self.run_plugin(*words, **options)
        self.assertEqual(0, done.returncode, done.stderr)
        return [line for line in calls.read_text().splitlines()
                if not line.startswith(('define_plugin', 'enable_service'))]

    def config(self):
        parser = configparser.RawConfigParser(strict=False)
        parser.read(self.top / 'etc' / 'zun.conf')
        return parser

    def test_install_brings_the_code_and_the_cni_plugin(self):
        self.assertEqual(['setup_develop %s' % _ROOT],
                         self.phase('stack', 'install'))
        self.assertTrue(os.access(self.top / 'cni' / 'zun-cni', os.X_OK))

    def test_a_node_without_network_gets_no_cni_plugin(self):
        self.phase('stack', 'install', services='zun-api')
        self.assertFalse((self.top / 'cni').exists())

    def test_nothing_is_done_without_the_service(self):
        self.assertEqual([], self.phase('stack', 'install', services='key'))

    def test_the_cluster_has_to_be_there(self):
        done = self.run_plugin('stack', 'post-config',
                               ZUN_KUBECONFIG=self.top / 'none')
        self.assertEqual(1, done.returncode)
        self.assertIn('none cannot be read', done.stderr)

    def test_every_option_is_known(self):
        self.phase('stack', 'post-config')
        known = {(str(group or 'DEFAULT'), option.dest)
                 for group, options in opts.list_opts()
                 for option in options}
        known.update(('oslo_middleware', name) for name in (
            'enable_proxy_headers_parsing',))
        config = self.config()
        written = {('DEFAULT', name) for name in config.defaults()}
        written.update(
            (section, name) for section in config.sections()
            for name in config._sections[section]
            if not section.startswith('keystone_auth'))
        written -= {('DEFAULT', 'debug'), ('database', 'connection'),
                    ('os_vif_ovs', 'ovsdb_connection')}
        self.assertEqual(set(), written - known)

    def test_the_configuration_names_peers_and_cluster(self):
        self.phase('stack', 'post-config')
        config = self.config()
        self.assertEqual('node-1', config['DEFAULT']['host'])
        self.assertEqual(str(self.kubeconfig),
                         config['kubernetes']['kubeconfig'])
        self.assertEqual('mysql+pymysql://db/zun',
                         config['database']['connection'])
        self.assertEqual('::', config['api']['host_ip'])
        self.assertEqual('True', config['keystone_authtoken'][
            'service_token_roles_required'])
        self.assertEqual({'zun'}, {
            config[group]['username'] for group in (
                'keystone_auth', 'keystone_authtoken')})

    def test_only_its_owner_reads_the_configuration(self):
        self.phase('stack', 'post-config')
        mode = (self.top / 'etc' / 'zun.conf').stat().st_mode
        self.assertEqual(0o600, mode & 0o777)

    def test_the_key_outlives_a_second_run(self):
        keys = []
        for __ in range(2):
            self.phase('stack', 'post-config')
            keys.append(self.config()['DEFAULT']['auth_encryption_key'])
        self.assertTrue(re.fullmatch('[0-9a-f]{32}', keys[0]))
        self.assertEqual(keys[0], keys[1])

    def test_the_service_is_registered(self):
        url = 'http://192.0.2.1:9517/v1'
        calls = self.phase('stack', 'post-config')
        self.assertIn('create_service_user zun admin', calls)
        self.assertIn('get_or_add_user_project_role service zun service '
                      'Default Default', calls)
        self.assertIn('get_or_create_service zun container Containers',
                      calls)
        self.assertIn('get_or_create_endpoint container RegionOne %s %s %s'
                      % (url, url, url), calls)

    def test_the_database_is_made_before_its_tables(self):
        calls = self.phase('stack', 'post-config')
        made = calls.index('recreate_database zun')
        self.assertRegex(calls[made + 1], 'zun-db-manage .* upgrade$')

    def test_a_further_node_leaves_the_database_alone(self):
        calls = self.phase('stack', 'post-config',
                           services='zun-compute-agent')
        self.assertFalse([one for one in calls if 'database' in one or
                          'zun-db-manage' in one])

    def test_the_rights_are_put_into_the_cluster(self):
        self.assertIn(
            'kubectl apply -f %s' % (_ROOT / 'etc/zun/kubernetes/rbac.yaml'),
            self.phase('stack', 'post-config'))

    def test_start_runs_each_program(self):
        started = [line.split()[1] for line in self.phase('stack', 'extra')
                   if line.startswith('run_process')]
        self.assertEqual(['zun-cni-daemon', 'zun-api', 'zun-compute',
                          'zun-compute-agent', 'zun-wsproxy'], started)

    def test_what_reaches_into_the_node_runs_as_root(self):
        roots = [line.split()[1] for line in self.phase('stack', 'extra')
                 if line.endswith(' root')]
        self.assertEqual(['zun-cni-daemon', 'zun-compute-agent'], roots)

    def test_start_waits_for_the_api(self):
        self.assertEqual('wait_for_service 60 http://192.0.2.1:9517/',
                         self.phase('stack', 'extra')[-1])

    def test_unstack_stops_in_the_opposite_order(self):
        self.assertEqual(
            ['stop_process ' + name for name in (
                'zun-wsproxy', 'zun-compute-agent', 'zun-compute',
                'zun-api', 'zun-cni-daemon')], self.phase('unstack'))

    def test_clean_removes_all_that_was_made(self):
        self.phase('stack', 'install')
        self.phase('stack', 'post-config')
        calls = self.phase('clean')
        for path in ('etc', 'data/zun', 'cni/zun-cni'):
            self.assertFalse((self.top / path).exists(), path)
        self.assertTrue([one for one in calls if one.startswith(
            'kubectl delete --ignore-not-found')])

    def test_the_scripts_are_clean(self):
        program = shutil.which('shellcheck', path=os.pathsep.join((
            str(pathlib.Path(sys.executable).parent), os.environ['PATH'])))
        if not program:
            self.skipTest('there is no shellcheck here')
        done = subprocess.run(
            [program, '-x', '-s', 'bash', 'devstack/plugin.sh',
             'devstack/lib/zun', 'devstack/settings', _FUNCTIONS],
            cwd=_ROOT, capture_output=True, text=True)
        self.assertEqual('', done.stdout)
