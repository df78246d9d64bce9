# SPDX-License-Identifier: Apache-2.0
"""What was plugged into which sandbox, kept in files.

A file is on the disk before anything is plugged and goes after all was
unplugged, so that whoever comes later, after a crash or a restart of the
node too, knows what to look for.
"""

import dataclasses
import json
import os
import pathlib
import threading
import time

from oslo_log import log as logging

from zun.cni import vifs

LOG = logging.getLogger(__name__)

_BOOT_ID = pathlib.Path('/proc/sys/kernel/random/boot_id')
_SUFFIX = '.json'


def boot_id() -> str:
    """What this run of the node is called."""
    return _BOOT_ID.read_text().strip()


def namespace_id(status: os.stat_result) -> str:
    """What tells one network namespace from another."""
    return '%d:%d' % (status.st_dev, status.st_ino)


@dataclasses.dataclass
class Attachment:
    """A sandbox and its interfaces.

    :ivar sandbox: the runtime's id.
    :ivar network: name of the CNI network.
    :ivar pod: namespace, name and uid.
    :ivar instance: uuid of the container or capsule.
    :ivar netns_path: of the network namespace, as the runtime says.
    :ivar netns_id: of :func:`namespace_id`.
    :ivar is_visible: this process sees the namespace at that path.
    :ivar interfaces: by their name in the sandbox, the first one first.
    :ivar boot: see :func:`boot_id`.
    :ivar since: when it was made, in seconds since the epoch.
    """

    sandbox: str
    network: str
    pod: tuple[str, str, str]
    instance: str
    netns_path: str
    netns_id: str
    is_visible: bool
    interfaces: dict[str, vifs.VIF] = dataclasses.field(
        default_factory=dict)
    boot: str = dataclasses.field(default_factory=boot_id)
    since: float = dataclasses.field(default_factory=time.time)

    @property
    def uid(self) -> str:
        return self.pod[2]

    def is_dead(self) -> bool:
        """Whether the sandbox is certainly gone."""
        if self.boot != boot_id():
            return True
        return self.is_visible and not self._is_there()

    def open_namespace(self) -> int | None:
        """The network namespace as an open file, None if it is not seen."""
        if self.boot != boot_id() or not self._is_there():
            return None
        return os.open(self.netns_path, os.O_RDONLY | os.O_CLOEXEC)

    def _is_there(self):
        try:
            status = os.stat(self.netns_path)
        except FileNotFoundError:
            return False
        return namespace_id(status) == self.netns_id

    def to_json(self) -> str:
        found = {field.name: getattr(self, field.name)
                 for field in dataclasses.fields(self)}
        found['interfaces'] = [[name, vif.document] for name, vif in
                               self.interfaces.items()]
        return json.dumps(found)

    @classmethod
    def from_json(cls, text: str) -> 'Attachment':
        found = json.loads(text)
        found['pod'] = tuple(found['pod'])
        found['interfaces'] = {name: vifs.parse(document) for
                               name, document in found['interfaces']}
        return cls(**found)


class Store:
    """All attachments of the node; safe to share between threads.

    :param folder: made if it is not there.
    """

    def __init__(self, folder: str):
        self._folder = pathlib.Path(folder)
        self._lock = threading.Lock()
        self._found: dict[str, Attachment] = {}
        self._owners: dict[str, str] = {}

    def load(self) -> None:
        """Read what an earlier process has left."""
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        read = []
        for file in sorted(self._folder.glob('*' + _SUFFIX)):
            try:
                read.append(Attachment.from_json(file.read_text()))
            except (ValueError, KeyError, TypeError, vifs.Unusable) as error:
                LOG.error('%(file)s cannot be read and is passed over: '
                          '%(error)r', {'file': file, 'error': error})
        for attachment in sorted(read, key=lambda item: item.since):
            self._keep(attachment)

    def _keep(self, attachment):
        """Whoever got a port last owns it."""
        self._found[attachment.sandbox] = attachment
        for vif in attachment.interfaces.values():
            self._owners[vif.id] = attachment.sandbox

    def get(self, sandbox: str) -> Attachment | None:
        with self._lock:
            return self._found.get(sandbox)

    def all(self) -> list[Attachment]:
        with self._lock:
            return list(self._found.values())

    def of_pod(self, uid: str) -> list[Attachment]:
        return [item for item in self.all() if item.uid == uid]

    def owns(self, sandbox: str, port_id: str) -> bool:
        """Whether no later sandbox has got the port."""
        with self._lock:
            return self._owners.get(port_id, sandbox) == sandbox

    def save(self, attachment: Attachment) -> None:
        """Keep an attachment; it is on the disk when this returns."""
        file = self._file(attachment.sandbox)
        fresh = file.with_suffix('.new')
        with open(fresh, 'w', opener=_private) as stream:
            stream.write(attachment.to_json())
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(fresh, file)
        self._sync_folder()
        with self._lock:
            self._keep(attachment)

    def forget(self, sandbox: str) -> None:
        self._file(sandbox).unlink(missing_ok=True)
        with self._lock:
            self._found.pop(sandbox, None)
            self._owners = {port: owner for port, owner in
                            self._owners.items() if owner != sandbox}

    def _file(self, sandbox):
        return self._folder / (sandbox + _SUFFIX)

    def _sync_folder(self):
        folder = os.open(self._folder, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _private(path, flags):
    return os.open(path, flags, 0o600)
