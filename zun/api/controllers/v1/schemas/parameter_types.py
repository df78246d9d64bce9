# SPDX-License-Identifier: Apache-2.0
"""JSON Schema of the values that requests hold.

The order of keys is the order in which errors print them, so it is part of
the API.  Bounds that the configuration sets are read when this module is
imported, i.e. once a process.
"""

import signal as signals

import zun.conf

CONF = zun.conf.CONF

_NAME = '^[a-zA-Z0-9][a-zA-Z0-9_.-]+$'
_REFERENCE = '[a-zA-Z0-9][a-zA-Z0-9_.-]'
_HOST = '^[a-zA-Z0-9-._]*$'
_WORDS = '[a-zA-Z- ,+]*'

boolean = {
    'type': ['boolean', 'string'],
    'enum': [True, 'True', 'true', False, 'False', 'false'],
}

boolean_extended = {
    'type': ['boolean', 'string'],
    'enum': [True, 'True', 'TRUE', 'true', '1', 'ON', 'On', 'on',
             'YES', 'Yes', 'yes',
             False, 'False', 'FALSE', 'false', '0', 'OFF', 'Off', 'off',
             'NO', 'No', 'no'],
}

non_negative_integer = {
    'type': ['integer', 'string'],
    'pattern': '^[0-9]*$',
    'minimum': 0,
}

positive_integer = {
    'type': ['integer', 'string'],
    'pattern': '^[0-9]*$',
    'minimum': 1,
}

string = {'type': ['string']}

string_or_none = {'type': ['string', 'null']}


def _text(kind, low: int, high: int, pattern: str) -> dict:
    return {'type': kind, 'minLength': low, 'maxLength': high,
            'pattern': pattern}


# -- names and references ----------------------------------------------

container_name = _text(['string', 'null'], 2, 255, _NAME)

registry = _text(['string'], 2, 255, _NAME)

registry_name = registry

image_name = _text('string', 2, 255, _REFERENCE)

repo = image_name

image_host = image_name

tag = _text(['string', 'null'], 2, 255, _REFERENCE)

image_id = tag

neutron_net_id = tag

network_name = tag

host = _text('string', 1, 255, _HOST)

# The limits of 2 and 63 that a host name has elsewhere don't hold here.
hostname = host

availability_zone = {
    'type': ['string', 'null'],
    'minLength': 1,
    'maxLength': 255,
}

security_group = {
    'type': 'string',
    'minLength': 1,
    'maxLength': 255,
}

security_groups = {
    'type': ['array', 'null'],
    'items': security_group,
}

# -- sizes -------------------------------------------------------------

cpu = {
    'type': ['number', 'string', 'null'],
    'pattern': r'^[0-9]*(\.([0-9]+))?$',
    'minLength': 1,
    'minimum': CONF.minimum_cpus,
    'maximum': CONF.maximum_cpus,
}

cpu_policy = {'type': 'string', 'enum': ['dedicated', 'shared']}

memory = {
    'type': ['string', 'integer', 'null'],
    'minimum': CONF.minimum_memory,
    'maximum': CONF.maximum_memory,
    'pattern': '^[0-9]+$',
}

disk = {
    'type': ['string', 'integer', 'null'],
    'minimum': CONF.minimum_disk,
    'maximum': CONF.maximum_disk,
    'pattern': '^[0-9]+$',
}

size = {
    'type': ['string', 'integer', 'null'],
    'pattern': '^[0-9]+[b|B|k|K|m|M|g|G]?$',
}

volume_size = {
    'type': ['number'],
    'pattern': '^[0-9]*$',
    'minLength': 1,
}

# -- what a container runs ---------------------------------------------

command = {'type': ['array', 'null']}

legacy_command = string_or_none

entrypoint = {'type': ['array', 'null']}

workdir = string_or_none

environment = {
    'type': ['object', 'null'],
    'patternProperties': {'.+': {'type': ['string']}},
}

labels = {'type': ['object', 'null']}

hints = {'type': ['object', 'null']}

auto_remove = {'type': ['boolean', 'null']}

runtime = string_or_none

image_driver = {
    'type': ['string', 'null'],
    'enum': CONF.image_driver_list[:] + [None, 'None'],
}

image_pull_policy = {
    'type': ['string', 'null'],
    'enum': ['never', 'always', 'ifnotpresent',
             'Never', 'Always', 'IfNotPresent', None],
}

restart_policy = {
    'type': ['object', 'null'],
    'properties': {
        'Name': {
            'type': ['string'],
            'enum': ['no', 'always', 'on-failure', 'unless-stopped'],
        },
        'MaximumRetryCount': {
            'type': ['integer', 'string', 'null'],
            'minimum': 0,
            'pattern': '^[0-9]+$',
        },
    },
    'additionalProperties': False,
    'required': ['Name'],
}

# `items` says nothing about an object, so any object passes.
healthcheck = {
    'type': ['object', 'null'],
    'items': {
        'type': 'object',
        'properties': {
            'cmd': {'type': ['string'], 'minLength': 1, 'maxLength': 255},
            'interval': {'type': ['integer', 'null']},
            'retries': {'type': ['integer', 'null']},
            'timeout': {'type': ['integer', 'null']},
        },
        'additionalProperties': False,
    },
}

exposed_ports = {'type': ['object', 'null']}

nets = {
    'type': ['array', 'null'],
    'items': {
        'type': 'object',
        'properties': {
            'network': {'type': ['string'], 'minLength': 1,
                        'maxLength': 255},
            'v4-fixed-ip': {'type': ['string'], 'format': 'ipv4'},
            'v6-fixed-ip': {'type': ['string'], 'format': 'ipv6'},
            'port': {'type': ['string'], 'maxLength': 255, 'minLength': 1},
        },
        'additionalProperties': False,
        'oneOf': [{'required': ['network']}, {'required': ['port']}],
    },
}

mounts = {
    'type': ['array', 'null'],
    'items': {
        'type': 'object',
        'properties': {
            'type': {'type': ['string']},
            'source': {'type': ['string']},
            'destination': {'type': ['string']},
            'size': {'type': ['string', 'integer']},
        },
        'additionalProperties': False,
        'anyOf': [{'required': ['source', 'destination']},
                  {'required': ['size', 'destination']}],
    },
}

# -- arguments of actions ----------------------------------------------

exec_command = {'type': ['string'], 'minLength': 1}

exec_id = {
    'type': 'string',
    'maxLength': 64,
    'minLength': 64,
    'pattern': '^[a-f0-9]*$',
}

logs_tail = {'type': ['string', 'integer', 'null']}

logs_since = {
    'type': ['string', 'integer', 'null'],
    'pattern': '(^[0-9]*$)|([0-9]{4}-[0-9]{2}-[0-9]{2} '
               '[0-9]{2}:[0-9]{2}:[0-9]{2},[0-9]{1,3})',
}

string_ps_args = {'type': ['string'], 'pattern': _WORDS}

repository = {'type': ['string'], 'pattern': _WORDS}

commit_tag = repository

network = {'type': ['string'], 'minLength': 1, 'maxLength': 255}

port = {'type': ['string'], 'maxLength': 255, 'minLength': 1}

fixed_ip = {
    'type': ['string'],
    'oneOf': [{'format': 'ipv4'}, {'format': 'ipv6'}],
}

# The signals in the order of their numbers, and how each may be written.
SIGNALS = {name: getattr(signals, name).value for name in (
    'SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGILL', 'SIGTRAP', 'SIGABRT', 'SIGBUS',
    'SIGFPE', 'SIGKILL', 'SIGUSR1', 'SIGSEGV', 'SIGUSR2', 'SIGPIPE',
    'SIGALRM', 'SIGTERM', 'SIGSTKFLT', 'SIGCHLD', 'SIGCONT', 'SIGSTOP',
    'SIGTSTP', 'SIGTTIN', 'SIGTTOU', 'SIGURG', 'SIGXCPU', 'SIGXFSZ',
    'SIGVTALRM', 'SIGPROF', 'SIGWINCH', 'SIGIO', 'SIGPWR', 'SIGSYS',
    'SIGRTMIN', 'SIGRTMAX')}


def _spellings(name: str, number: int) -> list[str]:
    short = name.removeprefix('SIG')
    return [name, short, name.lower(), short.lower(), str(number)]


signal = {
    'type': ['string', 'null'],
    'enum': ['None'] + [spelling for item in SIGNALS.items()
                        for spelling in _spellings(*item)],
}
