# SPDX-License-Identifier: Apache-2.0
"""The version of the installed package."""

from pbr import version

version_info = version.VersionInfo('zun')


def version_string() -> str:
    """Return the version, such as ``19.0.0`` or ``19.0.0.dev12``."""
    return version_info.version_string_with_vcs()
