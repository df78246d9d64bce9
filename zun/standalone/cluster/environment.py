# SPDX-License-Identifier: Apache-2.0
"""What a container gets: variables, arguments and volumes.

Volumes appear below the container's working directory (``data`` for a mount
path of ``/data``), since a process of this machine has no root of its own.
"""

import base64
import pathlib
import re
import shutil
from typing import Any

from zun.standalone.cluster import images
from zun.standalone.cluster import resources
from zun.standalone.cluster import store as stores

PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
_REFERENCE = re.compile(r'\$\$|\$\(([A-Za-z_.\-][\w.\-]*)\)')


class ConfigError(Exception):
    """A Secret or ConfigMap that is missing (CreateContainerConfigError)."""


class NotMounted(Exception):
    """A volume that cannot be mounted yet."""


def variables(store: stores.Store, pod: dict[str, Any],
              container: dict[str, Any], image: images.Image, home: str
              ) -> dict[str, str]:
    """The environment of a container.

    :raises ConfigError: for a missing Secret, ConfigMap or key.
    """
    meta = pod['metadata']
    env = {'PATH': PATH, 'HOME': home,
           'HOSTNAME': pod['spec'].get('hostname') or meta['name']}
    if container.get('tty'):
        env['TERM'] = 'xterm'
    env.update(image.environment)
    for source in container.get('envFrom') or []:
        prefix = source.get('prefix', '')
        for key, value in _source(store, meta['namespace'], source).items():
            env[prefix + key] = value
    for item in container.get('env') or []:
        if 'valueFrom' in item:
            value = _value(store, pod, item['valueFrom'])
            if value is not None:
                env[item['name']] = value
        else:
            env[item['name']] = expand(item.get('value') or '', env)
    return env


def arguments(container: dict[str, Any], image: images.Image,
              env: dict[str, str]) -> list[str]:
    """The command line: the Pod's command and args over the image's."""
    command = container.get('command') or []
    args = container.get('args') or []
    if not command:
        command = list(image.entrypoint)
        args = args or list(image.command)
    return [expand(word, env) for word in [*command, *args]]


def expand(text: str, env: dict[str, str]) -> str:
    """Replace ``$(NAME)``; ``$$`` stands for ``$``; unknown ones stay."""
    return _REFERENCE.sub(
        lambda m: '$' if m[0] == '$$' else env.get(m[1], m[0]), text)


def _source(store: stores.Store, namespace: str, source: dict[str, Any]
            ) -> dict[str, str]:
    for key, resource in (('secretRef', resources.SECRETS),
                          ('configMapRef', resources.CONFIGMAPS)):
        if key in source:
            obj = _find(store, resource, namespace, source[key])
            return {k: v.decode() for k, v in _data(obj).items()}
    return {}


def _value(store: stores.Store, pod: dict[str, Any], source: dict[str, Any]
           ) -> str | None:
    if 'fieldRef' in source:
        return _field(pod, source['fieldRef']['fieldPath'])
    for key, resource in (('secretKeyRef', resources.SECRETS),
                          ('configMapKeyRef', resources.CONFIGMAPS)):
        if key not in source:
            continue
        ref = source[key]
        obj = _find(store, resource, pod['metadata']['namespace'], ref)
        data = _data(obj)
        if ref['key'] in data:
            return data[ref['key']].decode()
        if not ref.get('optional'):
            raise ConfigError("couldn't find key %s in %s %s/%s" % (
                ref['key'], resource.kind, pod['metadata']['namespace'],
                ref['name']))
    return None


def _find(store: stores.Store, resource: resources.ResourceType,
          namespace: str, ref: dict[str, Any]) -> dict[str, Any] | None:
    obj = store.find(resource, namespace, ref['name'])
    if obj is None and not ref.get('optional'):
        raise ConfigError('%s "%s" not found' % (
            resource.kind.lower(), ref['name']))
    return obj


def _data(obj: dict[str, Any] | None) -> dict[str, bytes]:
    if obj is None:
        return {}
    if obj['kind'] == 'Secret':
        return {k: base64.b64decode(v or '')
                for k, v in (obj.get('data') or {}).items()}
    data = {k: v.encode() for k, v in (obj.get('data') or {}).items()}
    data.update((k, base64.b64decode(v)) for k, v in (
        obj.get('binaryData') or {}).items())
    return data


def _field(pod: dict[str, Any], path: str) -> str:
    found = re.match(r"metadata\.(labels|annotations)\['(.+)'\]$", path)
    if found:
        return (pod['metadata'].get(found[1]) or {}).get(found[2], '')
    value: Any = pod
    for step in path.split('.'):
        value = value.get(step) if isinstance(value, dict) else None
    return '' if value is None else str(value)


class Volumes:
    """The volumes of one Pod, made below ``directory``."""

    def __init__(self, store: stores.Store, directory: pathlib.Path,
                 shared: pathlib.Path) -> None:
        self.store = store
        self.directory = directory
        self.shared = shared
        self.paths: dict[str, pathlib.Path] = {}

    def prepare(self, pod: dict[str, Any]) -> None:
        """Make all volumes.

        :raises NotMounted: with the kubelet's words.
        """
        for volume in pod['spec'].get('volumes') or []:
            self.paths[volume['name']] = self._prepare(pod, volume)

    def _prepare(self, pod: dict[str, Any], volume: dict[str, Any]
                 ) -> pathlib.Path:
        name = volume['name']
        namespace = pod['metadata']['namespace']
        path = self.directory / name
        if 'hostPath' in volume:
            return pathlib.Path(volume['hostPath']['path'])
        if 'persistentVolumeClaim' in volume:
            return self._claimed(
                namespace, volume['persistentVolumeClaim']['claimName'])
        path.mkdir(parents=True, exist_ok=True)
        for source in self._sources(volume):
            for key, data in self._files(pod, name, source).items():
                target = path / key
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(data)
        return path

    @staticmethod
    def _sources(volume: dict[str, Any]) -> list[dict[str, Any]]:
        if 'projected' in volume:
            return volume['projected'].get('sources') or []
        return [volume]

    def _files(self, pod: dict[str, Any], name: str, source: dict[str, Any]
               ) -> dict[str, bytes]:
        if 'downwardAPI' in source:
            return {item['path']: _field(
                pod, item['fieldRef']['fieldPath']).encode()
                for item in source['downwardAPI'].get('items') or []
                if 'fieldRef' in item}
        for key, resource in (('secret', resources.SECRETS),
                              ('configMap', resources.CONFIGMAPS)):
            if key not in source:
                continue
            ref = dict(source[key])
            ref['name'] = ref.get('secretName') or ref.get('name')
            try:
                obj = _find(self.store, resource,
                            pod['metadata']['namespace'], ref)
            except ConfigError as e:
                raise NotMounted('MountVolume.SetUp failed for volume "%s" '
                                 ': %s' % (name, e)) from e
            data = _data(obj)
            if ref.get('items'):
                return {i['path']: data[i['key']] for i in ref['items']
                        if i['key'] in data}
            return data
        return {}

    def _claimed(self, namespace: str, claim: str) -> pathlib.Path:
        bound = self.store.find(resources.PVCS, namespace, claim) or {}
        name = (bound.get('spec') or {}).get('volumeName', '')
        volume = self.store.find(resources.PVS, '', name)
        if volume is None:
            raise NotMounted('persistentvolumeclaim "%s" not bound' % claim)
        for kind in ('hostPath', 'local'):
            if kind in volume['spec']:
                path = pathlib.Path(volume['spec'][kind]['path'])
                if not path.is_dir() and kind == 'local':
                    raise NotMounted(
                        'MountVolume.NewMounter initialization failed for '
                        'volume "%s" : path "%s" does not exist' % (
                            name, path))
                return path
        path = self.shared / name
        path.mkdir(parents=True, exist_ok=True)
        return path

    def mount(self, container: dict[str, Any], root: pathlib.Path) -> None:
        """Link a container's volumes into its directory."""
        for mount in container.get('volumeMounts') or []:
            source = self.paths[mount['name']]
            if mount.get('subPath'):
                source = source / mount['subPath']
                if not source.exists():
                    source.mkdir(parents=True)
            target = root / mount['mountPath'].lstrip('/')
            target.parent.mkdir(parents=True, exist_ok=True)
            if target.is_symlink():
                target.unlink()
            if not target.exists():
                target.symlink_to(source)

    def remove(self) -> None:
        """Delete what belongs to the Pod alone."""
        shutil.rmtree(self.directory, ignore_errors=True)
