# SPDX-License-Identifier: Apache-2.0
"""/v1/hosts: the compute hosts."""

import pecan

from zun.api.controllers import base
from zun.api.controllers.v1 import collection
from zun.api.controllers.v1.views import hosts_view
from zun.api import utils
from zun.common import policy
from zun.db import api as db_api


def _find(context, ident: str) -> dict:
    """The row of a host, by uuid or host name.

    :raises ComputeNodeNotFound: no host has it
    """
    if utils.is_uuid_like(ident):
        return db_api.get_compute_node(context, ident)
    return db_api.get_compute_node_by_hostname(context, ident)


class HostController(base.Controller):
    """Shows hosts; administrators only."""

    @base.Controller.api_version('1.4')
    def get_all(self, **kwargs):
        """A page of the hosts."""
        context = pecan.request.context
        policy.enforce(context, 'host:get_all')
        paging = utils.Paging(kwargs, sort_key='hostname')
        resource_url = utils.single(kwargs.get('resource_url'),
                                    'resource_url')
        marker = paging.marker and _find(context, paging.marker)['uuid']
        rows = db_api.list_compute_nodes(
            context, limit=paging.limit, marker=marker,
            sort_key=paging.sort_key, sort_dir=paging.sort_dir,
            columns=hosts_view.KEYS)
        url = (pecan.request.host_url if resource_url is None else
               resource_url)
        return collection.page(
            'hosts', [hosts_view.format_host(url, row) for row in rows],
            paging.limit, resource=resource_url, sort_key=paging.sort_key,
            sort_dir=paging.sort_dir)

    @base.Controller.api_version('1.4')
    def get_one(self, host_ident, **kwargs):
        """One host."""
        context = pecan.request.context
        policy.enforce(context, 'host:get')
        return hosts_view.format_host(pecan.request.host_url,
                                      _find(context, host_ident))
