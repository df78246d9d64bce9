# SPDX-License-Identifier: Apache-2.0
"""/v1/images: images on hosts and in registries."""

from oslo_utils import strutils
import pecan

from zun.api.controllers import base
from zun.api.controllers import link
from zun.api.controllers.v1 import collection
from zun.api.controllers.v1.schemas import images as schema
from zun.api.controllers.v1.views import images_view
from zun.api import utils
from zun.api import validation
from zun.common import exception
from zun.common.i18n import _
from zun.common import policy
from zun.common import utils as common_utils
from zun.compute import api as compute_api
import zun.conf
from zun.db import api as db_api
from zun import objects

CONF = zun.conf.CONF


def _find(context, image_id: str) -> objects.Image:
    """An image by uuid; administrators see all projects'.

    :raises ImageNotFound: none that the context may see has it
    """
    if context.is_admin:
        context.all_projects = True
    if not utils.is_uuid_like(image_id):
        raise exception.ImageNotFound(image=image_id)
    return objects.Image.get_by_uuid(context, image_id)


def _host_name(context, ident: str) -> str:
    """The name of a host, from its uuid or name.

    :raises InvalidValue: there is no such host
    """
    try:
        if utils.is_uuid_like(ident):
            return db_api.get_compute_node(context, ident)['hostname']
        return db_api.get_compute_node_by_hostname(context,
                                                   ident)['hostname']
    except exception.ComputeNodeNotFound:
        raise exception.InvalidValue(
            _('The host %s does not exist.') % ident)


class ImagesController(base.Controller):
    """Shows, pulls, deletes and searches images."""

    _custom_actions = {
        'search': ['GET'],
    }

    @base.Controller.api_version('1.1')
    def get_all(self, **kwargs):
        """A page of the images on hosts."""
        context = pecan.request.context
        policy.enforce(context, 'image:get_all')
        paging = utils.Paging(kwargs)
        resource_url = utils.single(kwargs.get('resource_url'),
                                    'resource_url')
        rows = db_api.list_images(
            context, limit=paging.limit, marker=paging.marker,
            sort_key=paging.sort_key, sort_dir=paging.sort_dir,
            columns=images_view.KEYS)
        url = (pecan.request.host_url if resource_url is None else
               resource_url)
        return collection.page(
            'images', [images_view.format_image(url, row) for row in rows],
            paging.limit, resource=resource_url, sort_key=paging.sort_key,
            sort_dir=paging.sort_dir)

    @base.Controller.api_version('1.1')
    def get_one(self, image_id, **kwargs):
        """One image."""
        context = pecan.request.context
        image = _find(context, image_id)
        policy.enforce(context, 'image:get_one')
        return self._shown(image)

    @base.Controller.api_version('1.1')
    @validation.enforce_content_types(('application/json',))
    @validation.validated(schema.image_create)
    def post(self, **image_dict):
        """Pull an image to a host."""
        context = pecan.request.context
        policy.enforce(context, 'image:pull')
        host = _host_name(context, image_dict['host'])
        repo, tag = common_utils.parse_image_name(image_dict['repo'])
        image = objects.Image(
            context, project_id=context.project_id, user_id=context.user_id,
            repo=repo, tag=tag, host=host,
            **{name: image_dict[name] for name in ('image_id', 'size')
               if image_dict.get(name) is not None})
        with db_api.writer(context):
            image.pull(context)
            compute_api.API(context).image_pull(context, image, host)
        pecan.response.location = link.build_url(
            'images', image.uuid, pecan.request.host_url)
        pecan.response.status = 202
        return self._shown(image)

    @base.Controller.api_version('1.1')
    def delete(self, image_id, **kwargs):
        """Remove an image from its host."""
        context = pecan.request.context
        policy.enforce(context, 'image:delete')
        image = _find(context, image_id)
        compute_api.API(context).image_delete(context, image, image.host)

    @base.Controller.api_version('1.1')
    @validation.validated_query(schema.query_param_search)
    def search(self, image, image_driver=None, exact_match=False, **kwargs):
        """Images that a registry or the image service has."""
        context = pecan.request.context
        policy.enforce(context, 'image:search')
        driver = utils.string_or_none(image_driver)
        return compute_api.API(context).image_search(
            context, image, driver or CONF.default_image_driver,
            strutils.bool_from_string(exact_match, strict=True))

    @staticmethod
    def _shown(image) -> dict:
        row = {key: getattr(image, key, None) for key in images_view.KEYS}
        return images_view.format_image(pecan.request.host_url, row)
