# SPDX-License-Identifier: Apache-2.0
"""What can go wrong between Zun and the engine that runs containers."""

from zun.common import exception
from zun.common.i18n import _


class ContainerMissing(exception.NotFound):
    """The engine has no such container; somebody removed it."""

    message = _('No such container: %(container)s')


class StartFailed(exception.ZunException):
    """The container cannot run; ``reason`` is one word that says why.

    :ivar before_run: it failed before there was anything to run: no
        image, no room on the node.
    """

    message = _('%(text)s')

    def __init__(self, text: str, reason: str = '',
                 before_run: bool = False):
        super().__init__(text=text)
        self.reason = reason
        self.before_run = before_run
        self.transient = False


class AgentNeeded(exception.Conflict):
    """Kubernetes cannot do it, and no agent runs on the node."""

    message = _('%(operation)s needs zun-compute-agent on the node '
                'of the container: %(why)s')


class NotRunning(exception.Conflict):
    """The operation needs a running process."""

    message = _('Container %(container)s is not running')


class NotPaused(exception.Conflict):
    """There is nothing to thaw."""

    message = _('Container %(container)s is not paused')
