# SPDX-License-Identifier: Apache-2.0
"""Token validation that leaves the public routes open."""

import re

from keystonemiddleware import auth_token
from oslo_log import log

from zun.common import exception
from zun.common.i18n import _
import zun.conf

CONF = zun.conf.CONF
LOG = log.getLogger(__name__)


class AuthTokenMiddleware(auth_token.AuthProtocol):
    """keystonemiddleware's filter, except on public routes.

    :param conf: the filter's section, with the global part.
    :param public_api_routes: regular expressions of whole paths that need
        no token; a final '/' and '.json' don't matter.
    """

    def __init__(self, app, conf, public_api_routes=None):
        pattern = r'%s(\.json)?/?$'
        try:
            self.public_api_routes = [re.compile(pattern % route.rstrip('/'))
                                      for route in public_api_routes or []]
        except re.error as e:
            raise exception.ConfigInvalid(
                error_msg=_('acl_public_routes of the authtoken filter: '
                            '%s') % e)
        super().__init__(app, conf)

    def __call__(self, env, start_response):
        path = env.get('PATH_INFO', '')
        if any(route.match(path) for route in self.public_api_routes):
            return self._app(env, start_response)
        return super().__call__(env, start_response)

    @classmethod
    def factory(cls, global_config, **local_conf):
        """paste.filter_factory; `acl_public_routes` is split at commas."""
        routes = [route.strip() for route in
                  local_conf.get('acl_public_routes', '').split(',')]
        # The options of this process, from whatever files it was given;
        # oslo_config_project alone would look in the usual places only.
        conf = dict(global_config, oslo_config_config=CONF, **local_conf)

        def _factory(app):
            return cls(app, conf, public_api_routes=routes)
        return _factory
