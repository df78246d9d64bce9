# SPDX-License-Identifier: Apache-2.0
"""Names, labels and annotations of what Zun makes on a cluster."""

import hashlib
import re
import typing

DOMAIN = 'zun.openstack.org/'

# Labels: what Zun selects its own objects by.
MANAGED = DOMAIN + 'managed'
CONTAINER = DOMAIN + 'container'
GENERATION = DOMAIN + 'generation'
PROJECT = DOMAIN + 'project'
KIND = DOMAIN + 'kind'

# Annotations.
VIFS = DOMAIN + 'vifs'
USER_LABELS = DOMAIN + 'labels'
USER_ANNOTATIONS = DOMAIN + 'annotations'
RESTARTS = DOMAIN + 'restarts'
TOUCHED = DOMAIN + 'touched'
FURNISHED = DOMAIN + 'furnished'
# Of Multus: what a Pod gets in place of the cluster's network.
MULTUS_NETWORK = 'v1.multus-cni.io/default-network'
# What the agent has kept of a Pod that ended, and what the containers of
# a Pod that was made from such layers were first made from.
KEPT = DOMAIN + 'kept'
ORIGINS = DOMAIN + 'origins'

# Keeps a created container from running until it is started.
START_GATE = DOMAIN + 'start'

MANAGED_SELECTOR = MANAGED + '=true'
MAIN = 'main'

_LABEL = re.compile(r'[a-z0-9]([-a-z0-9]*[a-z0-9])?\Z')
_POD_NAME = re.compile(r'zun-(?P<uuid>[0-9a-f-]{36})-(?P<generation>\d+)\Z')
_LABEL_MAX = 63


class PodId(typing.NamedTuple):
    """What a row's ``container_id`` says: Pod, and container in it."""

    pod: str
    container: str
    generation: int


def pod_name(uuid: str, generation: int) -> str:
    return 'zun-%s-%d' % (uuid, generation)


def container_id(pod: str, container: str = MAIN) -> str:
    """The value of ``container.container_id`` for a container of a Pod."""
    return pod if container == MAIN else '%s/%s' % (pod, container)


def parse_container_id(value: str) -> PodId:
    """Split a ``container_id``; a foreign one is a Pod of generation 0."""
    pod, __, container = value.partition('/')
    match = _POD_NAME.match(pod)
    return PodId(pod, container or MAIN,
                 int(match.group('generation')) if match else 0)


def generation_of(pod: dict) -> int:
    """Generation of a Pod, from its label."""
    value = labels_of(pod).get(GENERATION, '')
    return int(value) if value.isdigit() else 0


def labels_of(document: dict) -> dict:
    return document['metadata'].get('labels') or {}


def annotations_of(document: dict) -> dict:
    return document['metadata'].get('annotations') or {}


def selector(uuid: str) -> str:
    """Label selector of all that belongs to a container or capsule."""
    return '%s,%s=%s' % (MANAGED_SELECTOR, CONTAINER, uuid)


def namespace(prefix: str, project_id: str) -> str:
    """Namespace of a project.

    Ids that are no part of a DNS label get one made from their hash.
    """
    name = prefix + project_id
    if len(name) <= _LABEL_MAX and _LABEL.match(name):
        return name
    return prefix + hashlib.sha256(project_id.encode()).hexdigest()[:32]


def label_value(text: str) -> str:
    """A text as the value of a label, or a hash of one that can't be."""
    if len(text) <= _LABEL_MAX and re.match(
            r'([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?\Z', text):
        return text
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def hostname(wanted: str | None, uuid: str) -> str:
    """Host name inside the container.

    Without a wish it is made from the uuid as Docker makes it from its
    own id. Kubernetes takes a DNS label alone: letters are made small
    and anything else becomes a dash.
    """
    name = re.sub(r'[^a-z0-9]+', '-', (wanted or '').lower())
    name = name[:_LABEL_MAX].strip('-')
    return name or uuid.replace('-', '')[:12]
