# SPDX-License-Identifier: Apache-2.0

import contextlib
import os
import signal
import subprocess
import sys

from zun.common import process
import zun.conf
from zun.tests import base
from zun.tests.unit.compute.tasks import base as task_base

CONF = zun.conf.CONF

PROGRAM = '''
import sys
from zun.common import process
from zun.common import service


class Part:
    def __init__(self, name):
        self.name = name

    def start(self):
        if self.name in sys.argv[1:]:
            raise process.StartError(self.name + ' is broken')
        print('start', self.name, flush=True)

    def stop(self):
        print('stop', self.name, flush=True)


def check():
    if 'check' in sys.argv[1:]:
        raise process.StartError('no database')


service.prepare_service(['zun-test'], [])
process.run('zun-test', lambda number: [Part('a'), Part('b')], [check])
'''


class ProcessTestCase(base.BaseTestCase):
    """Real processes: signals and exit statuses are what it is about."""

    def start(self, *broken):
        # In a group of its own, as the parent process signals its group.
        started = subprocess.Popen(
            [sys.executable, '-W', 'ignore', '-c', PROGRAM, *broken],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            start_new_session=True)
        self.addCleanup(self.end, started)
        return started

    @staticmethod
    def end(started):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(started.pid, signal.SIGKILL)
        started.communicate()

    def read_until(self, started, wanted):
        for line in started.stdout:
            if line.strip() == wanted:
                return
        self.fail('The process has ended without saying ' + wanted)

    def test_sigterm_ends_the_parts_in_their_reverse_order(self):
        started = self.start()
        self.read_until(started, 'start b')
        os.kill(started.pid, signal.SIGTERM)
        said = [line.strip() for line in started.stdout]
        self.assertEqual(['stop b', 'stop a'],
                         [line for line in said if line.startswith('stop')])
        self.assertEqual(0, started.wait(task_base.LIMIT))

    def assertCannotStart(self, started, words):
        output, errors = started.communicate(timeout=task_base.LIMIT)
        self.assertEqual(1, started.returncode)
        told = [line for line in errors.splitlines()
                if 'cannot start' in line and line.startswith('zun-test:')]
        self.assertEqual(['zun-test: cannot start: ' + words], told)
        self.assertNotIn('Traceback', errors)

    def test_failed_check_is_told_in_one_line(self):
        self.assertCannotStart(self.start('check'), 'no database')

    def test_part_that_cannot_start_ends_the_process(self):
        self.assertCannotStart(self.start('b'), 'b is broken')

    def test_child_that_dies_is_replaced(self):
        started = self.start()
        self.read_until(started, 'start b')
        child, = task_base.wait_for(
            lambda: subprocess.run(
                ['pgrep', '-P', str(started.pid)], text=True,
                capture_output=True).stdout.split(), 'the child')
        os.kill(int(child), signal.SIGKILL)
        self.read_until(started, 'start b')


class ShutdownTimeTestCase(base.TestCase):

    def test_something_is_kept_for_what_follows(self):
        process.oslo_config_glue.register_opts(CONF)
        for total, expected in ((60, 50), (12, 6), (0, None)):
            self.config(graceful_shutdown_timeout=total)
            self.assertEqual(expected, process.shutdown_time())
