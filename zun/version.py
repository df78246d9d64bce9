# SPDX-License-Identifier: Apache-2.0
"""The version of the installed package."""

from importlib import metadata


def version_string() -> str:
    """Return the version of the installed distribution.

    A tree that is run without being installed has no metadata; it says so
    instead of failing to start.
    """
    try:
        return metadata.version('zun')
    except metadata.PackageNotFoundError:
        return 'unknown (not installed)'
