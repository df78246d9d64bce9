# SPDX-License-Identifier: Apache-2.0
"""All options of the service, for the sample generator."""

from oslo_config import cfg

from zun import conf

# What a sample file is generated from: group (or its name) and options.
GroupOpts = tuple[cfg.OptGroup | str, list[cfg.Opt]]


def list_opts() -> list[GroupOpts]:
    """Return each group with its options, every group once."""
    merged: dict[str, GroupOpts] = {}
    for module in conf.MODULES:
        for group, opts in module.list_opts().items():
            merged.setdefault(str(group), (group, []))[1].extend(opts)
    return list(merged.values())
