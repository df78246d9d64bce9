# SPDX-License-Identifier: Apache-2.0
"""Clients tried for real, and the table of what came of it.

The table is doc/source/contributor/clients-table.inc, or the file named.
"""

import json
import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import sys
import time
import venv as virtual

import zun
from zun.tests.lab_network import deployment
from zun.tests.lab_openstack import client_cases
from zun.tests import processes

_PACKAGES = ('python-zunclient', 'python-openstackclient', 'openstacksdk')
_HERE = pathlib.Path(__file__).parent
_TABLE = (pathlib.Path(zun.__file__).parents[1] / 'doc' / 'source' /
          'contributor' / 'clients-table.inc')
_COMPLAINT = re.compile(r'ERROR|Traceback|HTTP [45]\d\d|^Unable|failed for')
_SDK = '''
import json, sys, openstack
zun = openstack.connect().session
from keystoneauth1 import adapter
client = adapter.Adapter(zun, service_type='container', interface='public',
                         default_microversion='1.40')
print(client.get_endpoint_data().url)
made = client.post('/containers?run=true', json=json.loads(sys.argv[1]))
uuid = made.json()['uuid']
print(client.get('/containers').json()['containers'][0]['uuid'])
print(client.delete('/containers/%s?stop=true' % uuid).status_code)
'''


def install(options) -> None:
    """The clients, in an environment of their own."""
    place = _venv(options)
    if not (place / 'bin' / 'zun').exists():
        virtual.create(place, with_pip=True)
        subprocess.run([place / 'bin' / 'pip', 'install', '-q', *_PACKAGES],
                       check=True)
    program = options.work / 'gophercloud'
    if shutil.which('go') and not program.exists():
        subprocess.run(['go', 'build', '-o', program, '.'], check=True,
                       cwd=_HERE / 'gophercloud')


def main(options) -> int:
    """Try all clients and write the table; 1 if anything failed."""
    only = options.arguments
    trial = Trial(options)
    rows = []
    table = _TABLE if not only else options.work / 'clients-table.inc'
    for client, run in (
            ('zun', trial.run_zun), ('openstack', trial.run_openstack),
            ('openstacksdk', trial.run_sdk),
            ('gophercloud', trial.run_gophercloud)):
        if not only or client in only:
            trial.prepare(client)
            rows += run()
            table.write_text(render(rows))
    print('%d commands, %d of them failed; %s' % (
        len(rows), sum(bool(row[2]) for row in rows), table))
    return int(any(row[2] for row in rows))


def render(rows) -> str:
    """An RST table of client, command and error."""
    lines = ['.. list-table::', '   :header-rows: 1', '   :widths: 15 60 25',
             '', '   * - Client', '     - Command', '     - Result']
    for client, command, error, *remark in rows:
        result = 'failed: ``%s``' % error.replace('`', "'") if error \
            else ''.join(remark) or 'works'
        lines += ['   * - %s' % client, '     - ``%s``' % command,
                  '     - %s' % result]
    return '\n'.join(lines) + '\n'


def _venv(options):
    return options.work / 'venv-clients'


class Trial:
    """The commands of each client, run by an administrator in project demo.

    :param options: ``work``.
    """

    def __init__(self, options):
        self._options = options
        self._bin = _venv(options) / 'bin'
        self._folder = options.work / 'clients'
        shutil.rmtree(self._folder, ignore_errors=True)
        (self._folder / 'taken').mkdir(parents=True)
        self._neutron = deployment.Peer(deployment.NEUTRON, 'demo', 'demo')
        self._zun = deployment.Peer(
            'http://127.0.0.1:%d/v1' % deployment.API_PORT, 'demo', 'demo')
        self.environment = {
            'PATH': '%s:/usr/sbin:/usr/bin:/sbin:/bin' % self._bin,
            'HOME': str(self._folder), 'OS_AUTH_URL': deployment.IDENTITY,
            'OS_USERNAME': 'admin', 'OS_PASSWORD': deployment.PASSWORD,
            'OS_PROJECT_NAME': 'demo', 'OS_USER_DOMAIN_ID': 'default',
            'OS_USER_DOMAIN_NAME': 'Default',
            'OS_PROJECT_DOMAIN_NAME': 'Default',
            'OS_PROJECT_DOMAIN_ID': 'default', 'OS_DOMAIN_ID': 'default',
            'OS_REGION_NAME': 'RegionOne', 'OS_IDENTITY_API_VERSION': '3',
            'OS_INTERFACE': 'public', 'COLUMNS': '250', 'TERM': 'xterm'}

    def prepare(self, client: str) -> None:
        """The names that commands use, and what they need."""
        prefix = deployment.unique(client) + '-'
        name = prefix + 'file'
        (self._folder / name).write_text('from outside\n')
        networks = self._neutron.ask('GET', '/networks')
        ids = {one['name']: one['id'] for one in networks}
        floating = self._neutron.ask('POST', '/floatingips', json={
            'floatingip': {'floating_network_id': ids['public']}})
        self.names = {
            'p': prefix, 'host': self._host(), 'net': ids['private'],
            'other_net': ids['shared'], 'project': self._zun.project,
            'group': 'lab-sg', 'file': str(self._folder / name),
            'name': name, 'folder': str(self._folder / 'taken'),
            'floating': floating['floating_ip_address'],
            'capsule': str(self._capsule(prefix)), 'learnt': ''}

    def _host(self):
        admin = deployment.Peer(self._zun.url, 'admin', 'admin')
        return admin.ask('GET', '/hosts')[0]['hostname']

    def _capsule(self, prefix):
        path = self._folder / (prefix + 'capsule.json')
        path.write_text(json.dumps({
            'capsuleVersion': 'beta', 'kind': 'capsule',
            'metadata': {'name': prefix + 'capsule'},
            'spec': {'containers': [{
                'image': 'busybox', 'command': ['sleep'],
                'args': ['3600'],
                'resources': {'requests': {'cpu': 0.1, 'memory': 64}}}]}}))
        return path

    def run_zun(self):
        """Rows of python-zunclient's own command."""
        return [self._try('zun', ['zun'], case)
                for case in client_cases.ZUN]

    def run_openstack(self):
        """Rows of the plugin of the openstack command."""
        rows = []
        for case in client_cases.OPENSTACK:
            words = ['openstack']
            if case.words.startswith('^'):
                case = case._replace(words=case.words[1:])
            else:
                words.append('appcontainer')
            rows.append(self._try('openstack', words, case))
        return rows

    def run_sdk(self):
        """Rows of openstacksdk's adapter."""
        body = {'image': 'busybox', 'command': ['sleep', '3600'],
                'cpu': 0.1, 'memory': '64', 'disk': 1,
                'nets': [{'network': self.names['net']}]}
        done = subprocess.run(
            [self._bin / 'python', '-c', _SDK, json.dumps(body)],
            env=self.environment, capture_output=True, text=True,
            stdin=subprocess.DEVNULL, timeout=300)
        error = '' if done.returncode == 0 else _short(done.stderr)
        return [('openstacksdk', 'create, list, delete through the adapter',
                 error)]

    def run_gophercloud(self):
        """Rows of gophercloud's container package."""
        program = self._options.work / 'gophercloud'
        if not program.exists():
            return [('gophercloud', 'all', 'there is no Go here')]
        done = subprocess.run(
            [program, self.names['capsule']], env=self.environment,
            capture_output=True, text=True, stdin=subprocess.DEVNULL,
            timeout=300)
        return [('gophercloud', *line.split('\t', 1))
                for line in done.stdout.splitlines()]

    def _try(self, client, prefix, case):
        command = case.words.format(**self.names)
        shown = ' '.join([*prefix[1:], re.sub(
            r'\{(\w+)\}', lambda found: found[1].upper()
            if found[1] != 'p' else '', case.words)])
        words = [*prefix, *command.split()]
        if case.typed:
            status, output = self._type(words, case.typed)
        else:
            done = subprocess.run(
                words, env=self.environment, capture_output=True, text=True,
                stdin=subprocess.DEVNULL, timeout=300)
            status, output = done.returncode, done.stdout + done.stderr
        error = self._judge(case, status, output)
        remark = case.hopeless if error else ''
        print('%-10s %-60s %s' % (client, shown[:60], error or 'works'),
              flush=True)
        return client, shown, '' if remark else error, remark

    def _judge(self, case, status, output):
        """What is wrong, or nothing."""
        expected = case.expected.format(**self.names)
        found = re.search(expected, output, re.IGNORECASE)
        refused = 'not found' in expected
        if not refused and (status or _COMPLAINT.search(output)):
            return _short(output) or 'status %d' % status
        if not found:
            return 'no %s in: %s' % (expected, _short(output))
        if case.learn:
            learnt = re.search(case.learn.format(), output)
            self.names['learnt'] = next(filter(None, learnt.groups())) \
                if learnt else ''
        if case.status:
            return self._await(case.status)
        return ''

    def _await(self, wanted):
        """Wait for the container's status."""
        seen = {}

        def reached():
            answer = self._zun.send('GET', '/containers/%sc'
                                    % self.names['p'])
            seen.update(answer.json() if answer.ok else
                        {'status': 'gone', 'task_state': None})
            return seen['status'] in (wanted, 'Error') and \
                not seen['task_state']
        try:
            processes.wait_for(wanted, reached)
        except AssertionError:
            return 'the container is %s' % seen['status']
        if seen['status'] != wanted:
            return 'the container is %s: %s' % (
                seen['status'], seen['status_reason'])
        return ''

    def _type(self, words, typed):
        """Run a command in a terminal and type a line."""
        ours, theirs = pty.openpty()
        with subprocess.Popen(
                words, env=self.environment, stdin=theirs, stdout=theirs,
                stderr=theirs, start_new_session=True) as process:
            os.close(theirs)
            output = b''
            deadline = time.monotonic() + 90
            # Typed again until it is heard: what is typed while the client
            # changes the terminal's mode is lost.
            while time.monotonic() < deadline and b'marker42' not in output:
                if select.select([ours], [], [], 3)[0]:
                    try:
                        output += os.read(ours, 65536)
                    except OSError:
                        # The program has ended.
                        break
                elif output:
                    os.write(ours, typed.encode() + b'\r')
            if process.poll() is None:
                os.write(ours, b'exit\r')
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
        os.close(ours)
        return 0, output.decode(errors='replace')


def _short(text):
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].strip()[:160] if lines else ''


if __name__ == '__main__':
    sys.exit('Run "python -m zun.tests.lab_openstack clients"')
