# SPDX-License-Identifier: Apache-2.0
"""All OpenStack services beside Kubernetes, in a place of their own."""

import os
import pathlib
import shutil
import subprocess

from zun.tests.lab_network import labs

# Names the folder of the labs to the tests.
VARIABLE = 'ZUN_LAB_OPENSTACK'

NODE = labs.NODE
_NAME = 'zos'
# What the services' public network has for a gateway.
_GATEWAY = '172.24.4.1/24'
_PACKAGES = ('iputils-ping', 'curl')


def install(options) -> None:
    """Packages, while there still is a way to get them."""
    labs.install(options)
    missing = [name for name in _PACKAGES if subprocess.run(
        ['dpkg', '-s', name], capture_output=True).returncode]
    if missing:
        labs._run('apt-get', 'install', '-q', '-y',
                  '--no-install-recommends', *missing)


class Labs(labs.Labs):
    """Both labs, with a message bus for Cinder and loop devices.

    :param options: ``lab``, ``work`` and ``venv``.
    """

    def start(self) -> None:
        """Start what does not run; the two at the same time."""
        self._write_cni()
        kube = subprocess.Popen(
            [str(word) for word in self._kube_start()],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True)
        self.peers('start', '--root', self._where[3], '--hostname', NODE)
        said = kube.communicate()[0]
        if kube.returncode:
            raise RuntimeError('kube-lab: %s' % said)
        for words in (('addr', 'replace', _GATEWAY, 'dev', 'br-ex'),
                      ('link', 'set', 'br-ex', 'up')):
            labs._run('ip', *words)
        self._push_images()

    def _push_images(self) -> None:
        """What the Tempest plugin asks for: with a bash, and with curl."""
        root = self.work / 'image'
        if root.exists():
            return
        programs = root / 'bin'
        for folder in (programs, root / 'root', root / 'tmp', root / 'etc'):
            folder.mkdir(parents=True)
        for program in ('/bin/bash', '/bin/busybox'):
            shutil.copy(program, programs)
        for name in labs._run('busybox', '--list').split():
            if not (programs / name).exists():
                (programs / name).symlink_to('/bin/busybox')
        for word in labs._run('ldd', '/bin/bash').split():
            if word.startswith('/'):
                library = root / word[1:]
                library.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(word, library)
        curl = programs / 'curl'
        curl.write_text('#!/bin/sh\nexec wget -q -O - "$@"\n')
        curl.chmod(0o755)
        for name in ('ubuntu', 'cirros'):
            labs._run(self._kube, 'push', '--dir', self.work / 'k8s', root,
                      name + ':latest', '--cmd', '/bin/bash')

    def _kube_start(self):
        words = super()._kube_start()
        words[words.index('--name') + 1] = _NAME
        return words

    def peers(self, verb: str, *words) -> None:
        """Start or stop services: ``peers('stop', '--only', 'glance')``."""
        environment = dict(os.environ, PEERS_CINDER_LOOP='true')
        done = subprocess.run(
            [str(word) for word in (
                self._peers, verb, '--dir', self.work / 'peers', *words)],
            text=True, stdin=subprocess.DEVNULL, capture_output=True,
            env=environment)
        if done.returncode:
            raise RuntimeError('peers %s: %s%s' % (
                verb, done.stdout[-2000:], done.stderr[-4000:]))


def folder() -> pathlib.Path:
    """Where the running labs are.

    :raises RuntimeError: no labs run.
    """
    name = os.environ.get(VARIABLE)
    if not name:
        raise RuntimeError('%s is not set: run "python -m zun.tests.'
                           'lab_openstack"' % VARIABLE)
    return pathlib.Path(name)
