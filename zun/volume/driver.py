# SPDX-License-Identifier: Apache-2.0
"""Volumes of containers."""

import abc
import base64
import functools
import typing

import stevedore
import stevedore.exception

from zun.common import exception
from zun.common.i18n import _
import zun.conf
from zun.container import driver as container_driver
from zun.volume import cinder_api

CONF = zun.conf.CONF

_AVAILABLE = 'available'
_IN_USE = 'in-use'


class Readiness(typing.NamedTuple):
    """Whether a wanted state is reached, or never will be."""

    done: bool
    hopeless: bool = False


class VolumeDriver(abc.ABC):
    """A provider of volumes (``volume.volume_provider``)."""

    @abc.abstractmethod
    def available(self, context, volmap) -> Readiness:
        """Whether a volume can be attached now."""

    @abc.abstractmethod
    def attach(self, context, volmap, host: str) -> None:
        """Make a volume reachable from a host; may be repeated."""

    @abc.abstractmethod
    def mount(self, volmap) -> container_driver.Mount:
        """How a container sees an attached volume."""

    @abc.abstractmethod
    def detach(self, context, volmap) -> None:
        """Undo :meth:`attach`; what is undone already is no error."""

    @abc.abstractmethod
    def delete(self, context, volmap) -> None:
        """Delete a volume that was made for its container."""

    @abc.abstractmethod
    def deleted(self, context, volmap) -> Readiness:
        """Whether the volume is gone."""


class Local(VolumeDriver):
    """A file whose contents came with the request.

    It lives in the database, and in a Secret while its container does.
    """

    def available(self, context, volmap) -> Readiness:
        return Readiness(True)

    def attach(self, context, volmap, host: str) -> None:
        """Nothing: the contents go with the container."""

    def mount(self, volmap) -> container_driver.Mount:
        contents = base64.b64decode(volmap.contents or '')
        return container_driver.Mount(volmap.uuid, volmap.container_path,
                                      contents=contents)

    def detach(self, context, volmap) -> None:
        """Nothing: the contents go with the container."""

    def delete(self, context, volmap) -> None:
        """Nothing: the contents go with their row."""

    def deleted(self, context, volmap) -> Readiness:
        return Readiness(True)


class Cinder(VolumeDriver):
    """Volumes of the Block Storage service."""

    def available(self, context, volmap) -> Readiness:
        volume = cinder_api.CinderAPI(context).get(volmap.cinder_volume_id)
        status = volume.get('status')
        if status == _IN_USE and volume.get('multiattach'):
            return Readiness(True)
        return Readiness(status == _AVAILABLE, hopeless=status == 'error')

    def attach(self, context, volmap, host: str) -> None:
        """Refuse: nodes have no way to a volume's data.

        :raises Invalid: always.
        """
        raise exception.Invalid(_(
            'Volume %s cannot be attached: no node of this cluster is set '
            'up for volumes of the Block Storage service.')
            % volmap.cinder_volume_id)

    def mount(self, volmap) -> container_driver.Mount:
        return container_driver.Mount(volmap.uuid, volmap.container_path,
                                      claim='zun-%s' % volmap.volume.uuid)

    def detach(self, context, volmap) -> None:
        """Nothing: no volume was attached."""

    def delete(self, context, volmap) -> None:
        cinder_api.CinderAPI(context).delete_volume(volmap.cinder_volume_id)

    def deleted(self, context, volmap) -> Readiness:
        try:
            volume = cinder_api.CinderAPI(context).get(
                volmap.cinder_volume_id)
        except exception.VolumeNotFound:
            return Readiness(True)
        return Readiness(False,
                         hopeless=volume.get('status') == 'error_deleting')


@functools.cache
def load_volume_driver(name: str) -> VolumeDriver:
    """The driver of a provider in ``[volume] driver_list``.

    :raises Invalid: it is not in the list, or not installed.
    """
    if name in CONF.volume.driver_list:
        try:
            return stevedore.DriverManager('zun.volume.driver', name,
                                           invoke_on_load=True).driver
        except stevedore.exception.NoMatches:
            raise exception.Invalid(
                _('Volume driver %s is not installed.') % name)
    raise exception.Invalid(
        _('Volume provider %(name)s is none of [volume] driver_list: '
          '%(all)s.') % {'name': name,
                         'all': ', '.join(CONF.volume.driver_list)})
