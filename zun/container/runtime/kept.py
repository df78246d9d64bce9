# SPDX-License-Identifier: Apache-2.0
"""Names of the images that are layers kept on a node.

Such an image says in its labels whose it is. A node may serve several
deployments, which the prefix of their namespaces tells apart.
"""

PREFIX = 'zun.local/kept/'
OWNER = 'zun.openstack.org/container'
DEPLOYMENT = 'zun.openstack.org/deployment'


def image_name(uuid: str, container: str, generation: int) -> str:
    """Name of the image that a container's layer is kept as.

    :param container: its name in the Pod.
    :param generation: of the Pod that has ended.
    """
    return '%s%s/%s:%d' % (PREFIX, uuid, container, generation)


def parse(name: str) -> tuple[str, int] | None:
    """(uuid, generation) of a kept layer; None for another image."""
    uuid, __, rest = name.removeprefix(PREFIX).partition('/')
    generation = rest.rpartition(':')[2]
    if not name.startswith(PREFIX) or not generation.isdigit():
        return None
    return uuid, int(generation)
