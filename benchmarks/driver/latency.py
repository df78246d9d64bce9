# SPDX-License-Identifier: Apache-2.0
"""One container at a time on a real node, beside the same Pod by kubectl."""

import json
import os
import statistics
import subprocess
import time
from typing import Any

from zun.tests import processes

# Seconds between two looks at a container.
POLL = 0.02
LIMIT = 120.0
LOGGED = 'ready'
COMMAND = ['sh', '-c', 'echo %s; sleep 3600' % LOGGED]


def same_pod(pod: dict[str, Any], name: str) -> dict[str, Any]:
    """What makes a Pod like another one: less what the server wrote.

    :param pod: as the API server has it
    """
    metadata = pod['metadata']
    spec = {key: value for key, value in pod['spec'].items()
            if key != 'nodeName'}
    # Zun's own must not take it for one of theirs.
    return {'apiVersion': 'v1', 'kind': 'Pod', 'spec': spec, 'metadata': {
        'name': name, 'namespace': metadata['namespace'],
        'annotations': {key: value for key, value
                        in metadata.get('annotations', {}).items()
                        if not key.startswith('zun.openstack.org/')}}}


class Kubectl:
    """kubectl on one cluster.

    :param namespace: of all that it is asked for
    """

    def __init__(self, kubeconfig: str, namespace: str = 'default') -> None:
        self._environment = {**os.environ, 'KUBECONFIG': kubeconfig}
        self._namespace = namespace

    def run(self, *arguments: str, document: Any = None) -> str:
        """What it prints.

        :raises subprocess.CalledProcessError: it failed
        """
        return subprocess.run(
            ['kubectl', '-n', self._namespace, *arguments], check=True,
            env=self._environment, text=True, timeout=LIMIT,
            input=None if document is None else json.dumps(document),
            stdout=subprocess.PIPE).stdout

    def get(self, *arguments: str) -> dict[str, Any]:
        """An object, or a list of them."""
        return json.loads(self.run('get', *arguments, '-o', 'json'))


class Latency:
    """Measures on one deployment.

    :param deployment: running, on a cluster with a real node
    """

    def __init__(self, deployment: processes.Deployment,
                 kubeconfig: str) -> None:
        self._zun = deployment
        self._kubeconfig = kubeconfig
        self._times: dict[str, list[float]] = {}

    def measure(self, rounds: int) -> dict[str, float]:
        """Medians in ms, by what was done and by whom."""
        for number in range(rounds + 1):
            self._round(number)
            if not number:
                # It made the namespace and read the image.
                self._times.clear()
        return {name: 1000 * statistics.median(times)
                for name, times in self._times.items()}

    def _round(self, number: int) -> None:
        with _Timer(self._times, 'create', 'project'):
            uuid = self._zun.create(command=COMMAND)
            self._await_running(uuid)
        pod = self._pod_of(uuid)
        kubectl = Kubectl(self._kubeconfig, pod['metadata']['namespace'])
        name = 'by-kubectl-%d' % number
        manifest = same_pod(pod, name)
        with _Timer(self._times, 'create', 'kubectl'):
            kubectl.run('create', '-f', '-', document=manifest)
            kubectl.run('wait', '--timeout', '%ds' % LIMIT,
                        '--for', 'jsonpath={.status.phase}=Running',
                        'pod/' + name)
        with _Timer(self._times, 'exec', 'project'):
            self._zun.act(uuid, 'execute', command='echo hello')
        with _Timer(self._times, 'exec', 'kubectl'):
            kubectl.run('exec', name, '--', 'echo', 'hello')
        with _Timer(self._times, 'logs', 'project'):
            self._zun.act(uuid, 'logs')
        with _Timer(self._times, 'logs', 'kubectl'):
            kubectl.run('logs', name)
        kubectl.run('delete', 'pod', name, '--grace-period', '0', '--force')
        self._zun.request('DELETE', '/containers/' + uuid,
                          params={'force': 'true'}, admin=True)
        processes.wait_for('%s is gone' % uuid,
                           lambda: self._zun.show(uuid) is None)

    def _await_running(self, uuid: str) -> None:
        deadline = time.monotonic() + LIMIT
        while True:
            container = self._zun.show(uuid)
            if container['status'] == 'Running':
                return
            if container['status'] == 'Error' or \
                    time.monotonic() > deadline:
                raise RuntimeError('%s is %s: %s' % (
                    uuid, container['status'], container['status_reason']))
            time.sleep(POLL)

    def _pod_of(self, uuid: str) -> dict[str, Any]:
        pods = Kubectl(self._kubeconfig).get('pods', '-A')['items']
        found, = [pod for pod in pods if pod['metadata']['name'].startswith(
            'zun-%s-' % uuid)]
        return found


class _Timer:
    """Adds the seconds of a block to those of its kind."""

    def __init__(self, times: dict[str, list[float]], what: str,
                 whose: str) -> None:
        self._times = times.setdefault('%s_%s_p50_ms' % (what, whose), [])

    def __enter__(self) -> None:
        self._began = time.monotonic()

    def __exit__(self, kind: Any, *rest: Any) -> None:
        if kind is None:
            self._times.append(time.monotonic() - self._began)
