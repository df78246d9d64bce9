# SPDX-License-Identifier: Apache-2.0
"""Images on nodes, and images made of containers.

Kubernetes pulls images for Pods and removes them as it likes; images by
themselves are the business of a node's agent.
"""

import uuid

from oslo_log import log as logging

from zun.common import exception
from zun.common.i18n import _
from zun.compute import container_actions as actions
from zun.compute.operations import base
from zun.compute.operations import events
from zun.compute.operations import node
from zun.compute.operations import rows
from zun.compute.tasks import errors as task_errors
from zun.compute.tasks import queue
import zun.conf
from zun.container import errors
from zun.container.runtime import base as runtime_base
from zun.db import api as db_api
from zun.image.docker import driver as docker
from zun.image import driver as image_driver
from zun.image.glance import driver as glance
from zun.image.glance import images as glance_images
from zun.image.oci import archive

LOG = logging.getLogger(__name__)

CONF = zun.conf.CONF

FETCH = 'image_fetch'
UPLOAD = 'container_upload'
_LATEST = 'latest'
# Seconds for which a worker waits for a node before it turns to others.
_FETCH_SECONDS = 120
_TRIES = 'image_fetches'


class RuntimeAway(exception.ZunException):
    """The container runtime of the node does not answer now."""

    message = _('The container runtime of the node does not answer: '
                '%(reason)s')
    code = 503
    transient = True

    def __init__(self, exc: Exception):
        super().__init__(reason=str(exc))


def pull(parts: base.Parts, context, image) -> None:
    """Pull an image to the node of its row, and note down what it is.

    One that does not exist leaves the row as it is.

    :raises AgentNeeded: no agent runs there.
    """
    runtime = _runtime(parts, _('Pulling image %s') % image.repo,
                       _('Kubernetes pulls images for containers alone'))
    name = 'glance' if glance.is_meant(image.repo) else 'docker'
    driver = image_driver.load_image_driver(name)
    try:
        found = driver.pull(context, runtime, image.repo, image.tag)
    except runtime_base.RuntimeUnavailable as exc:
        raise RuntimeAway(exc)
    except runtime_base.RuntimeError as exc:
        raise exception.Conflict(
            _('Image %(image)s was not taken over: %(why)s')
            % {'image': image.repo, 'why': exc})
    if found is None:
        LOG.info('Image %s does not exist', image.repo)
        return
    if found.repo:
        image.repo = found.repo
    image.tag = found.tag or _LATEST
    image.image_id = found.image_id
    image.size = str(found.size)
    image.save(context)


def delete(parts: base.Parts, context, image) -> None:
    """Forget an image, and take it off its node unless it is in use.

    Its node removes one that is in use when it needs the room.
    """
    runtime = parts.driver.runtime
    if runtime is not None and image.image_id and (
            not _others(context, image)):
        try:
            runtime.discard(image.image_id, docker.reference(image.repo,
                                                             image.tag))
        except runtime_base.RuntimeError as exc:
            LOG.warning('Image %(image)s stays on the node: %(error)s',
                        {'image': image.image_id, 'error': exc})
    image.destroy(context, image.uuid)


def _others(context, image) -> bool:
    """Whether another row means the same image of the node."""
    everywhere = context.elevated()
    everywhere.all_projects = True
    return any(row['uuid'] != image.uuid for row in db_api.list_images(
        everywhere, filters={'image_id': image.image_id,
                             'host': image.host}))


def search(context, image: str, image_driver_name: str | None,
           exact_match: bool, registry) -> list:
    """Look an image up where it comes from.

    :raises Invalid: there is no such image driver.
    """
    name = image_driver_name or CONF.default_image_driver
    try:
        driver = image_driver.load_image_driver(name)
    except exception.ConfigInvalid as exc:
        raise exception.Invalid(str(exc))
    return driver.search(context, image, exact_match, registry)


# -- images of Glance on nodes ---------------------------------------------
def fetcher(parts: base.Parts, context, host: str | None
            ) -> image_driver.Fetch:
    """What gets images of Glance to a node, for its image driver."""
    def get(image: dict, only_look: bool) -> image_driver.OnNode | None:
        wanted = {key: image.get(key) for key in glance_images.KEYS}
        found = _asked(parts, context, host, wanted, only_look)
        return image_driver.OnNode(**found) if found else None
    return get


def fetch(parts: base.Parts, context, image: dict, only_look: bool
          ) -> dict | None:
    """Have an image of Glance on this node, in its agent.

    :returns: :class:`zun.image.driver.OnNode` as a mapping.
    """
    runtime = _runtime(parts, _('Using image %s of the Image service')
                       % image['name'], _('Kubernetes cannot import images'))
    try:
        found = glance.fetch(context, runtime, image, only_look)
    except runtime_base.RuntimeUnavailable as exc:
        raise RuntimeAway(exc)
    except runtime_base.RuntimeError as exc:
        raise exception.Conflict(
            _('Image %(image)s was not taken over: %(why)s')
            % {'image': image['id'], 'why': exc})
    return found._asdict() if found else None


def _asked(parts, context, host, image, only_look):
    if parts.driver.runtime is not None or (
            not node.has_agent(context, host)):
        return fetch(parts, context, image, only_look)
    journal = base.journal(context)
    journal.check()
    tries = journal.step_get(_TRIES, 0)
    asked = queue.enqueue(
        context, FETCH, {'image': image, 'only_look': only_look}, host=host,
        dedup_key='fetch:%s:%s:%d:%d' % (
            image['id'], journal.uuid, journal.attempt, tries))
    try:
        return queue.wait(context, asked, FETCH, _FETCH_SECONDS)
    except task_errors.TaskTimeout as exc:
        if tries * _FETCH_SECONDS > CONF.kubernetes.start_timeout:
            raise
        journal.step_put(_TRIES, tries + 1)
        raise task_errors.Retry(
            _('the agent of node %(host)s: %(why)s')
            % {'host': host, 'why': exc}, after=1.0)


# -- images of containers --------------------------------------------------
def commit(parts: base.Parts, context, container, repository: str,
           tag: str | None) -> dict:
    """Begin to make an image of a container.

    The image is made with the caller's token, so it is the caller's. The
    agent of the node goes on from there.

    :returns: ``{'uuid': ...}`` of the image.
    :raises AgentNeeded: no agent runs on the container's node.
    """
    if parts.driver.runtime is None and (
            not node.has_agent(context, container.host)):
        exc = _commit_needs_agent(container)
        upload_failed(context, container, exc, None)
        raise exc
    image_id = str(uuid.uuid4())
    own = bool(CONF.kubernetes.image_registry)
    if not own:
        image_id = glance_images.create(context, repository)
    try:
        queue.enqueue(
            context, UPLOAD, {
                'container': container, 'repository': repository,
                'tag': _tag(tag), 'image_id': None if own else image_id},
            host=container.host, lane=container.uuid)
    except Exception:
        if not own:
            glance_images.remove(context, image_id)
        raise
    return {'uuid': image_id}


def _tag(tag):
    # Clients have sent the word for a tag that is not set.
    return _LATEST if tag in (None, '', 'None') else tag


def upload(parts: base.Parts, context, container, repository: str, tag: str,
           image_id: str | None) -> None:
    """Make an image of a container and put it where it is wanted.

    :param image_id: in Glance; None: it goes to the deployment's registry.
    """
    report = events.Report(context, container, actions.COMMIT)
    with report.event(events.COMMIT):
        if not container.container_id:
            raise exception.Invalid(
                _('Cannot operate an uncreated container.'))
        base.journal(context).check()
        # An attempt that died may have put it there and not said so.
        if image_id is None or not glance_images.has_bytes(context,
                                                           image_id):
            _carry(parts, context, container, repository, tag, image_id)
    report.finish()


def _carry(parts, context, container, repository, tag, image_id):
    with glance_images.temporary_file() as (out, path):
        try:
            parts.driver.export(context, container, out,
                                '%s:%s' % (repository, tag))
        except errors.ContainerMissing as exc:
            raise rows.engine_lost(context, container, exc)
        out.flush()
        base.journal(context).check()
        if image_id is None:
            _push(container, repository, tag, path)
        else:
            glance_images.upload(context, image_id, tag, path)


def _push(container, repository, tag, path):
    place, folder = glance.own_registry()
    name = repository.rpartition('/')[2] if '.' in (
        repository.partition('/')[0]) else repository
    with open(path, 'rb') as source, archive.Archive(
            source, CONF.kubernetes.max_image_size) as opened:
        archive.push(opened, place, '%s%s/%s' % (
            folder, container.project_id, name), tag)


def upload_failed(context, container, exc: Exception,
                  image_id: str | None) -> None:
    """Take note of a commit that failed, and remove what it began."""
    if image_id is not None:
        glance_images.remove(context, image_id)
    events.Report(context, container, actions.COMMIT).fail(
        exc, missed=events.COMMIT)


def _commit_needs_agent(container):
    return errors.AgentNeeded(
        operation=_('Committing container %s') % container.uuid,
        why=_('Kubernetes cannot make images'))


def _runtime(parts, operation, why):
    if parts.driver.runtime is None:
        raise errors.AgentNeeded(operation=operation, why=why)
    return parts.driver.runtime
