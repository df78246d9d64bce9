# SPDX-License-Identifier: Apache-2.0
"""The v1 API: its resources and the choice of the microversion."""

import functools
import importlib

import pecan
from webob import exc

from zun.api.controllers import base
from zun.api.controllers import link
from zun.api import http_error
from zun.api import microversions
from zun.api import versions
from zun.common.i18n import _

# resource -> module and class below this package.  GET /v1 lists them.
RESOURCES = {
    'services': ('zun_services', 'ZunServiceController'),
    'containers': ('containers', 'ContainersController'),
    'images': ('images', 'ImagesController'),
    'networks': ('networks', 'NetworkController'),
    'hosts': ('hosts', 'HostController'),
    'availability_zones': ('availability_zones',
                           'AvailabilityZoneController'),
    'capsules': ('capsules', 'CapsuleController'),
    'quotas': ('quotas', 'QuotaController'),
    'quota_classes': ('quota_classes', 'QuotaClassController'),
    'registries': ('registries', 'RegistryController'),
}

SPECIFICATION = ('https://docs.openstack.org/developer/zun/dev/'
                 'api-spec-v1.html')


def _load(module: str, name: str) -> base.Controller:
    loaded = importlib.import_module('%s.%s' % (__name__, module))
    return getattr(loaded, name)()


@functools.cache
def _version_headers(version: microversions.Version) -> tuple:
    return tuple(versions.version_headers(version).items())


def requested_version(header: str | None) -> microversions.Version:
    """The version that a request wants.

    :raises HTTPNotAcceptable: a header that can't be read, or a version
        that isn't served (then with the headers that tell the range).
    """
    try:
        version = microversions.parse(header)
    except microversions.InvalidVersion as e:
        raise exc.HTTPNotAcceptable(str(e))
    if not microversions.is_served(version):
        raise http_error.explained(exc.HTTPNotAcceptable(
            _('Version %(version)s is not supported by the API. Minimum is '
              '%(min)s and maximum is %(max)s.') %
            {'version': version, 'min': microversions.MIN_VERSION,
             'max': microversions.MAX_VERSION},
            headers=versions.version_range_headers()))
    return version


class Controller(base.Controller):
    """Below /v1."""

    def __init__(self) -> None:
        self.sub_controllers = {name: _load(*where)
                                for name, where in RESOURCES.items()}

    @base.Controller.api_version('1.1')
    def get(self):
        """The resources of this version of the API."""
        url = pecan.request.host_url
        document = {'id': 'v1',
                    'media_types': [
                        {'base': 'application/json',
                         'type': 'application/vnd.openstack.zun.v1+json'}],
                    'links': [
                        link.make_link('self', url, 'v1', '', bookmark=True),
                        {'href': SPECIFICATION, 'rel': 'describedby',
                         'type': 'text/html'}]}
        for name in self.sub_controllers:
            document[name] = link.resource_links(url, name, '')
        return document

    @pecan.expose()
    def _route(self, args, request):
        version = requested_version(
            request.headers.get(microversions.Header.VERSION))
        request.version = version
        pecan.response.headers.update(_version_headers(version))
        return super()._route(args, request)
