# SPDX-License-Identifier: Apache-2.0
"""Arguments and results of tasks as JSON.

Plain values stay as they are.  What JSON has no form for is an object with
one key that begins with ``$``:

``{"$ref": [name, uuid], "set": {...}}``
    a versioned object that is in the database; it is read again when the
    task runs.  ``set`` has the fields that were changed and not saved.
``{"$object": primitive}``
    a versioned object that is in no table yet.
``{"$encrypted": text}``
    the same, where it may hold a secret.
``{"$dict": [[key, value], ...]}``
    a dictionary whose keys are not all plain text.
``{"$tuple": [...]}``
    a tuple.
"""

import base64
import json
from typing import Any
import zlib

from oslo_versionedobjects import fields as ovo_fields

from zun.common import context as zun_context
from zun.common import crypt
from zun.objects import base

VERSION = 1

# What a task keeps of the context of its request: no token, no password.
CONTEXT_FIELDS = (
    'user_id', 'user_name', 'user_domain_id', 'user_domain_name',
    'project_id', 'project_name', 'project_domain_id', 'project_domain_name',
    'domain_id', 'domain_name', 'system_scope', 'roles', 'is_admin',
    'all_projects', 'show_deleted', 'request_id', 'global_request_id',
)

# Objects that hold contents of files or passwords.
SECRET_OBJECTS = frozenset(('VolumeMapping', 'Volume', 'Registry'))

MARK = '$'


def dump(context: zun_context.RequestContext,
         arguments: dict[str, Any]) -> str:
    """The arguments of an operation and who asks for it, as JSON.

    :raises TypeError: an argument has no form in JSON
    """
    identity = {name: getattr(context, name) for name in CONTEXT_FIELDS}
    return _to_json({'context': {name: value for name, value
                                 in identity.items() if value},
                     'arguments': {name: encode(value) for name, value
                                   in arguments.items()}})


def load_context(text: str) -> zun_context.RequestContext:
    """The context of the request that a task comes from."""
    identity = json.loads(text)['context']
    return zun_context.RequestContext(
        **{'is_admin': False, **identity})


def load_arguments(context: zun_context.RequestContext,
                   text: str) -> dict[str, Any]:
    """The arguments that :func:`dump` was given.

    :raises NotFound, HTTPNotFound: an object is in the database no more
    """
    return {name: decode(context, value) for name, value
            in json.loads(text)['arguments'].items()}


def dump_value(value: Any) -> str:
    """A result as JSON."""
    return _to_json(encode(value))


def load_value(context: zun_context.RequestContext, text: str | None) -> Any:
    """The result that :func:`dump_value` was given."""
    return None if text is None else decode(context, json.loads(text))


def _to_json(value: Any) -> str:
    return json.dumps(value, separators=(',', ':'))


def encode(value: Any) -> Any:
    """A value as JSON has it."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, base.ZunObject):
        return _encode_object(value)
    if isinstance(value, dict):
        return _encode_dict(value)
    if isinstance(value, tuple):
        return {'$tuple': [encode(item) for item in value]}
    if isinstance(value, list):
        return [encode(item) for item in value]
    raise TypeError('A task cannot carry a %s.' % type(value).__name__)


def _encode_dict(value: dict[Any, Any]) -> dict[str, Any]:
    if all(isinstance(key, str) and not key.startswith(MARK)
           for key in value):
        return {key: encode(item) for key, item in value.items()}
    return {'$dict': [[encode(key), encode(item)]
                      for key, item in value.items()]}


def _encode_object(value: base.ZunObject) -> dict[str, Any]:
    if _is_stored(value):
        reference = {'$ref': [value.obj_name(), value.uuid]}
        unsaved = _unsaved(value)
        if unsaved:
            reference['set'] = unsaved
        return reference
    primitive = value.obj_to_primitive()
    if value.obj_name() in SECRET_OBJECTS:
        packed = zlib.compress(_to_json(primitive).encode())
        return {'$encrypted': crypt.encrypt(base64.b64encode(packed))}
    return {'$object': primitive}


def _is_stored(value: base.ZunObject) -> bool:
    return ('uuid' in value.fields and 'id' in value.fields and
            value.obj_attr_is_set('id') and value.obj_attr_is_set('uuid'))


def _unsaved(value: base.ZunObject) -> dict[str, Any]:
    """Changed fields, but for those that hold other objects."""
    changed = {}
    for name in sorted(value.obj_what_changed()):
        field = value.fields[name]
        if not isinstance(field, (ovo_fields.ObjectField,
                                  ovo_fields.ListOfObjectsField)):
            changed[name] = field.to_primitive(value, name,
                                               getattr(value, name))
    return changed


def decode(context: zun_context.RequestContext, value: Any) -> Any:
    """The value that :func:`encode` was given.

    :raises NotFound, HTTPNotFound: an object is in the database no more
    """
    if isinstance(value, list):
        return [decode(context, item) for item in value]
    if not isinstance(value, dict):
        return value
    if '$ref' in value:
        return _read_again(context, *value['$ref'], value.get('set', {}))
    if '$encrypted' in value:
        packed = base64.b64decode(crypt.decrypt(value['$encrypted']))
        return _from_primitive(context, json.loads(zlib.decompress(packed)))
    if '$object' in value:
        return _from_primitive(context, value['$object'])
    if '$tuple' in value:
        return tuple(decode(context, item) for item in value['$tuple'])
    if '$dict' in value:
        return {decode(context, key): decode(context, item)
                for key, item in value['$dict']}
    return {key: decode(context, item) for key, item in value.items()}


def _read_again(context: zun_context.RequestContext, name: str, uuid: str,
                unsaved: dict[str, Any]) -> base.ZunObject:
    # Whoever asked was allowed to; by now the row may only be visible to an
    # administrator, who may have asked for another project's container.
    everywhere = context.elevated()
    everywhere.all_projects = True
    found = _class_of(name).get_by_uuid(everywhere, uuid)
    found._context = context
    for field, primitive in unsaved.items():
        setattr(found, field, found.fields[field].from_primitive(
            found, field, primitive))
    return found


def _class_of(name: str) -> type[base.ZunObject]:
    return base.ZunObjectRegistry.obj_classes()[name][0]


def _from_primitive(context: zun_context.RequestContext,
                    primitive: dict[str, Any]) -> base.ZunObject:
    return base.ZunObject.obj_from_primitive(primitive, context=context)
