# SPDX-License-Identifier: Apache-2.0
"""How the executables begin and end."""

import configparser
import pathlib
import subprocess
import sys

from zun.standalone.cluster import cluster as clusters
from zun.standalone.cluster import kubelet
from zun.standalone import settings
from zun.tests import base
from zun.tests import processes

ALL = ('zun-api', 'zun-compute', 'zun-compute-agent', 'zun-wsproxy')
NODE = 'node-1'


class TestExecutables(base.TestCase):

    def setUp(self):
        super().setUp()
        self.simulated = clusters.Cluster(
            self.path('cluster'), (kubelet.NodeSpec(NODE),)).start()
        self.addCleanup(self.simulated.stop)
        self.folder = settings.Folder(self.path('state'))
        self.api, self.proxy, self.admin = processes.free_ports(3)
        self.folder.configure(
            ports=settings.Ports(api=self.api, proxy=self.proxy),
            identity_url='http://127.0.0.1:1/v3',
            kubeconfig=self.simulated.kubeconfig(), runtime_class='kata')
        self.change(DEFAULT={'log_file': ''}, api={'workers': '2'},
                    task={'admin_port': str(self.admin)})

    def change(self, **sections):
        parser = configparser.RawConfigParser()
        parser.read(self.folder.config_file)
        for section, values in sections.items():
            if section != 'DEFAULT' and not parser.has_section(section):
                parser.add_section(section)
            for name, value in values.items():
                parser.set(section, name, value)
        with open(self.folder.config_file, 'w') as file:
            parser.write(file)

    def command(self, name, *arguments):
        return [str(pathlib.Path(sys.executable).parent / name),
                '--config-file', str(self.folder.config_file), *arguments]

    def migrate(self):
        subprocess.run(self.command('zun-db-manage', 'upgrade'), check=True,
                       timeout=processes.LIMIT, capture_output=True)

    def assertFails(self, name, *words):
        """It ends with 1 and one line of its own that has the words."""
        done = subprocess.run(
            self.command(name), capture_output=True, text=True,
            timeout=processes.LIMIT, stdin=subprocess.DEVNULL)
        lines = [line for line in done.stderr.splitlines()
                 if line.startswith(name + ':')]
        self.assertEqual((1, 1), (done.returncode, len(lines)), done.stderr)
        self.assertNotIn('Traceback', done.stderr)
        for word in words:
            self.assertIn(word, lines[0])

    def test_no_database(self):
        self.change(database={'connection':
                              'mysql+pymysql://x:secret@127.0.0.1:1/zun'})
        for name in ALL:
            self.assertFails(name, '[database] connection')

    def test_database_without_its_schema(self):
        for name in ALL:
            self.assertFails(name, 'zun-db-manage upgrade')

    def test_no_cluster(self):
        self.migrate()
        self.simulated.stop()
        for name in ALL[1:]:
            self.assertFails(name, 'Kubernetes')

    def test_bad_option(self):
        self.change(task={'concurrency': 'many'})
        for name in ALL:
            self.assertFails(name, 'many')

    def test_published_key(self):
        self.change(DEFAULT={'auth_encryption_key':
                             'notgood but just long enough i t'})
        for name in ALL:
            self.assertFails(name, 'auth_encryption_key')

    def test_no_runtime_on_the_node(self):
        self.migrate()
        self.change(agent={'runtime_endpoint': 'unix:///no/such.sock'})
        self.assertFails('zun-compute-agent', 'runtime_endpoint',
                         '/no/such.sock')

    def test_pipeline_that_is_not_there(self):
        self.migrate()
        self.change(api={'api_paste_config': '/no/such.ini'})
        self.assertFails('zun-api', '/no/such.ini')

    def test_certificate_that_is_not_there(self):
        self.migrate()
        self.change(websocket_proxy={'cert': '/no/such.pem'})
        self.assertFails('zun-wsproxy', '/no/such.pem')

    def test_sigterm_ends_each_cleanly(self):
        self.migrate()
        for name in ('zun-api', 'zun-compute', 'zun-wsproxy'):
            log = pathlib.Path(self.path(name + '.log'))
            process = processes.Process(self.command(name), log)
            with process:
                processes.wait_for(
                    '%s is at work' % name,
                    lambda: 'is at work' in log.read_text())
                self.assertEqual(0, process.end(), log.read_text())
            text = log.read_text()
            self.assertNotIn('Traceback', text)
            self.assertIn('has ended', text)
