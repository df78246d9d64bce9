# SPDX-License-Identifier: Apache-2.0

import argparse
import contextlib
import io
import json
from unittest import mock

import ddt

from zun.cmd import preflight
from zun.cmd import status
from zun.cmd import upgrade_checks
from zun.common import exception
from zun.common.k8s import errors as k8s_errors
from zun.common import process
from zun.compute.tasks import errors
import zun.conf
from zun.tests.unit.compute.tasks import base

CONF = zun.conf.CONF


class TaskCommandTestCase(base.TaskTestCase):

    def run_command(self, *argv):
        parser = argparse.ArgumentParser()
        status.add_command_parsers(parser.add_subparsers())
        arguments = parser.parse_args(argv)
        output = io.StringIO()
        with mock.patch.object(status, 'CONF', spec=['command']) as conf, \
                contextlib.redirect_stdout(output):
            conf.command = arguments
            self.assertEqual(0, arguments.func())
        return output.getvalue()

    def listed(self, *argv):
        text = self.run_command('task', 'list', '--json', *argv)
        return [row['uuid'] for row in json.loads(text)]

    def test_list_shows_what_waits_or_runs(self):
        ready, running = self.enqueue(), self.enqueue()
        failed, done = self.enqueue(), self.enqueue(_lane='lane-1')
        self.change(running, state='running')
        self.change(failed, state='failed')
        self.change(done, state='done')
        self.assertEqual({ready, running}, set(self.listed()))
        self.assertEqual([failed], self.listed('--failed'))
        self.assertEqual([done], self.listed('--lane', 'lane-1'))
        self.assertEqual(1, len(self.listed('--limit', '1')))

    def test_table_has_words_of_the_error(self):
        uuid = self.enqueue('container_start', secret='hidden')
        self.change(uuid, state='failed',
                    error=errors.dump(exception.Conflict('port in use')))
        text = self.run_command('task', 'list', '--failed')
        self.assertIn('Conflict: port in use', text)
        self.assertIn('container_start', text)
        self.assertIn('0/8', text)
        self.assertNotIn('hidden', text)

    def test_requeue_gives_all_attempts_again(self):
        uuid = self.enqueue()
        self.change(uuid, state='failed', attempt=8, max_attempts=3,
                    finished_at=1, error='{}')
        self.run_command('task', 'requeue', uuid)
        row = self.row(uuid)
        self.assertEqual(('ready', 0, 8, None, None),
                         (row.state, row.attempt, row.max_attempts,
                          row.finished_at, row.error))

    def test_requeue_of_a_running_one_wants_force(self):
        uuid = self.enqueue()
        self.change(uuid, state='running', epoch=3, owner='w')
        error = self.assertRaises(errors.TaskConflict, self.run_command,
                                  'task', 'requeue', uuid)
        self.assertIn('--force', str(error))
        self.run_command('task', 'requeue', uuid, '--force')
        self.assertEqual(('ready', 4), (self.row(uuid).state,
                                        self.row(uuid).epoch))

    def test_requeue_of_a_finished_one(self):
        uuid = self.enqueue()
        self.change(uuid, state='done')
        self.assertRaises(errors.TaskConflict, self.run_command,
                          'task', 'requeue', uuid)

    def test_cancel(self):
        uuid = self.enqueue()
        self.run_command('task', 'cancel', uuid)
        self.assertEqual('cancelled', self.row(uuid).state)

    def test_cancel_of_a_running_one_wants_force(self):
        uuid = self.enqueue(_lane='lane-1')
        self.change(uuid, state='running', lane_running='lane-1', owner='w')
        self.assertRaises(errors.TaskConflict, self.run_command,
                          'task', 'cancel', uuid)
        self.run_command('task', 'cancel', uuid, '--force')
        row = self.row(uuid)
        self.assertEqual(('cancelled', None), (row.state, row.lane_running))

    def test_unknown_task(self):
        for verb in ('requeue', 'cancel'):
            self.assertRaises(errors.TaskNotFound, self.run_command,
                              'task', verb, self.new_uuid())


@ddt.ddt
class UpgradeCheckTestCase(base.TaskTestCase):

    def setUp(self):
        super().setUp()
        self.checks = upgrade_checks.Checks()

    def configure(self, text):
        path = self.path('zun.conf')
        with open(path, 'w') as file:
            file.write(text)
        CONF(['--config-file', path], project='zun',
             default_config_files=[])

    def test_published_key_is_a_failure(self):
        self.assertEqual(upgrade_checks.FAILURE,
                         self.checks._check_key().code)

    def test_own_key_is_well(self):
        self.config(auth_encryption_key='k' * 32)
        self.assertEqual(upgrade_checks.SUCCESS,
                         self.checks._check_key().code)

    def test_options_without_effect_are_named(self):
        self.configure('[DEFAULT]\ntransport_url = rabbit://\n'
                       'sandbox_image = pause\n[etcd]\netcd_host = e\n'
                       '[docker]\napi_url = unix:///d\n'
                       'default_registry = quay.io\n'
                       '[oslo_messaging_rabbit]\nssl = true\n')
        result = self.checks._check_options()
        self.assertEqual(upgrade_checks.WARNING, result.code)
        for name in ('DEFAULT.transport_url', 'DEFAULT.sandbox_image',
                     'etcd.etcd_host', 'docker.api_url',
                     'oslo_messaging_rabbit.ssl'):
            self.assertIn(name, result.details)
        self.assertNotIn('default_registry', result.details)

    def test_defaults_are_not_warned_about(self):
        self.configure('')
        for check in (self.checks._check_options,
                      self.checks._check_engines):
            self.assertEqual(upgrade_checks.SUCCESS, check().code)

    def test_old_engines_are_named(self):
        self.configure('[DEFAULT]\ncontainer_driver = docker\n'
                       '[network]\ndriver = kuryr\n')
        result = self.checks._check_engines()
        self.assertEqual(upgrade_checks.WARNING, result.code)
        self.assertIn('DEFAULT.container_driver = docker', result.details)
        self.assertIn('network.driver = kuryr', result.details)

    @ddt.data((None, 'SUCCESS', 'zun-db-manage'),
              ('3f2b36231bee', 'SUCCESS', 'zun-db-manage'),
              ('f979327df44b', 'FAILURE', '18.0.0'))
    @ddt.unpack
    def test_database_by_revision(self, revision, code, words):
        with mock.patch.object(preflight, 'database_revision',
                               autospec=True, return_value=revision):
            result = self.checks._check_database()
        self.assertEqual(getattr(upgrade_checks, code), result.code)
        self.assertIn(words, result.details)

    def test_database_that_is_away(self):
        self.config(group='database', connection='mysql+pymysql://u:secret@'
                    '127.0.0.1:1/zun')
        result = self.checks._check_database()
        self.assertEqual(upgrade_checks.FAILURE, result.code)
        self.assertIn('does not answer', result.details)
        self.assertNotIn('secret', result.details)

    def test_cluster_without_the_runtime_class(self):
        cluster = mock.Mock()
        cluster.get.side_effect = k8s_errors.NotFound('no', status=404)
        with mock.patch('zun.common.k8s.client.get_cluster', autospec=True,
                        return_value=cluster):
            result = self.checks._check_cluster()
        self.assertEqual(upgrade_checks.FAILURE, result.code)
        self.assertIn('RuntimeClass kata', result.details)

    def test_cluster_that_is_away(self):
        self.config(group='kubernetes', api_server='http://127.0.0.1:1')
        self.assertEqual(upgrade_checks.FAILURE,
                         self.checks._check_cluster().code)


class PreflightTestCase(base.TaskTestCase):

    def assertRefuses(self, check, words):
        error = self.assertRaises(process.StartError, check)
        self.assertIn(words, str(error))
        self.assertNotIn('\n', str(error))

    def test_database_without_its_tables(self):
        self.config(group='database',
                    connection='sqlite:///' + self.path('empty.sqlite'))
        self.assertRefuses(preflight.database, 'zun-db-manage upgrade')

    def test_database_that_is_away(self):
        self.config(group='database', connection='mysql+pymysql://u:p@'
                    '127.0.0.1:1/zun')
        self.assertRefuses(preflight.database, 'does not answer')

    def test_no_database(self):
        self.config(group='database', connection=None)
        self.assertRefuses(preflight.database, '[database] connection')

    def test_unknown_driver(self):
        self.config(group='database', connection='nosuch://x')
        self.assertRefuses(preflight.database, 'nosuch')

    def test_cluster_that_is_away(self):
        self.config(group='kubernetes', api_server='http://127.0.0.1:1')
        self.assertRefuses(preflight.cluster, 'does not answer')

    def test_newer_database_is_let_through(self):
        with mock.patch.object(preflight, 'database_revision',
                               autospec=True, return_value='ffffffffffff'):
            preflight.database()
