# SPDX-License-Identifier: Apache-2.0
"""Pages of resources."""

import pecan

from zun.api.controllers import link


def next_link(count: int, last: str | None, limit: int, resource: str,
              url: str, **kwargs) -> str | None:
    """The link to the next page.

    There is one whenever the page is exactly full, even when nothing
    follows.  Filters of the request aren't part of it.

    :param count: how many resources are on this page.
    :param last: the identifier of the last one.
    :param kwargs: parameters to carry over, in their order.
    """
    if not count or count != limit:
        return None
    query = ''.join('%s=%s&' % item for item in kwargs.items())
    args = '?%slimit=%d&marker=%s' % (query, limit, last)
    return link.build_url(resource, args, url)


def page(name: str, items: list[dict], limit: int,
         resource: str | None = None, ident: str = 'uuid',
         **kwargs) -> dict:
    """A page: ``{name: [...], 'next': <url or None>}``.

    :param resource: the path of `next`, the collection's name by default.
    :param ident: the member of an item that a marker names.
    :param kwargs: parameters that `next` carries over.
    """
    last = items[-1].get(ident) if items else None
    return {name: items,
            'next': next_link(len(items), last, limit, resource or name,
                              pecan.request.host_url, **kwargs)}
