# SPDX-License-Identifier: Apache-2.0
"""Images on nodes.

Kubernetes pulls images for Pods and removes them as it likes; images by
themselves are the business of a node's agent.
"""

from zun.common import exception
from zun.common.i18n import _
from zun.compute import container_actions as actions
from zun.compute.operations import events
from zun.container import errors


def pull(context, image) -> None:
    """Pull an image to the node of its row.

    :raises AgentNeeded: no agent runs there.
    """
    raise errors.AgentNeeded(
        operation=_('Pulling image %s') % image.repo,
        why=_('Kubernetes pulls images for containers alone'))


def delete(context, image) -> None:
    """Forget an image; its node removes it when it needs the room."""
    image.destroy(context, image.uuid)


def search(context, image: str, image_driver_name: str | None,
           exact_match: bool, registry) -> list:
    """Look an image up where it comes from.

    :raises Conflict: the registries of this cloud cannot be asked.
    """
    raise exception.Conflict(_(
        'Image %s cannot be looked up: no registry of this cloud can be '
        'asked for images.') % image)


def commit_needs_agent(container) -> errors.AgentNeeded:
    """The answer to a commit where no agent runs."""
    return errors.AgentNeeded(
        operation=_('Committing container %s') % container.uuid,
        why=_('Kubernetes cannot make images'))


def commit_failed(context, container, exc: Exception) -> None:
    """Take note of a commit that failed."""
    events.Report(context, container, actions.COMMIT).fail(
        exc, missed=events.COMMIT)
