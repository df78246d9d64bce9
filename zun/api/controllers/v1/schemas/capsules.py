# SPDX-License-Identifier: Apache-2.0
"""What requests about capsules may hold.

The order of the keys is the order in which errors print them.
"""

from zun.api.controllers.v1.schemas import parameter_types

_words = {
    'type': ['array'],
    'items': {'type': ['string', 'null']},
}

_restart_policy = {
    'type': ['string'],
    'enum': ['Always', 'OnFailure', 'Never'],
}

_resources = {
    'type': ['object'],
    'properties': {
        'requests': {
            'type': ['object'],
            'properties': {
                'cpu': parameter_types.cpu,
                'memory': parameter_types.memory,
            },
            'additionalProperties': False,
        },
    },
    'additionalProperties': False,
}

_ports = {
    'type': ['array'],
    'items': {
        'type': 'object',
        'properties': {
            'name': parameter_types.container_name,
            'containerPort': parameter_types.non_negative_integer,
            'hostPort': parameter_types.non_negative_integer,
            'protocol': {'type': ['string'], 'enum': ['TCP', 'UDP']},
        },
        'additionalProperties': False,
        'required': ['containerPort'],
    },
}

_volume_mounts = {
    'type': ['array'],
    'items': {
        'type': 'object',
        'properties': {
            'name': parameter_types.registry_name,
            'mountPath': parameter_types.string,
            'readOnly': parameter_types.boolean,
        },
        'additionalProperties': False,
        'required': ['name', 'mountPath'],
    },
}

_containers = {
    'type': ['array'],
    'items': {
        'type': 'object',
        'properties': {
            'name': parameter_types.container_name,
            'image': parameter_types.image_name,
            'command': _words,
            'args': _words,
            'resources': _resources,
            'ports': _ports,
            'volumeMounts': _volume_mounts,
            'env': parameter_types.environment,
            'workDir': parameter_types.workdir,
            'imagePullPolicy': parameter_types.image_pull_policy,
            'stdin': parameter_types.boolean,
            'tty': parameter_types.boolean,
        },
        'additionalProperties': False,
        'required': ['image'],
    },
}

_volumes = {
    'type': ['array', 'null'],
    'items': {
        'type': 'object',
        'properties': {
            'name': parameter_types.registry_name,
            'cinder': {
                'type': 'object',
                'properties': {
                    'volumeID': {'type': 'string', 'maxLength': 36,
                                 'minLength': 36},
                    'size': parameter_types.volume_size,
                    'autoRemove': parameter_types.boolean,
                },
                'additionalProperties': False,
            },
        },
        'additionalProperties': True,
        'required': ['name', 'cinder'],
    },
}

# Init containers are not described: what they hold is checked by
# zun.api.controllers.v1.capsule_template.
_spec = {
    'type': ['object'],
    'properties': {
        'containers': _containers,
        'volumes': _volumes,
        'restartPolicy': _restart_policy,
    },
    'additionalProperties': True,
    'required': ['containers'],
}

_metadata = {
    'type': ['object'],
    'properties': {
        'labels': parameter_types.labels,
        'annotations': {'type': ['object', 'null']},
        'name': parameter_types.container_name,
    },
}

# "unicode" is what the reference names too; it is a string.
template = {
    'type': ['object', 'string', 'unicode'],
    'properties': {
        'kind': {'type': ['string'], 'enum': ['capsule', 'Capsule']},
        'capsuleVersion': {'type': ['string'], 'enum': ['beta', 'Beta']},
        'metadata': _metadata,
        'restartPolicy': _restart_policy,
        'spec': _spec,
        'availabilityZone': parameter_types.availability_zone,
    },
    'additionalProperties': False,
    'required': ['kind', 'spec', 'metadata'],
}

capsule_create = {
    'type': 'object',
    'properties': {
        'template': template,
    },
    'required': ['template'],
    'additionalProperties': False,
}
