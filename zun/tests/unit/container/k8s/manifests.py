# SPDX-License-Identifier: Apache-2.0
"""Manifests of the cases in ``vectors/containers.json``.

A case has the fields of its ``row``, its ``around`` and ``settings``, and
how its manifest ``differs`` from that of a container that asks for
nothing: a JSON merge patch.
"""

from zun.container import driver
from zun.container.k8s import pod
from zun.container.k8s import resources
from zun.container.k8s import volumes
from zun.tests.unit.container.k8s import fakes


def make(case: dict) -> dict:
    """The manifest of a case."""
    return pod.container_pod(fakes.container(**case['row']),
                             _around(dict(case['around'])),
                             _settings(dict(case['settings'])))


def _around(values):
    mounts = [driver.Mount(key, path, contents=text.encode())
              for key, path, text in values.pop('files', ())]
    mounts += [driver.Mount(key, path, claim=claim)
               for key, path, claim in values.pop('claims', ())]
    images = {name: driver.Image(*image)
              for name, image in values.pop('images', {}).items()}
    return pod.Surroundings(
        fakes.NAMESPACE, images=images,
        mounts={'main': volumes.pod_mounts(fakes.UUID, mounts)}, **values)


def _settings(values):
    if 'ratios' in values:
        values['ratios'] = resources.Ratios(*values['ratios'])
    return pod.Settings(**values)


def difference(before: dict, after: dict) -> dict:
    """The merge patch that makes one manifest of another."""
    patch = dict.fromkeys(before.keys() - after.keys())
    for key, value in after.items():
        former = before.get(key)
        if isinstance(value, dict) and isinstance(former, dict):
            value = difference(former, value)
            if value:
                patch[key] = value
        elif value != former:
            patch[key] = value
    return patch
