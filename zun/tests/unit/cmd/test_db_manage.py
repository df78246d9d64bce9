# SPDX-License-Identifier: Apache-2.0

import io
from unittest import mock

import fixtures
from oslo_db import exception as db_exc
import sqlalchemy as sa

from zun.cmd import db_manage
from zun.db import migration
from zun.db.sqlalchemy import transaction
from zun.tests import base


class DbManageTestCase(base.TestCase):

    def setUp(self):
        super().setUp()
        self.url = 'sqlite:///' + self.path('zun.sqlite')
        with open(self.path('zun.conf'), 'w') as file:
            file.write('[database]\nconnection = %s\n' % self.url)
        self.addCleanup(base.CONF.unregister_opt, db_manage.command_opt)
        self.addCleanup(base.CONF.clear)
        self.addCleanup(transaction.configure)
        self.useFixture(fixtures.MockPatch(
            'oslo_reports.guru_meditation_report.TextGuruMeditation.'
            'setup_autorun'))
        self.useFixture(fixtures.MockPatch('oslo_log.log.setup'))

    def run_command(self, *words, file='zun.conf'):
        """Run the command and return what it prints and how it ends."""
        base.CONF.reset()
        base.CONF.clear()
        transaction.configure()
        argv = ['zun-db-manage', '--config-file', self.path(file), *words]
        out, err, status = io.StringIO(), io.StringIO(), None
        with mock.patch('sys.argv', argv), \
                mock.patch('sys.stdout', out), mock.patch('sys.stderr', err):
            try:
                db_manage.main()
            except SystemExit as e:
                status = e.code
        return out.getvalue(), err.getvalue(), status

    def tables(self):
        engine = sa.create_engine(self.url)
        self.addCleanup(engine.dispose)
        return sa.inspect(engine).get_table_names()

    def test_version_of_an_empty_database(self):
        self.assertEqual('Current DB revision is None\n',
                         self.run_command('version')[0])

    def test_upgrade(self):
        self.assertEqual(('', '', None), self.run_command('upgrade'))
        self.assertIn('container', self.tables())
        self.assertIn('task', self.tables())

    def test_upgrade_to_a_revision(self):
        self.run_command('upgrade', '3f2b36231bee')
        self.assertNotIn('task', self.tables())
        self.assertEqual('Current DB revision is 3f2b36231bee\n',
                         self.run_command('version')[0])

    def test_stamp(self):
        self.run_command('stamp', '3f2b36231bee')
        self.assertEqual(['alembic_version'], self.tables())

    def test_revision(self):
        with mock.patch.object(migration, 'revision',
                               autospec=True) as revision:
            self.run_command('revision', '-m', 'Add x', '--autogenerate')
        revision.assert_called_once_with(message='Add x', autogenerate=True)

    def test_unknown_revision_is_one_line(self):
        _out, err, status = self.run_command('upgrade', 'nosuch')
        self.assertEqual(
            "zun-db-manage: Can't locate revision identified by 'nosuch'",
            status)
        self.assertNotIn('Traceback', err)

    def test_no_database_is_one_line(self):
        with open(self.path('bad.conf'), 'w') as file:
            file.write('[database]\nconnection = sqlite:////no/such/x.db\n'
                       'max_retries = 0\n')
        status = self.run_command('version', file='bad.conf')[2]
        self.assertEqual('zun-db-manage: unable to open database file',
                         status)

    def test_bad_url_is_one_line(self):
        with open(self.path('bad.conf'), 'w') as file:
            file.write('[database]\nconnection = nonsense\n')
        status = self.run_command('version', file='bad.conf')[2]
        self.assertIn('Could not parse SQLAlchemy URL', status)

    def test_verb_is_required(self):
        _out, err, status = self.run_command()
        self.assertEqual(2, status)
        self.assertIn('{version,upgrade,stamp,revision}', err)


class FirstLineTestCase(base.BaseTestCase):

    def test_cause_without_the_statement(self):
        error = db_exc.DBError(sa.exc.OperationalError(
            'SELECT 1', None, Exception(2003, "Can't connect\nto it")))
        self.assertEqual("Can't connect to it",
                         db_manage._first_line(error))

    def test_exception_without_text(self):
        self.assertEqual('ValueError', db_manage._first_line(ValueError()))
