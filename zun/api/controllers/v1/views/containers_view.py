# SPDX-License-Identifier: Apache-2.0
"""How containers are shown.

Rows (dictionaries of columns) become documents; nothing here reads the
database.  What is shown depends on the caller's rights, not on the
microversion.
"""

from zun.api.controllers import link
from zun.api import utils as api_utils

# `registry_id` is shown as the registry's uuid, `links` added where wanted.
KEYS = (
    'uuid', 'user_id', 'project_id', 'name', 'image', 'command', 'status',
    'status_reason', 'task_state', 'cpu', 'memory', 'environment', 'workdir',
    'ports', 'hostname', 'labels', 'addresses', 'image_pull_policy', 'host',
    'restart_policy', 'status_detail', 'interactive', 'tty', 'image_driver',
    'security_groups', 'auto_remove', 'runtime', 'disk', 'auto_heal',
    'privileged', 'healthcheck', 'cpu_policy', 'registry_id', 'entrypoint',
    'created_at', 'updated_at',
)


def visible_keys(context) -> tuple[str, ...]:
    """The keys that the policies `container:get_one:<key>` let the caller
    see; the rights are the same for all rows of an answer.
    """
    return api_utils.visible_keys(context, 'container:get_one:', KEYS)


def format_container(row: dict, keys: tuple[str, ...],
                     registries: dict[int, str],
                     url: str | None = None) -> dict:
    """A container's row as a document.

    :param keys: see :func:`visible_keys`.
    :param registries: registry id to uuid.
    :param url: scheme and host of links; None: no links.
    """
    shown = {key: row[key] for key in keys}
    if 'registry_id' in shown:
        shown['registry_id'] = registries.get(shown['registry_id'])
    if url is not None:
        shown['links'] = link.resource_links(url, 'containers', row['uuid'])
    return shown
