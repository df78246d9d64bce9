# SPDX-License-Identifier: Apache-2.0
"""The service root: ``GET /`` and the way into the versions below it."""

import pecan

from zun.api.controllers import base
from zun.api.controllers import v1
from zun.api import versions

DESCRIPTION = ('Zun is an OpenStack project which aims to provide '
               'containers service.')


class RootController(base.RestController):

    _versions = ('v1',)
    _default_version = 'v1'

    sub_controllers = {'v1': v1.Controller()}

    @pecan.expose('json')
    def get(self):
        """The versions of the API, for any version header."""
        document = versions.v1_document(pecan.request.host_url)
        return {'name': 'OpenStack Zun API',
                'description': DESCRIPTION,
                'versions': [document],
                'default_version': document}

    @pecan.expose()
    def _route(self, args, request):
        """A path without a version belongs to the default version."""
        if not args:
            pecan.abort(404)
        if args[0] and args[0] not in self._versions:
            args = [self._default_version] + args
        return super()._route(args, request)
