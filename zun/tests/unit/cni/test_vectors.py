# SPDX-License-Identifier: Apache-2.0
"""From a Neutron port to os-vif's object and to the result of an ADD.

``vectors/ports.json`` holds the cases: a port as Neutron answers, its
network and subnets, and what becomes of them.
"""

import json
import pathlib

from zun.cni import spec
from zun.cni import vifs
from zun.network import cni_network
from zun.network import os_vif_util
from zun.tests import base

_FILE = pathlib.Path(__file__).parent / 'vectors' / 'ports.json'
_NETNS = '/run/netns/x'
_PROFILE = ('interface_id', 'create_port', 'datapath_type')


def documents(case: dict) -> list[dict]:
    """The annotation of a container on the case's ports."""
    subnets = {subnet['id']: subnet for subnet in case['subnets']}
    networks = {network['id']: network for network in case['networks']}
    return [cni_network.vif_of(port, networks[port['network_id']], subnets)
            for port in case['ports']]


def osvif_of(document: dict) -> dict:
    """What is looked at of an os-vif object."""
    made = os_vif_util.neutron_to_osvif_vif(document)
    found = {'class': type(made).__name__, 'plugin': made.plugin,
             'address': made.address, 'mtu': made.network.mtu,
             'filtering': made.has_traffic_filtering}
    for name in ('bridge_name', 'vif_name', 'dev_address'):
        if name in made.fields:
            found[name] = getattr(made, name)
    if 'bridge' in made.network:
        found['switch'] = made.network.bridge
    if 'port_profile' in made:
        found['profile'] = {name: getattr(made.port_profile, name)
                            for name in _PROFILE}
    found['subnets'] = [_subnet(one) for one in made.network.subnets.objects]
    return found


def _subnet(subnet):
    return {'cidr': str(subnet.cidr),
            'gateway': str(subnet.gateway) if 'gateway' in subnet else None,
            'dns': [str(server) for server in subnet.dns],
            'ips': [str(ip.address) for ip in subnet.ips.objects],
            'routes': [[str(route.cidr), str(route.gateway)]
                       for route in subnet.routes.objects]}


def result_of(version: str, annotation: list[dict]) -> dict:
    found = vifs.read(json.dumps(annotation))
    return spec.result(version, _NETNS, {
        'eth%d' % number: vif for number, vif in enumerate(found)})


class TestVectors(base.TestCase):

    def test_all(self):
        cases = json.loads(_FILE.read_text())
        self.assertGreaterEqual(len(cases), 12)
        for case in cases:
            with self.subTest(case['name']):
                annotation = documents(case)
                self.assertEqual(case['osvif'], [
                    osvif_of(document) for document in annotation])
                for version, result in case['results'].items():
                    self.assertEqual(result, result_of(version, annotation))
