# SPDX-License-Identifier: Apache-2.0
"""How capsules are shown.

Rows (dictionaries of columns) become documents; nothing here reads the
database.  Up to 1.31 a capsule has another form, see :func:`legacy`.
"""

from zun.api.controllers import link
from zun.api.controllers.v1.views import containers_view
from zun.api import utils
from zun.common import consts

KEYS = (
    'uuid', 'user_id', 'project_id', 'created_at', 'updated_at',
    'addresses', 'status', 'status_reason', 'restart_policy', 'name',
    'labels', 'annotations', 'memory', 'cpu', 'host',
)

# Columns that the answers need.
COLUMNS = frozenset(KEYS + ('id',))
MEMBER_KEYS = containers_view.KEYS
MEMBER_COLUMNS = frozenset(MEMBER_KEYS + ('capsule_id', 'container_type'))


def visible_keys(context) -> tuple[str, ...]:
    """The keys that the policies `capsule:get:<key>` let the caller see."""
    return utils.visible_keys(context, 'capsule:get:', KEYS)


def format_capsule(context, url: str, row: dict, members: list[dict],
                   registries: dict[int, str]) -> dict:
    """A capsule's row, and those of its containers, as a document.

    :param url: scheme and host of links.
    :param registries: registry id to uuid.
    """
    shown = {key: row[key] for key in visible_keys(context)}
    keys = containers_view.visible_keys(context)
    for name, kind in (('containers', consts.TYPE_CAPSULE_CONTAINER),
                       ('init_containers',
                        consts.TYPE_CAPSULE_INIT_CONTAINER)):
        shown[name] = [
            containers_view.format_container(member, keys, registries)
            for member in members if member['container_type'] == kind]
    shown['links'] = link.resource_links(url, 'capsules', row['uuid'])
    return shown


def legacy(shown: dict) -> dict:
    """The form of a capsule up to 1.31."""
    shown = dict(shown)
    shown['meta_name'] = shown.pop('name')
    shown['meta_labels'] = shown.pop('labels')
    policy = shown.pop('restart_policy')
    if policy:
        shown['restart_policy'] = policy.get('Name')
    shown.update(volumes_info={}, containers_uuids=[],
                 init_containers_uuids=[], capsule_version='')
    return shown
