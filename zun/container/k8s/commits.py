# SPDX-License-Identifier: Apache-2.0
"""Images made of containers, in the agent of their node."""

import contextlib
import typing
import uuid

from zun.common import consts
from zun.common.i18n import _
from zun.common.k8s import errors as k8s_errors
from zun.container import errors
from zun.container.k8s import layers
from zun.container.k8s import names
from zun.container.runtime import base as runtime_base

_PREFIX = 'zun.local/commit/'


class Commits(layers.Layers):
    """The archive of a container's files as an image."""

    def export(self, context, container, out: typing.BinaryIO,
               name: str) -> None:
        """See :meth:`zun.container.driver.ContainerDriver.export`."""
        found = self.get_pod(container)
        if self.runtime is None:
            raise errors.AgentNeeded(
                operation=_('Committing container %s') % container.uuid,
                why=_('Kubernetes cannot make images'))
        try:
            self._export(container, found, out, name)
        except runtime_base.RuntimeUnavailable as exc:
            raise k8s_errors.Unavailable(
                _('the runtime of the node does not answer: %s') % exc)

    def _export(self, container, found, out, name):
        inside = self.place(container).container
        box = self.runtime.find(found['metadata']['uid'], inside)
        if box is None:
            kept = layers.kept_of(found)
            image = kept.images.get(inside) if kept else None
            if image is None:
                raise errors.NotRunning(container=container.uuid)
            self.runtime.export_archive(image, out, name)
            return
        made = '%s%s:%s' % (_PREFIX, container.uuid, uuid.uuid4().hex)
        try:
            with self._frozen(container, box):
                self.runtime.commit(
                    box.id, made, {names.CONTAINER: container.uuid},
                    unpack=False)
            self.runtime.export_archive(made, out, name)
        finally:
            self.runtime.remove_image(made)

    @contextlib.contextmanager
    def _frozen(self, container, box):
        try:
            with self.runtime.paused(box.id):
                yield
        finally:
            if container.status == consts.RUNNING:
                # An agent that was killed has left it frozen.
                with contextlib.suppress(runtime_base.ContainerGone):
                    self.runtime.resume(box.id)
