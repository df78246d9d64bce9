# SPDX-License-Identifier: Apache-2.0
"""Images that the simulated nodes can pull.

An image has no files: its containers run this machine's programs. What is
simulated is its name, its defaults, its size and who may pull it.
"""

import base64
import dataclasses
import hashlib
import hmac
import json
import re
from typing import Any

_PATH = r'[a-z0-9]+(?:(?:[._]|__|[-]+)[a-z0-9]+)*'
_REFERENCE = re.compile(
    r'(?P<name>(?:[A-Za-z0-9.-]+(?::\d+)?/)?%s(?:/%s)*)'
    r'(?::(?P<tag>[A-Za-z0-9_][\w.-]{0,127}))?'
    r'(?:@(?P<digest>sha256:[0-9a-f]{64}))?' % (_PATH, _PATH))


@dataclasses.dataclass(frozen=True)
class Image:
    """One known image.

    ``name``: as users write it; without a tag every tag is known.
    ``credentials``: (user, password) needed to pull it, or None.
    ``files``: directory with the files of one made of a container.
    """

    name: str
    entrypoint: tuple[str, ...] = ()
    command: tuple[str, ...] = ('sh',)
    environment: tuple[tuple[str, str], ...] = ()
    workdir: str = ''
    size: int = 1036902
    credentials: tuple[str, str] | None = None
    files: str = ''


#: What a new cluster knows; the names of the lab's registries.
DEFAULT = (
    Image('busybox'),
    Image('alpine', command=('/bin/sh',)),
    Image('cirros', command=('sh', '-c', 'while :; do sleep 1; done')),
    Image('nginx', command=('sh', '-c', 'trap "exit 0" TERM QUIT; '
                            'while :; do sleep 1 & wait; done')),
    Image('127.0.0.1:5051/team/private',
          credentials=('puller', 'pull-secret')),
    Image('127.0.0.1:5051/team/web', credentials=('puller', 'pull-secret')),
)


class ImageError(Exception):
    """A pull that fails; ``reason`` is the container's waiting reason."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


def normalize(reference: str) -> str:
    """``docker.io/library/busybox:latest`` for ``busybox``.

    :raises ImageError: InvalidImageName.
    """
    found = _REFERENCE.fullmatch(reference)
    if not found:
        raise ImageError(
            'InvalidImageName', 'Failed to apply default image tag "%s": '
            'couldn\'t parse image name "%s": invalid reference format'
            % (reference, reference))
    name, tag, digest = found['name'], found['tag'], found['digest']
    domain, slash, rest = name.partition('/')
    if not slash or not ('.' in domain or ':' in domain or
                         domain == 'localhost'):
        name = 'docker.io/' + (name if slash else 'library/' + name)
    if digest:
        return '%s@%s' % (name, digest)
    return '%s:%s' % (name, tag or 'latest')


def digest(reference: str) -> str:
    """The digest of a normalized reference: always the same."""
    if '@' in reference:
        return reference.partition('@')[2]
    return 'sha256:' + hashlib.sha256(reference.encode()).hexdigest()


def repo_digest(reference: str) -> str:
    """``imageID`` as the kubelet shows it."""
    name = reference.partition('@')[0]
    if '@' not in reference:
        name = reference.rpartition(':')[0]
    return '%s@%s' % (name, digest(reference))


class Registry:
    """All images that can be pulled."""

    def __init__(self, known: tuple[Image, ...] = DEFAULT) -> None:
        self.images = list(known)

    def add(self, image: Image) -> None:
        """Make one more image known."""
        self.images.insert(0, image)

    def pull(self, reference: str, auths: list[dict[str, Any]]) -> Image:
        """The image of a normalized reference.

        :param auths: the ``auths`` maps of the Pod's pull secrets.
        :raises ImageError: ErrImagePull.
        """
        image = self.find(reference)
        if image is None:
            raise ImageError(
                'ErrImagePull', 'rpc error: code = NotFound desc = failed '
                'to pull and unpack image "%s": failed to resolve image: '
                '%s: not found' % (reference, reference))
        if image.credentials and not _allowed(image, reference, auths):
            raise ImageError(
                'ErrImagePull', 'failed to pull and unpack image "%s": '
                'failed to resolve image: failed to authorize: failed to '
                'fetch anonymous token: unexpected status from GET request: '
                '401 Unauthorized' % reference)
        return image

    def find(self, reference: str) -> Image | None:
        """The known image of a normalized reference."""
        name = re.split(r'@|:(?=[^/]*$)', reference)[0]
        for image in self.images:
            full = normalize(image.name)
            if full == reference:
                return image
            tagless = ':' not in image.name.split('/')[-1]
            if tagless and full.rpartition(':')[0] == name:
                return image
        return None


def _allowed(image: Image, reference: str, auths: list[dict[str, Any]]
             ) -> bool:
    domain = reference.partition('/')[0]
    wanted = ':'.join(image.credentials or ('', ''))
    for auth in auths:
        for server, entry in auth.items():
            host = server.partition('://')[2] or server
            if host.partition('/')[0] != domain:
                continue
            given = '%s:%s' % (entry.get('username', ''),
                               entry.get('password', ''))
            if 'auth' in entry:
                given = base64.b64decode(entry['auth']).decode()
            if hmac.compare_digest(given.encode(), wanted.encode()):
                return True
    return False


def secret_auths(secret: dict[str, Any]) -> dict[str, Any]:
    """The ``auths`` map of a ``kubernetes.io/dockerconfigjson`` Secret."""
    raw = (secret.get('data') or {}).get('.dockerconfigjson', '')
    try:
        return json.loads(base64.b64decode(raw)).get('auths') or {}
    except ValueError:
        return {}
