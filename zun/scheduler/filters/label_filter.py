# SPDX-License-Identifier: Apache-2.0
"""Hosts with the wanted labels."""

from zun.scheduler.filters import base

PREFIX = 'label:'


class LabelFilter(base.BaseHostFilter):
    """Each hint ``label:KEY = VALUE`` must be a label of the host."""

    def host_passes(self, host_state, container, extra_spec):
        hints = extra_spec.get('hints') or {}
        return all(host_state.labels.get(key[len(PREFIX):]) == value
                   for key, value in hints.items()
                   if key.startswith(PREFIX))
