# SPDX-License-Identifier: Apache-2.0
"""Options of osprofiler."""

from osprofiler import opts as profiler

GROUP = 'profiler'


def register_opts(conf):
    profiler.set_defaults(conf)


def list_opts():
    return {GROUP: [opt for group, opts in profiler.list_opts()
                    if str(group) == GROUP for opt in opts]}
