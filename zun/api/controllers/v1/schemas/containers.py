# SPDX-License-Identifier: Apache-2.0
"""What requests about containers may hold.

The order of the keys is the order in which errors are looked for.
"""

from zun.api.controllers.v1.schemas import parameter_types as types
from zun.api import microversions


def _object(properties: dict, **rest) -> dict:
    return {'type': 'object', 'properties': properties, **rest,
            'additionalProperties': False}


_legacy_properties = {
    'name': types.container_name,
    'image': types.image_name,
    'command': types.legacy_command,
    'cpu': types.cpu,
    'cpu_policy': types.cpu_policy,
    'memory': types.memory,
    'workdir': types.workdir,
    'auto_remove': types.auto_remove,
    'image_pull_policy': types.image_pull_policy,
    'labels': types.labels,
    'environment': types.environment,
    'restart_policy': types.restart_policy,
    'interactive': types.boolean,
    'tty': types.boolean,
    'image_driver': types.image_driver,
    'security_groups': types.security_groups,
    'hints': types.hints,
    'mounts': types.mounts,
    'nets': types.nets,
    'runtime': types.runtime,
    'hostname': types.hostname,
    'disk': types.disk,
    'availability_zone': types.availability_zone,
    'auto_heal': types.boolean,
    'privileged': types.boolean,
    'healthcheck': types.healthcheck,
    'exposed_ports': types.exposed_ports,
    'registry': types.registry,
}

_properties = {**_legacy_properties, 'command': types.command}

_properties_with_host = {**_properties, 'host': types.host}

_properties_with_entrypoint = {**_properties_with_host,
                               'entrypoint': types.entrypoint}

_REQUIRED = {'allOf': [
    {'required': ['image']},
    {'not': {'required': ['security_groups', 'exposed_ports']}},
]}

# First version of a form of the body of POST /v1/containers.  There is one
# `post`; this table chooses what it accepts.
CREATE_BY_VERSION = (
    ('1.1', _object(_legacy_properties, required=['image'])),
    ('1.20', _object(_properties, **_REQUIRED)),
    ('1.39', _object(_properties_with_host, **_REQUIRED)),
    ('1.40', _object(_properties_with_entrypoint, **_REQUIRED)),
)


def create_schema(version: microversions.Version) -> dict:
    """The schema of a body of POST /v1/containers."""
    return [schema for first, schema in CREATE_BY_VERSION
            if microversions.version(first) <= version][-1]


query_create = _object({'run': types.boolean_extended})

container_update = _object({
    'cpu': types.cpu,
    'memory': types.memory,
    'name': types.container_name,
    'auto_heal': types.boolean,
})

query_delete = _object({
    'force': types.boolean_extended,
    'stop': types.boolean_extended,
    'all_projects': types.boolean_extended,
})

query_rename = _object({'name': types.container_name})

query_reboot = _object({'timeout': types.non_negative_integer})

query_stop = query_reboot

query_logs = _object({
    'stdout': types.boolean_extended,
    'stderr': types.boolean_extended,
    'timestamps': types.boolean_extended,
    'tail': types.logs_tail,
    'since': types.logs_since,
})

query_execute = _object({
    'run': types.boolean,
    'interactive': types.boolean,
    'command': types.exec_command,
})

query_execute_resize = _object({
    'exec_id': types.exec_id,
    'h': types.positive_integer,
    'w': types.positive_integer,
})

kill = _object({'signal': types.signal})

query_resize = _object({
    'h': types.positive_integer,
    'w': types.positive_integer,
})

query_top = _object({'ps_args': types.string_ps_args})

query_commit = _object({
    'repository': types.repository,
    'tag': types.commit_tag,
}, required=['repository'])

security_group = _object({'name': types.security_group})

query_network_detach = {
    'type': 'object',
    'oneOf': [{'required': ['network']}, {'required': ['port']}],
    'properties': {
        'network': types.security_group,
        'port': types.security_group,
    },
    'additionalProperties': False,
}

network_attach = {
    'type': 'object',
    'properties': {
        'network': types.network,
        'port': types.port,
        'fixed_ip': types.fixed_ip,
    },
    'additionalProperties': False,
    'not': {'required': ['port', 'network']},
}
