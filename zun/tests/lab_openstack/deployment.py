# SPDX-License-Identifier: Apache-2.0
"""The service with every peer that it knows."""

import configparser
import shutil
import socket

from zun.tests.lab_network import deployment
from zun.tests import processes

PROXY_PORT = 6784
_REGISTRY = '127.0.0.1:5050'


class Deployment(deployment.Deployment):
    """The executables, a process each.

    :param work: folder of the labs.
    """

    def _setUp(self) -> None:
        # A log is of one run.
        shutil.rmtree(self.work / 'run', ignore_errors=True)
        super()._setUp()
        self.begin('zun-wsproxy')
        self.cinder = self._peer('http://127.0.0.1:8776/v3/%s')
        self.glance = self._peer('http://127.0.0.1:9292/v2')
        self.placement = deployment.Peer('http://127.0.0.1:8778', 'zun',
                                         'service')
        processes.wait_for('the proxy listens', lambda: _is_open(PROXY_PORT))

    def _peer(self, url: str) -> deployment.Peer:
        peer = deployment.Peer(url, 'demo', 'demo')
        if '%s' in url:
            peer.url = url % peer.project
        return peer

    def _configure(self) -> None:
        super()._configure()
        parser = configparser.RawConfigParser()
        parser.read(self.config)
        for section, values in self._more().items():
            if section != 'DEFAULT' and not parser.has_section(section):
                parser.add_section(section)
            for name, value in values.items():
                parser.set(section, name, str(value))
        with open(self.config, 'w') as file:
            parser.write(file)

    def _more(self) -> dict[str, dict]:
        return {
            'DEFAULT': {'image_driver_list': 'docker,glance',
                        'default_image_driver': 'docker',
                        'debug': 'true'},
            'glance': {'images_directory': self.run / 'images'},
            'agent': {'state_path': self.run / 'agent'},
            'keystone_authtoken': {
                'service_token_roles_required': 'true',
                'service_token_roles': 'service',
                'memcached_servers': '127.0.0.1:11311'},
            'kubernetes': {'insecure_registries': _REGISTRY,
                           'registry_mirrors': 'docker.io:' + _REGISTRY},
            'websocket_proxy': {
                'wsproxy_host': '127.0.0.1', 'wsproxy_port': PROXY_PORT,
                'base_url': 'ws://127.0.0.1:%d/' % PROXY_PORT}}


def is_running() -> bool:
    """Whether the API of a deployment is there already."""
    return _is_open(deployment.API_PORT)


def _is_open(port):
    with socket.socket() as client:
        return client.connect_ex(('127.0.0.1', port)) == 0
