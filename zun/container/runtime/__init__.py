# SPDX-License-Identifier: Apache-2.0
"""Container runtimes of a node, spoken to by the agent alone."""

import stevedore.driver

from zun.container.runtime import base


def load_runtime(name: str, endpoint: str) -> base.Runtime:
    """The runtime driver of that name, connected to its endpoint."""
    return stevedore.driver.DriverManager(
        'zun.container.runtime', name, invoke_on_load=True,
        invoke_args=(endpoint,)).driver
