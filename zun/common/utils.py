# SPDX-License-Identifier: Apache-2.0
"""Small rules that the API, the scheduler and the drivers share."""

import base64
import binascii
from typing import Any

from zun.common import exception
from zun.common import image_reference
import zun.conf

CONF = zun.conf.CONF

DEFAULT_TAG = 'latest'
DEFAULT_PULL_POLICY = 'always'


def parse_image_name(image: str, driver: str | None = None,
                     registry: Any = None) -> tuple[str, str]:
    """Return the repository and the tag that an image's name means.

    A repository without a domain gets that of the registry, else that of
    ``[docker] default_registry``. A digest is left out. Images of Glance
    have neither domains nor tags.

    :param driver: image driver; None is ``default_image_driver``
    :param registry: object with a ``domain``, or None
    :raises zun.common.exception.InvalidReference: the name is no name
    """
    reference = image_reference.parse(image)
    if (driver or CONF.default_image_driver) == 'glance':
        return reference.name, ''
    repository = reference.name
    domain = registry.domain if registry else CONF.docker.default_registry
    if domain and not reference.domain:
        repository = f'{domain}/{repository}'
    return repository, reference.tag or DEFAULT_TAG


def get_image_pull_policy(policy: str | None, tag: str | None) -> str:
    """Return when an image is pulled if its request says nothing.

    :param tag: has no influence: any tag may have moved
    """
    return policy or DEFAULT_PULL_POLICY


def should_pull_image(policy: str | None, present: bool) -> bool:
    """Tell whether a node has to pull an image it may already have."""
    if policy == 'ifnotpresent':
        return not present
    return policy == 'always'


def parse_floating_cpu(spec: str) -> set[int]:
    """Return the processors that a list such as ``1-3,5`` names.

    :raises zun.common.exception.Invalid: the list is empty or malformed, or
        a range does not go upwards
    """
    processors: set[int] = set()
    for part in spec.split(','):
        first, dash, last = part.partition('-')
        try:
            if not dash:
                processors.add(int(first))
                continue
            start, end = int(first), int(last)
        except ValueError:
            raise exception.Invalid()
        if start >= end:
            raise exception.Invalid()
        processors.update(range(start, end + 1))
    return processors


def get_floating_cpu_set() -> set[int] | None:
    """Return the processors of ``floating_cpu_set``; None if it is empty.

    :raises zun.common.exception.Invalid: see :func:`parse_floating_cpu`
    """
    if not CONF.floating_cpu_set:
        return None
    return parse_floating_cpu(CONF.floating_cpu_set)


def encode_file_data(data: str | bytes) -> str:
    """Return the content of a file in Base64."""
    if isinstance(data, str):
        data = data.encode('utf-8')
    return base64.b64encode(data).decode('ascii')


def decode_file_data(data: str | bytes) -> bytes:
    """Return the content of a file that is given in Base64.

    Characters that are none of Base64 are passed over.

    :raises zun.common.exception.Base64Exception: it cannot be decoded
    """
    try:
        return base64.b64decode(data)
    except (TypeError, ValueError, binascii.Error):
        raise exception.Base64Exception()


def safe_rstrip(value: Any, chars: str | None = None) -> Any:
    """Return a text without ``chars`` at its end, what is no text as it is.

    A text of nothing but ``chars`` stays as it is too.
    """
    if not isinstance(value, str):
        return value
    return value.rstrip(chars) or value


def one_line(error: BaseException) -> str:
    """The first line of what an error says, or its name."""
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__
