# SPDX-License-Identifier: Apache-2.0
"""JSON Schema (draft 4) as this API reads it.

`minimum` and `maximum` also hold for strings that are numbers; the formats
`ipv4` and `ipv6` are checked.  The text of errors is jsonschema's.
"""

import jsonschema
from jsonschema import validators

from zun.common import exception
from zun.common.i18n import _

FIELD = _("Invalid input for field '%(name)s'.Value: '%(value)s'. "
          "%(message)s")
QUERY_PARAMETER = _("Invalid input for query parameters '%(name)s'. Value: "
                    "'%(value)s'. %(message)s")


def _number(instance):
    """The number that a string holds; anything else as it is."""
    if not isinstance(instance, str):
        return instance
    for kind in (int, float):
        try:
            return kind(instance)
        except ValueError:
            continue
    return instance


def _minimum(validator, minimum, instance, schema):
    instance = _number(instance)
    return jsonschema.Draft4Validator.VALIDATORS['minimum'](
        validator, minimum, instance, schema)


def _maximum(validator, maximum, instance, schema):
    instance = _number(instance)
    return jsonschema.Draft4Validator.VALIDATORS['maximum'](
        validator, maximum, instance, schema)


def _is_text(_checker, instance) -> bool:
    return isinstance(instance, str)


# "unicode" is a type that the reference names beside "string".
_Validator = validators.extend(
    jsonschema.Draft4Validator, {'minimum': _minimum, 'maximum': _maximum},
    type_checker=jsonschema.Draft4Validator.TYPE_CHECKER.redefine(
        'unicode', _is_text))


class SchemaValidator:
    """One compiled schema.

    :param field_template: the message of an error within a field; an error
        of the whole document is reported as jsonschema words it.
    """

    def __init__(self, schema: dict, field_template: str = FIELD) -> None:
        self._validator = _Validator(
            schema,
            format_checker=jsonschema.Draft4Validator.FORMAT_CHECKER)
        self._template = field_template

    def validate(self, document: dict) -> None:
        """Check a document.

        :raises SchemaValidationError: for the first error, in the order of
            the schema's keys.
        """
        for error in self._validator.iter_errors(document):
            raise exception.SchemaValidationError(
                detail=self._message(error))

    def _message(self, error) -> str:
        if not error.path:
            return error.message
        # The text of the error names the rest of the path.
        return self._template % {'name': error.path.pop(),
                                 'value': error.instance,
                                 'message': error}
