# SPDX-License-Identifier: Apache-2.0
"""The labs of OpenStack services and of Kubernetes, side by side."""

import json
import pathlib
import shutil
import subprocess

import zun

# Names the folder of the labs to the tests.
VARIABLE = 'ZUN_LAB_NETWORK'

NODE = 'zun-net-1'
PREFIX = 'zunnet-'
NODE_IP = '10.89.0.1'
HANDLERS = ('kata', 'bridge')
_PEERS = ('memcached', 'mariadb', 'ovn-nb', 'ovn-sb', 'ovn-northd',
          'ovs-db', 'ovs-vswitchd', 'ovn-controller', 'keystone',
          'placement', 'neutron', 'neutron-maint')
_PLUGIN = pathlib.Path(zun.__file__).parent / 'cni' / 'cmd' / 'cni.py'
_BRIDGE = {'cniVersion': '1.0.0', 'type': 'bridge', 'bridge': 'klp-znet',
           'isGateway': True, 'ipMasq': False}


def install(options) -> None:
    """Packages, while there still is a way to get them."""
    _run(options.lab / 'peers' / 'peers', 'install', '--root', options.venv)


class Labs:
    """Both labs.

    :param options: ``lab``, ``work`` and ``venv``.
    """

    def __init__(self, options):
        self.work = pathlib.Path(options.work)
        self._kube = options.lab / 'kubernetes' / 'kube-lab'
        self._peers = options.lab / 'peers' / 'peers'
        self._where = ['--dir', self.work / 'peers', '--root', options.venv]

    def start(self) -> None:
        """Start what does not run; the two at the same time."""
        self._write_cni()
        kube = subprocess.Popen(
            [str(word) for word in self._kube_start()],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True)
        _run(self._peers, 'start', *self._where, '--bus', 'none',
             '--hostname', NODE, '--only', ','.join(_PEERS))
        said = kube.communicate()[0]
        if kube.returncode:
            raise RuntimeError('kube-lab: %s' % said)

    def _kube_start(self):
        words = [self._kube, 'start', '--dir', self.work / 'k8s', '--name',
                 'znet', '--node-name', NODE, '--node-ip', NODE_IP,
                 '--no-install', '--api-bind', '0.0.0.0',
                 '--cni-bin', self.work / 'cni-bin',
                 '--cni-conf', self.work / 'cni-all',
                 '--handler-cni', 'kata=%s' % (self.work / 'cni-zun')]
        for handler in HANDLERS:
            words += ['--handler', handler]
        return words

    def _write_cni(self):
        """Two ways: a runtime class's own network, and a delegate."""
        plugin = {'type': 'zun-cni', 'namespacePrefix': PREFIX,
                  'socket': str(self.work / 'run' / 'cni.sock')}
        ranges = [[{'subnet': '10.88.0.0/16'}]]
        delegate = {**_BRIDGE, 'ipam': {
            'type': 'host-local', 'dataDir': str(self.work / 'ipam'),
            'ranges': ranges, 'routes': [{'dst': '0.0.0.0/0'}]}}
        for folder, more in (('cni-zun', {}),
                             ('cni-all', {'delegate': delegate})):
            path = self.work / folder
            path.mkdir(parents=True, exist_ok=True)
            (path / '10-zun.conflist').write_text(json.dumps({
                'cniVersion': '1.1.0', 'name': folder,
                'plugins': [{**plugin, **more}]}))
        programs = self.work / 'cni-bin'
        programs.mkdir(exist_ok=True)
        shutil.copy(_PLUGIN, programs / 'zun-cni')

    def stop(self) -> None:
        """End both and remove what they have written."""
        _run(self._kube, 'stop', '--dir', self.work / 'k8s', '--wipe')
        _run(self._peers, 'destroy', *self._where)


def _run(*words) -> str:
    done = subprocess.run([str(word) for word in words], text=True,
                          stdin=subprocess.DEVNULL, capture_output=True)
    if done.returncode:
        raise RuntimeError('%s: %s%s' % (
            words[0], done.stdout[-2000:], done.stderr[-4000:]))
    return done.stdout
