# SPDX-License-Identifier: Apache-2.0
"""Links to resources: http://host/v1/<resource>/<argument>."""


def build_url(resource: str, resource_args: str, base_url: str,
              bookmark: bool = False) -> str:
    """The URL of a resource.

    :param resource_args: what follows the resource: an id, a query that
        starts with '?', or '' for the collection (which ends with '/').
    :param base_url: scheme and host, without a final '/'.
    :param bookmark: leave the version out.
    """
    template = '%(base)s/%(resource)s' if bookmark else \
        '%(base)s/v1/%(resource)s'
    template += '%(args)s' if resource_args.startswith('?') else '/%(args)s'
    return template % {'base': base_url, 'resource': resource,
                       'args': resource_args}


def make_link(rel_name: str, url: str, resource: str, resource_args: str,
              bookmark: bool = False, type: str | None = None) -> dict:
    """A link object; see :func:`build_url` for the arguments."""
    link = {'href': build_url(resource, resource_args, url,
                              bookmark=bookmark),
            'rel': rel_name}
    if type is not None:
        link['type'] = type
    return link


def resource_links(url: str, resource: str, ident: str) -> list[dict]:
    """The `self` and `bookmark` links of one resource."""
    return [make_link('self', url, resource, ident),
            make_link('bookmark', url, resource, ident, bookmark=True)]
