# SPDX-License-Identifier: Apache-2.0
"""How registries are shown."""

from zun.api.controllers import link

KEYS = ('uuid', 'user_id', 'project_id', 'name', 'domain', 'username')

# Stands for a password, whether there is one or not.
HIDDEN = '***'


def format_registry(url: str | None, registry: dict) -> dict:
    """A row of `registry` as a registry.

    :param url: scheme and host for the links; None or '' leaves them
        out, as lists do
    """
    shown = {key: registry[key] for key in KEYS}
    shown['password'] = HIDDEN
    if url:
        shown['links'] = link.resource_links(url, 'registries',
                                             registry['uuid'])
    return shown
