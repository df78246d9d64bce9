# SPDX-License-Identifier: Apache-2.0
"""/v1/availability_zones: the zones that services are in."""

import pecan

from zun.api.controllers import base
from zun.api import utils
from zun.common import exception
from zun.common.i18n import _
from zun.common import policy
from zun.db import api as db_api


class AvailabilityZoneController(base.Controller):
    """Shows zones."""

    @base.Controller.api_version('1.1')
    def get_all(self, **kwargs):
        """The zones of the first services, each once.

        Zones have no identifiers, so that no page but the first can be
        named: a list that would have to go on is refused.
        """
        context = pecan.request.context
        policy.enforce(context, 'availability_zones:get_all')
        paging = utils.Paging(kwargs, sort_key='availability_zone')
        if paging.marker:
            raise exception.InvalidValue(
                _('Availability zones have no markers: leave marker out.'))
        rows = db_api.list_zun_services(
            context, limit=paging.limit, sort_key=paging.sort_key,
            sort_dir=paging.sort_dir)
        zones = dict.fromkeys(row['availability_zone'] for row in rows)
        if len(zones) == paging.limit:
            raise exception.InvalidValue(
                _('Availability zones have no pages: set limit to more than '
                  '%d or leave it out.') % paging.limit)
        return {'availability_zones': [{'availability_zone': zone}
                                       for zone in zones],
                'next': None}
