# SPDX-License-Identifier: Apache-2.0
"""JSON bodies of the answers."""

import datetime
import json

from oslo_serialization import jsonutils


def _plain(value):
    # As the reference prints times: "YYYY-MM-DD hh:mm:ss[.ffffff]".
    if isinstance(value, datetime.datetime):
        return str(value)
    return jsonutils.to_primitive(value)


_encode = json.JSONEncoder(default=_plain, check_circular=False).encode


def to_json(document) -> str:
    """A document as JSON text; times as text without a zone."""
    return _encode(document)


class JsonRenderer:
    """Pecan's renderer of ``expose('json')`` methods."""

    def __init__(self, path, extra_vars):
        pass

    def render(self, template_path, namespace):
        return to_json(namespace)
