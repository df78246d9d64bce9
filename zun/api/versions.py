# SPDX-License-Identifier: Apache-2.0
"""The version document of the service root and the version headers."""

from zun.api.controllers import link
from zun.api import microversions

Header = microversions.Header


def v1_document(host_url: str) -> dict:
    """How the root describes the v1 API."""
    return {
        'id': 'v1',
        'links': [link.make_link('self', host_url, 'v1', '',
                                 bookmark=True)],
        'status': 'CURRENT',
        'max_version': str(microversions.MAX_VERSION),
        'min_version': str(microversions.MIN_VERSION),
    }


def version_range_headers() -> dict[str, str]:
    """The headers that tell the range of versions served."""
    return {Header.MIN_VERSION: microversions.MIN_VERSION.header,
            Header.MAX_VERSION: microversions.MAX_VERSION.header}


def version_headers(version: microversions.Version) -> dict[str, str]:
    """The headers of an answer given in a version."""
    headers = version_range_headers()
    headers[Header.VERSION] = version.header
    headers['Vary'] = Header.VERSION
    return headers
