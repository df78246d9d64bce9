# SPDX-License-Identifier: Apache-2.0
"""How images are shown."""

from zun.api.controllers import link

KEYS = ('uuid', 'image_id', 'repo', 'tag', 'size', 'project_id', 'host')


def format_image(url: str, image: dict) -> dict:
    """A row of `image` as an image; `url` is scheme and host."""
    shown = {key: image[key] for key in KEYS}
    shown['links'] = link.resource_links(url, 'images', image['uuid'])
    return shown
