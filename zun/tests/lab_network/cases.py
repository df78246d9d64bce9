# SPDX-License-Identifier: Apache-2.0
"""What the tests have in common: networks, containers, packets."""

import functools
import ipaddress
import json
import pathlib
import re
import subprocess

from testtools import content

from zun.common.k8s import client as k8s
from zun.container.k8s import names
from zun.tests import base
from zun.tests.lab_network import deployment
from zun.tests.lab_network import labs
from zun.tests import processes

WEB = ('mkdir -p /www; echo hello >/www/index.html; '
       'httpd -p 8080 -h /www; httpd -p 80 -h /www; '
       'trap "exit 0" TERM; while :; do sleep 0.2; done')


class Network:
    """A network of a project, with a subnet for each IP version wanted."""

    def __init__(self, neutron, v4: str | None, v6: str | None = None,
                 mtu: int | None = None, **options):
        zun = deployment.get()
        self._neutron = neutron
        attributes = {'name': deployment.unique('net')}
        if mtu:
            attributes['mtu'] = mtu
        self.net = zun.resource(neutron, 'networks', **attributes)
        self.id = self.net['id']
        self.subnets = {
            version: zun.resource(
                neutron, 'subnets', network_id=self.id, ip_version=version,
                cidr=cidr, enable_dhcp=False,
                **(options if version == 4 else {}))
            for version, cidr in ((4, v4), (6, v6)) if cidr}

    def remove(self) -> None:
        self._neutron.send('DELETE', '/networks/' + self.id)


class Shared:
    """What no test changes for good: a1, a2 on one network, b1 on another
    one of the project, c1 on another project's of the same addresses.
    """

    def __init__(self):
        zun = deployment.get()
        self.group = make_group(zun.neutron, ('IPv4', 'icmp'),
                                ('IPv6', 'ipv6-icmp'))
        self.net_a = Network(
            zun.neutron, '192.168.77.0/24', 'fd77::/64',
            dns_nameservers=['192.168.77.2'],
            host_routes=[{'destination': '198.51.100.0/24',
                          'nexthop': '192.168.77.9'}])
        self.net_b = Network(zun.neutron, '192.168.88.0/24', 'fd88::/64')
        self.net_c = Network(zun.neutron_other, '192.168.77.0/24')
        self.a1, self.a2 = (self._make(zun.demo, self.net_a)
                            for __ in range(2))
        self.b1 = self._make(zun.demo, self.net_b)
        for one in (self.a1, self.a2, self.b1):
            one.await_running()
        self.c1 = Container(zun.other, [{
            'network': self.net_c.id, 'v4-fixed-ip': self.a1.address()}])
        self.c1.await_running()

    def _make(self, user, network):
        return Container(user, [{'network': network.id}],
                         security_groups=[self.group])


@functools.cache
def shared() -> Shared:
    return Shared()


def make_group(neutron, *rules) -> str:
    """A security group; its name. Rules: IP version, protocol, port."""
    group = deployment.get().resource(neutron, 'security-groups',
                                      name=deployment.unique('group'))
    for rule in rules:
        add_rule(neutron, group['id'], *rule)
    return group['name']


def group_id(neutron, name: str) -> str:
    return neutron.ask('GET', '/security-groups?name=' + name)[0]['id']


def add_rule(neutron, group: str, ethertype: str, protocol: str,
             port: int | None = None) -> str:
    """Let something in; the rule's id."""
    return deployment.get().resource(
        neutron, 'security-group-rules', security_group_id=group,
        direction='ingress', ethertype=ethertype, protocol=protocol,
        port_range_min=port, port_range_max=port)['id']


class Container:
    """A container, made by the service, and what is seen from inside."""

    def __init__(self, user, nets, **fields):
        self.user = user
        body = {'image': 'busybox', 'command': ['sh', '-c', WEB],
                'cpu': 0.1, 'memory': '32', 'disk': 1, 'nets': nets,
                **fields}
        run = body.pop('run', True)
        self.uuid = user.ask('POST', '/containers', json=body, params={
            'run': str(run).lower()})['uuid']

    def show(self) -> dict:
        answer = self.user.send('GET', '/containers/' + self.uuid)
        return {'status': 'gone'} if answer.status_code == 404 \
            else answer.json()

    def await_status(self, *statuses: str) -> dict:
        seen = {}

        def reached():
            seen.update(self.show())
            return seen['status'] in statuses and not seen.get('task_state')
        try:
            processes.wait_for(self.uuid, reached)
        except AssertionError:
            raise AssertionError('%s is %s: %s' % (
                self.uuid, seen['status'], seen.get('status_reason')))
        return seen

    def await_running(self) -> 'Container':
        seen = self.await_status('Running', 'Error')
        if seen['status'] != 'Running':
            raise AssertionError('%s: %s; %s' % (
                self.uuid, seen['status_reason'], self.events()))
        return self

    def act(self, action: str, version: str = 'container 1.40', **params):
        return self.user.ask(
            'POST', '/containers/%s/%s' % (self.uuid, action),
            params=params, headers={'OpenStack-API-Version': version})

    def delete(self, wait: bool = True) -> None:
        self.user.send('DELETE', '/containers/' + self.uuid,
                       params={'stop': 'true'})
        if wait:
            self.await_gone()

    def await_gone(self) -> None:
        processes.wait_for('%s is gone' % self.uuid, lambda: self.show()[
            'status'] == 'gone')

    # -- Neutron -----------------------------------------------------------
    def entries(self) -> list[dict]:
        """Addresses, with port and IP version."""
        return [entry for entries in self.show()['addresses'].values()
                for entry in entries]

    def address(self, version: int = 4, network: str | None = None) -> str:
        return next(entry['addr'] for entry in self.entries()
                    if entry['version'] == version and (
                        network is None or
                        entry in self.show()['addresses'][network]))

    def port(self) -> dict:
        """Its first port, as an administrator sees it."""
        return deployment.get().neutron_admin.ask(
            'GET', '/ports/' + self.entries()[0]['port'])

    # -- Kubernetes --------------------------------------------------------
    def pod(self) -> dict:
        items, __ = deployment.get().cluster.list(
            k8s.PODS, labels=names.selector(self.uuid))
        return sorted(items, key=names.generation_of)[-1]

    def events(self) -> list[str]:
        items, __ = deployment.get().cluster.list(k8s.EVENTS)
        return [one['message'] for one in items
                if self.uuid in one['involvedObject'].get('name', '')]

    def attachment(self) -> dict:
        """What the daemon keeps of its sandbox."""
        name = self.pod()['metadata']['name']
        return next(one for one in attachments() if one['pod'][1] == name)

    # -- inside ------------------------------------------------------------
    def execute(self, command: str) -> str:
        """Run a command by the service."""
        return self.act('execute', run='true', command=command)['output']

    def inside(self, *words: str, timeout: float = 60
               ) -> subprocess.CompletedProcess:
        """Run a command of this machine in the sandbox's network."""
        return run('nsenter', '--net=' + self.attachment()['netns_path'],
                   *words, timeout=timeout)

    def links(self) -> list[str]:
        return [link['ifname'] for link in json.loads(self.inside(
            'ip', '-j', 'link').stdout)]

    def pings(self, target: str, count: int = 2, *more: str) -> bool:
        """Whether all of some pings are answered."""
        done = self.inside('busybox', 'ping', '-c', str(count), '-W', '1',
                           *more, target)
        return ' 0% packet loss' in done.stdout

    def reaches(self, target: str, port: int, seconds: int = 2) -> bool:
        """Whether a TCP connection is made."""
        return connects(target, port, seconds, self.attachment()[
            'netns_path'])


def connects(target: str, port: int, seconds: int = 2,
             netns: str | None = None) -> bool:
    """Whether a TCP connection is made, from this machine or a sandbox."""
    enter = ['nsenter', '--net=' + netns] if netns else []
    done = run(*enter, 'timeout', str(seconds), 'python3', '-c',
               'import socket, sys; socket.create_connection('
               '(sys.argv[1], int(sys.argv[2])), %d)' % seconds,
               target, str(port))
    return done.returncode == 0


def run(*words: str, timeout: float = 60) -> subprocess.CompletedProcess:
    return subprocess.run([str(word) for word in words], text=True,
                          capture_output=True, stdin=subprocess.DEVNULL,
                          timeout=timeout)


def vsctl(*words: str) -> str:
    database = deployment.get().work / 'peers/run/ovs-db.sock'
    done = run('ovs-vsctl', '--db=unix:%s' % database, *words)
    if done.returncode:
        raise AssertionError(done.stderr)
    return done.stdout


def attachments() -> list[dict]:
    """The daemon's files."""
    found = []
    for file in deployment.get().state.glob('*.json'):
        try:
            found.append(json.loads(file.read_text()))
        except FileNotFoundError:
            # It has just been removed.
            continue
    return found


def left_over() -> dict[str, list]:
    """What no sandbox of the daemon's accounts for, and no container."""
    zun = deployment.get()
    plugged = {'tap' + document['id'][:11] for one in attachments()
               for __, document in one['interfaces']}
    devices = {path.name for path in pathlib.Path(
        '/sys/class/net').glob('tap*')}
    ports = {name for name in vsctl('list-ports', 'br-int').split()
             if name.startswith('tap')}
    pods = {one['metadata']['name'] for one in zun.cluster.list(
        k8s.PODS, labels=names.MANAGED_SELECTOR)[0]}
    owners = {one['uuid'] for one in zun.admin.ask(
        'GET', '/containers?all_projects=true')}
    return {
        'devices': sorted(devices - plugged),
        'switch': sorted(ports - plugged),
        'sandboxes': sorted(one['sandbox'] for one in attachments()
                            if one['pod'][1] not in pods),
        'ports': sorted(port['id'] for port in zun.neutron_admin.ask(
            'GET', '/ports?device_owner=compute:zun')
            if port['device_id'] not in owners)}


class TestCase(base.TestCase):
    """A test with the whole deployment around it."""

    def setUp(self):
        super().setUp()
        self.zun = deployment.get()
        self.config(group='kubernetes', kubeconfig=str(self.zun.kubeconfig),
                    namespace_prefix=labs.PREFIX)
        self.addOnException(self._attach_log)
        self._before = self.zun.log_size()

    def _attach_log(self, exc_info):
        self.addDetail('daemon', content.text_content(
            self.zun.log_since(self._before)[-15000:]))

    @property
    def shared(self) -> Shared:
        return shared()

    def container(self, nets, user=None, wait: bool = True, **fields
                  ) -> Container:
        """A container that goes with the test."""
        made = Container(user or self.zun.demo, nets, **fields)
        self.addCleanup(made.delete)
        if wait:
            made.await_running()
        return made

    def network(self, *args, **kwargs) -> Network:
        made = Network(self.zun.neutron, *args, **kwargs)
        self.addCleanup(made.remove)
        return made

    def port(self, network: str, **attributes) -> dict:
        """A port of the user's own."""
        made = self.zun.resource(self.zun.neutron, 'ports',
                                 network_id=network, **attributes)
        self.addCleanup(self.zun.neutron.send, 'DELETE',
                        '/ports/' + made['id'])
        return made

    def await_port(self, port: str, status: str, limit: float = 10) -> None:
        processes.wait_for('port %s %s' % (port, status), lambda: (
            self.zun.neutron_admin.ask('GET', '/ports/' + port)[
                'status'] == status), limit)

    def assertNothingLeft(self):
        processes.wait_for('nothing is left: %s' % left_over(),
                           lambda: not any(left_over().values()), 30)

    def times(self, since: int, word: str) -> list[float]:
        """Milliseconds that requests took, by the daemon's log."""
        return sorted(float(found) for found in re.findall(
            r'%s \w+ took ([\d.]+) ms' % word, self.zun.log_since(since)))

    def note(self, text: str) -> None:
        """Say a figure beside the test's name."""
        print('[%s] ' % text, end='', flush=True)


def is_version(text: str, version: int) -> bool:
    return ipaddress.ip_address(text).version == version
