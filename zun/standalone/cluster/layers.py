# SPDX-License-Identifier: Apache-2.0
"""Images made of containers of a simulated node.

A container's files are those of its directory, so that is its layer.
Volumes are links there, and belong to nobody's layer.
"""

import dataclasses
import hashlib
import io
import json
import os
import pathlib
import shutil
import tarfile
import time
import typing

from zun.standalone.cluster import containers
from zun.standalone.cluster import images

_DESCRIPTION = 'image.json'
_FILES = 'files'


@dataclasses.dataclass(frozen=True)
class Layer:
    """A container's files under a name.

    :ivar reference: normalized.
    :ivar created: seconds since the epoch.
    """

    reference: str
    image: images.Image
    labels: dict[str, str]
    size: int
    created: float


class Layers:
    """The layers that a node has.

    :param folder: where they are; what is there is known again.
    """

    def __init__(self, folder: pathlib.Path) -> None:
        self._folder = folder
        self.known: dict[str, Layer] = {}
        for path in folder.glob('*/' + _DESCRIPTION):
            document = json.loads(path.read_text())
            image = document.pop('image')
            layer = Layer(image=_image(image), **document)
            self.known[layer.reference] = layer

    def add(self, reference: str, container: containers.Container,
            labels: dict[str, str]) -> Layer:
        """Copy a container's files; a layer of that name is replaced."""
        self.remove(reference)
        folder = self._of(reference)
        files = folder / _FILES
        if container.directory.exists():
            mounted = {mount['mountPath'].lstrip('/') for mount in
                       container.spec.get('volumeMounts') or ()}
            shutil.copytree(
                container.directory, files, symlinks=True,
                ignore=lambda where, names: {
                    name for name in names if os.path.relpath(
                        os.path.join(where, name),
                        container.directory) in mounted})
        else:
            files.mkdir(parents=True)
        return self._put(reference, dataclasses.replace(
            container.image, name=reference, credentials=None,
            files=str(files)), labels)

    def take(self, reference: str, config: dict[str, typing.Any],
             parts: list[typing.BinaryIO], labels: dict[str, str]) -> Layer:
        """Take over an image from an archive.

        :param config: as images have it.
        :param parts: its layers; files and directories of them count.
        """
        self.remove(reference)
        files = self._of(reference) / _FILES
        files.mkdir(parents=True)
        for part in parts:
            _unpack(part, files)
        return self._put(reference, images.Image(
            reference, tuple(config.get('Entrypoint') or ()),
            tuple(config.get('Cmd') or ()),
            tuple(tuple(item.partition('=')[::2])
                  for item in config.get('Env') or ()),
            config.get('WorkingDir') or '', files=str(files)), labels)

    def _put(self, reference, image, labels):
        folder = self._of(reference)
        layer = Layer(reference, image, labels, _size(folder / _FILES),
                      time.time())
        (folder / _DESCRIPTION).write_text(
            json.dumps(dataclasses.asdict(layer)))
        self.known[reference] = layer
        return layer

    def remove(self, reference: str) -> None:
        """Delete a layer; none is no error."""
        if self.known.pop(reference, None) is not None:
            shutil.rmtree(self._of(reference))

    def _of(self, reference):
        return self._folder / hashlib.sha256(reference.encode()).hexdigest()


def _image(document: dict[str, typing.Any]) -> images.Image:
    """An image as JSON has kept it, which knows no tuples."""
    return images.Image(**{
        **document, 'entrypoint': tuple(document['entrypoint']),
        'command': tuple(document['command']),
        'environment': tuple(map(tuple, document['environment']))})


def _size(folder: pathlib.Path) -> int:
    return sum(os.lstat(os.path.join(where, name)).st_size
               for where, __, names in os.walk(folder) for name in names)


def _unpack(source: typing.BinaryIO, folder: pathlib.Path) -> None:
    """Unpack what stays below a folder: neither links nor ways up."""
    with tarfile.open(fileobj=source) as inner:
        for member in inner:
            name = os.path.normpath('/' + member.name).lstrip('/')
            path = folder / name
            if member.isdir():
                path.mkdir(parents=True, exist_ok=True)
            elif member.isfile():
                path.parent.mkdir(parents=True, exist_ok=True)
                with open(path, 'wb') as out:
                    shutil.copyfileobj(inner.extractfile(member), out)
                path.chmod(member.mode & 0o777)


def archive(layer: Layer, tag: str) -> bytes:
    """A layer as a Docker archive of one image."""
    files = io.BytesIO()
    with tarfile.open(fileobj=files, mode='w') as inner:
        inner.add(layer.image.files, arcname='.')
    digest = hashlib.sha256(files.getvalue()).hexdigest()
    config = json.dumps({
        'architecture': 'amd64', 'os': 'linux',
        'config': {'Entrypoint': list(layer.image.entrypoint),
                   'Cmd': list(layer.image.command),
                   'Env': ['%s=%s' % pair
                           for pair in layer.image.environment],
                   'WorkingDir': layer.image.workdir},
        'rootfs': {'type': 'layers', 'diff_ids': ['sha256:' + digest]},
    }).encode()
    name = hashlib.sha256(config).hexdigest() + '.json'
    manifest = json.dumps([{
        'Config': name, 'RepoTags': [tag],
        'Layers': [digest + '/layer.tar']}]).encode()
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode='w') as outer:
        for path, data in ((name, config), ('manifest.json', manifest), (
                digest + '/layer.tar', files.getvalue())):
            member = tarfile.TarInfo(path)
            member.size = len(data)
            outer.addfile(member, io.BytesIO(data))
    return made.getvalue()
