# SPDX-License-Identifier: Apache-2.0
"""From a template to the objects of a capsule."""

import typing as ty

from oslo_log import log
from oslo_utils import uuidutils

from zun.api.controllers.v1 import capsule_template
from zun.common import consts
from zun.common import exception
from zun.common.i18n import _
from zun.common import name_generator
from zun.common import policy
import zun.conf
from zun.db import api as db_api
from zun import objects
from zun.volume import cinder_api

CONF = zun.conf.CONF
LOG = log.getLogger(__name__)

CINDER = 'cinder'

# What a new container of a capsule has where the template says nothing.
EMPTY = {
    'addresses': {}, 'command': [], 'entrypoint': [], 'environment': {},
    'exposed_ports': {}, 'healthcheck': {}, 'labels': {}, 'ports': [],
    'security_groups': [],
}

# Random names that are tried for a member.
NAME_ATTEMPTS = 50


class CapsuleVolume(ty.NamedTuple):
    """A volume of a capsule: its row, and whether it was made for it."""

    name: str
    row: 'objects.Volume'
    made: bool


def build_capsule(context, template: capsule_template.CapsuleTemplate
                  ) -> 'objects.Capsule':
    """The unsaved object of a capsule, without its containers.

    :raises InvalidCapsuleTemplate: a label or a request has a wrong type
    """
    metadata = template.metadata
    cpu, memory = capsule_template.total(template.containers,
                                         template.init_containers)
    given = {name: metadata[name] for name in ('name', 'labels',
                                               'annotations')
             if metadata.get(name) is not None}
    with _template_errors():
        return objects.Capsule(
            context, uuid=uuidutils.generate_uuid(),
            project_id=context.project_id, user_id=context.user_id,
            status=consts.CREATING, cpu=cpu, memory=str(memory), disk=0,
            cpu_policy='shared', runtime=None,
            restart_policy=capsule_template.restart_policy(
                template.restart_policy),
            **given)


def build_members(context, template: capsule_template.CapsuleTemplate,
                  capsule: 'objects.Capsule') -> tuple[list, list]:
    """The unsaved objects of a capsule's containers.

    :returns: init containers and containers, in the template's order
    :raises InvalidCapsuleTemplate: a value has a wrong type
    """
    restart_policy = capsule_template.member_restart_policy(
        capsule.restart_policy, bool(template.init_containers))
    names: set[str] = set()
    return tuple(
        [_build_member(context, kind, container,
                       _member_name(capsule, names), restart_policy)
         for container in containers]
        for kind, containers in (
            (objects.CapsuleInitContainer, template.init_containers),
            (objects.CapsuleContainer, template.containers)))


def _build_member(context, kind, container: dict, name: str,
                  restart_policy: dict):
    cpu, memory = capsule_template.requests(container)
    values = {
        'image': container['image'],
        'command': capsule_template.command(container),
        'environment': container.get('environment'),
        'workdir': container.get('workdir'),
        'interactive': bool(container.get('interactive')),
        'tty': bool(container.get('tty')),
        'exposed_ports': capsule_template.exposed_ports(
            container.get('ports')),
        'cpu': cpu,
        'memory': None if memory is None else str(memory),
    }
    with _template_errors():
        return kind(
            context, uuid=uuidutils.generate_uuid(),
            project_id=context.project_id, user_id=context.user_id,
            name=name, status=consts.CREATING,
            restart_policy=dict(restart_policy),
            image_pull_policy=_image_pull_policy(context, container),
            **EMPTY | {name: value for name, value in values.items()
                       if value is not None})


def _member_name(capsule, taken: set[str]) -> str:
    """A name that no other member has, unless there are hundreds.

    :param taken: the names of the others, to which it is added
    """
    name = capsule.name if capsule.obj_attr_is_set('name') else None
    generator = name_generator.NameGenerator()
    for _attempt in range(NAME_ATTEMPTS):
        member = 'capsule-%s-%s' % (name or capsule.uuid,
                                    generator.generate())
        if member not in taken:
            break
    taken.add(member)
    return member


def _image_pull_policy(context, container: dict) -> str:
    """When to pull an image: as wanted, if the caller may choose.

    A wish that the policy does not grant is not refused: the image is
    always pulled then.
    """
    wanted = container.get('image_pull_policy', 'always')
    if wanted is None:
        raise exception.InvalidCapsuleTemplate(
            'imagePullPolicy need to be a string')
    if not policy.enforce(context, 'container:create:image_pull_policy',
                          do_raise=False):
        return 'always'
    return str(wanted).lower()


class _template_errors:
    """What an object refuses is an error of the template."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind, error, traceback) -> None:
        if isinstance(error, (TypeError, ValueError)):
            raise exception.InvalidCapsuleTemplate(
                'A value of the template has a wrong type: %s'
                % error) from error


# -- volumes ---------------------------------------------------------------
def create_volumes(context, template: capsule_template.CapsuleTemplate
                   ) -> list[CapsuleVolume]:
    """Look up or make the volumes of a capsule and write their rows.

    When one fails, the volumes made for those before it are deleted; rows
    stay, as the reference leaves them, and mean nothing without a mapping.

    :raises VolumeNotFound, VolumeNotUsable, VolumeInUse,
        VolumeCreateFailed: a volume cannot be had.
    :raises Invalid: a volume is not mounted by any container
    """
    volumes: list[CapsuleVolume] = []
    cinder = cinder_api.CinderAPI(context)
    mounted = _mounted_names(template)
    try:
        for wanted in template.volumes:
            volumes.append(_create_volume(context, cinder, wanted))
            # Told before those that follow are asked for.
            if wanted['name'] not in mounted:
                raise exception.Invalid(
                    _('volume mount parameters is invalid.'))
    except Exception:
        delete_volumes(context, volumes)
        raise
    return volumes


def _create_volume(context, cinder, wanted: dict) -> CapsuleVolume:
    options = wanted[CINDER]
    made = not options.get('volumeID')
    if made:
        volume = cinder.create_volume(options['size'])
    else:
        volume = cinder.search_volume(options['volumeID'])
        cinder.ensure_volume_usable(volume)
    row = objects.Volume(
        context, cinder_volume_id=volume['id'], volume_provider=CINDER,
        auto_remove=made and bool(options.get('autoRemove')),
        project_id=context.project_id, user_id=context.user_id)
    row.create(context)
    return CapsuleVolume(wanted['name'], row, made)


def _mounted_names(template: capsule_template.CapsuleTemplate) -> set[str]:
    mounted: set[str] = set()
    for container in template.init_containers + template.containers:
        mounted.update(capsule_template.mounts_by_name(container))
    return mounted


def delete_volumes(context, volumes: list[CapsuleVolume]) -> None:
    """Delete the Cinder volumes that were made for a capsule."""
    cinder = cinder_api.CinderAPI(context)
    for volume in volumes:
        if not volume.made:
            continue
        try:
            cinder.delete_volume(volume.row.cinder_volume_id)
        except Exception as error:
            # The error that brought us here is the one to report.
            LOG.warning('Volume %(id)s was made for a capsule that failed '
                        'and cannot be deleted: %(error)s',
                        {'id': volume.row.cinder_volume_id, 'error': error})


def forget_volumes(context, volumes: list[CapsuleVolume]) -> None:
    """Delete what :func:`create_volumes` made, the rows too."""
    delete_volumes(context, volumes)
    with db_api.writer(context):
        for volume in volumes:
            volume.row.destroy(context)


def map_volumes(context, containers: list[dict], members: list,
                volumes: list[CapsuleVolume]) -> dict[str, list]:
    """Which volume each container mounts where.

    :returns: container uuid to unsaved VolumeMappings; containers without
        a mount are left out
    """
    mappings: dict[str, list] = {}
    for container, member in zip(containers, members):
        paths = capsule_template.mounts_by_name(container)
        found = [
            objects.VolumeMapping(
                context, volume_id=volume.row.id, container_path=path,
                project_id=context.project_id, user_id=context.user_id)
            for volume in volumes for path in paths.get(volume.name, ())]
        if found:
            mappings[member.uuid] = found
    return mappings
