# SPDX-License-Identifier: Apache-2.0
"""From Cinder's connection information to a PersistentVolume's source.

Nothing here does any input or output. Each translator takes the ``data``
of a connection and is found by its ``driver_volume_type``.
"""

import typing

import stevedore
import stevedore.exception

from zun.common import exception
from zun.common.i18n import _

NAMESPACE = 'zun.volume.translators'

_FILE_SYSTEM = 'ext4'


class Source(typing.NamedTuple):
    """The part of a PersistentVolume that says where its data is.

    :ivar spec: merged into the PersistentVolume's ``spec``.
    :ivar secret: plain values of the Secret that ``spec`` refers to.
    :ivar secret_type: of that Secret.
    :ivar on_node: only the node that the volume is attached to has it.
    """

    spec: dict
    secret: dict[str, str] | None = None
    secret_type: str = 'Opaque'
    on_node: bool = False


def local(data: dict, secret: dict) -> Source:
    """A directory or block device of the node; the kubelet refuses files."""
    return Source({'local': {'path': _need(data, 'local', 'device_path')}},
                  on_node=True)


def iscsi(data: dict, secret: dict) -> Source:
    """A LUN, with all its portals where it has several."""
    portal = _need(data, 'iscsi', 'target_portal')
    found = {'targetPortal': portal,
             'iqn': _need(data, 'iscsi', 'target_iqn'),
             'lun': int(_need(data, 'iscsi', 'target_lun')),
             'fsType': _FILE_SYSTEM}
    others = [item for item in data.get('target_portals') or ()
              if item != portal]
    if others:
        found['portals'] = others
    if data.get('auth_method') != 'CHAP':
        return Source({'iscsi': found})
    found.update(chapAuthSession=True, secretRef=secret)
    return Source({'iscsi': found}, {
        'node.session.auth.username': _need(data, 'iscsi', 'auth_username'),
        'node.session.auth.password': _need(data, 'iscsi', 'auth_password'),
    }, 'kubernetes.io/iscsi-chap')


def fibre_channel(data: dict, secret: dict) -> Source:
    """A LUN behind one or several world wide names."""
    names = _need(data, 'fibre_channel', 'target_wwn')
    return Source({'fc': {
        'targetWWNs': [names] if isinstance(names, str) else list(names),
        'lun': int(_need(data, 'fibre_channel', 'target_lun')),
        'fsType': _FILE_SYSTEM}})


def nfs(data: dict, secret: dict) -> Source:
    """Refuse: the volume is one file among those of other projects.

    Kubernetes mounts exports as a whole, which would show them all.

    :raises Invalid: always.
    """
    raise exception.Invalid(_(
        'Volumes of type nfs are files of a shared export, which Kubernetes '
        'cannot mount apart: use a volume type of another back end.'))


def translate(connection: dict, secret: dict) -> Source:
    """The source of a volume.

    :param connection: Cinder's ``connection_info``.
    :param secret: name and namespace of the Secret for credentials.
    :raises Invalid: a type without translator, or a value is missing.
    """
    kind = connection.get('driver_volume_type')
    try:
        found = stevedore.DriverManager(NAMESPACE, kind).driver
    except stevedore.exception.NoMatches:
        raise exception.Invalid(_(
            'Volumes of type %(kind)s cannot be mounted: install a '
            'translator of that name in the entry points %(group)s, or use '
            'another volume type.') % {'kind': kind, 'group': NAMESPACE})
    return found(connection.get('data') or {}, secret)


def _need(data, kind, key):
    value = data.get(key)
    if value is None or value in ('', []):
        raise exception.Invalid(_(
            'The connection information of a volume of type %(kind)s has '
            'no %(key)s.') % {'kind': kind, 'key': key})
    return value
