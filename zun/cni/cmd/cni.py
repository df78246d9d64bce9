#!/usr/bin/python3 -IS
# SPDX-License-Identifier: Apache-2.0
"""zun-cni: what the container runtime runs for each sandbox.

Standard library alone, so that this file can be copied to a node's folder
of CNI plug-ins as it is, and starts in a few milliseconds. It hands the
request, with the sandbox's network namespace as an open file, to
zun-cni-daemon and prints its answer.

With ``delegate`` in its configuration it passes Pods of other namespaces
than Zun's to that plug-in. A Pod of a Zun namespace is never given to
another plug-in: without the daemon it fails, and is tried again.

https://github.com/containernetworking/cni/blob/spec-v1.1.0/SPEC.md
"""

import json
import os
import socket
import subprocess
import sys

VERSIONS = ('0.4.0', '1.0.0', '1.1.0')
DEFAULT_SOCKET = '/run/zun/cni.sock'
DEFAULT_PREFIX = 'zun-'
# Zun's own services are there, which are Pods like others.
DEFAULT_SERVICE_NAMESPACE = 'zun-system'
DEFAULT_TIMEOUT = 100

# Codes of the specification.
_INCOMPATIBLE, _ENVIRONMENT, _IO, _DECODE, _INVALID = 1, 4, 5, 6, 7
_TRY_AGAIN, _NOT_AVAILABLE = 11, 50

_COMMANDS = ('ADD', 'DEL', 'CHECK', 'STATUS', 'GC', 'VERSION')
# What must be in the environment, by command.
_NEEDED = {'ADD': ('CNI_CONTAINERID', 'CNI_NETNS', 'CNI_IFNAME'),
           'CHECK': ('CNI_CONTAINERID', 'CNI_NETNS', 'CNI_IFNAME'),
           'DEL': ('CNI_CONTAINERID', 'CNI_IFNAME')}
# Commands of version 1.1.0, which older plug-ins do not know.
_NEW_COMMANDS = ('STATUS', 'GC')


class Refused(Exception):
    """An error as the runtime gets it."""

    def __init__(self, code, message, details=''):
        super().__init__(message)
        self.code = code
        self.details = details


def arguments_of(environment):
    """``CNI_ARGS`` as a dictionary."""
    pairs = (pair.partition('=') for pair in
             environment.get('CNI_ARGS', '').split(';'))
    return {key: value for key, equals, value in pairs if equals}


def check_environment(environment):
    """The command.

    :raises Refused: a variable is missing or wrong.
    """
    command = environment.get('CNI_COMMAND', '')
    if command not in _COMMANDS:
        raise Refused(_ENVIRONMENT, 'CNI_COMMAND is %r, not one of %s' % (
            command, ', '.join(_COMMANDS)))
    missing = [name for name in _NEEDED.get(command, ())
               if not environment.get(name)]
    if missing:
        raise Refused(_ENVIRONMENT, '%s needs %s' % (
            command, ', '.join(missing)))
    return command


def read_configuration(stream):
    """The network configuration that the runtime writes.

    :raises Refused: it is no JSON object, or of an unknown version.
    """
    try:
        found = json.load(stream)
    except ValueError as error:
        raise Refused(_DECODE, 'the configuration is no JSON: %s' % error)
    if not isinstance(found, dict):
        raise Refused(_DECODE, 'the configuration is no JSON object')
    return found


def check_version(configuration):
    """:raises Refused: the configuration is of an unknown version."""
    version = configuration.get('cniVersion', '0.1.0')
    if version not in VERSIONS:
        raise Refused(_INCOMPATIBLE, 'cniVersion %s is not one of %s' % (
            version, ', '.join(VERSIONS)))


def is_zuns(configuration, environment):
    """Whether the Pod is in a namespace of Zun's projects."""
    namespace = arguments_of(environment).get('K8S_POD_NAMESPACE', '')
    return namespace.startswith(
        configuration.get('namespacePrefix', DEFAULT_PREFIX)
    ) and namespace != configuration.get('serviceNamespace',
                                         DEFAULT_SERVICE_NAMESPACE)


def delegated_configuration(configuration):
    """What the plug-in for other Pods is given."""
    inner = {'cniVersion': configuration['cniVersion'],
             **configuration['delegate'], 'name': configuration.get('name')}
    for key in ('prevResult', 'runtimeConfig', 'cni.dev/valid-attachments'):
        if key in configuration:
            inner[key] = configuration[key]
    return inner


def delegate(configuration, environment):
    """Run the plug-in for other Pods; its exit status.

    :raises Refused: it is not in ``CNI_PATH``.
    """
    inner = delegated_configuration(configuration)
    if (environment['CNI_COMMAND'] in _NEW_COMMANDS and
            inner['cniVersion'] != VERSIONS[-1]):
        return 0
    for folder in environment.get('CNI_PATH', '').split(':'):
        program = os.path.join(folder, str(inner.get('type')))
        if folder and os.access(program, os.X_OK):
            sys.stdout.flush()
            return subprocess.run(
                [program], input=json.dumps(inner).encode(),
                env=environment, check=False).returncode
    raise Refused(_INVALID, 'the delegate %s is not in CNI_PATH' %
                  inner.get('type'))


def ask_daemon(configuration, environment):
    """The daemon's answer to this request.

    :raises Refused: it does not answer.
    """
    command = environment['CNI_COMMAND']
    request = json.dumps({
        'command': command, 'configuration': configuration,
        'environment': {name: value for name, value in environment.items()
                        if name.startswith('CNI_')}}).encode()
    path = configuration.get('socket', DEFAULT_SOCKET)
    files = []
    try:
        if command in ('ADD', 'CHECK'):
            files.append(_open_namespace(environment['CNI_NETNS']))
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as near:
            near.settimeout(configuration.get('timeout', DEFAULT_TIMEOUT))
            near.connect(path)
            socket.send_fds(near, [len(request).to_bytes(4, 'big')], files)
            near.sendall(request)
            answer = json.loads(_read_all(near))
    except (OSError, ValueError) as error:
        raise Refused(
            _NOT_AVAILABLE if command == 'STATUS' else _TRY_AGAIN,
            'zun-cni-daemon does not answer on %s: %s' % (path, error))
    finally:
        for file in files:
            os.close(file)
    if answer.get('error'):
        raise Refused(answer['error']['code'], answer['error']['msg'],
                      answer['error'].get('details', ''))
    return answer.get('result')


def _open_namespace(path):
    try:
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise Refused(_IO, 'CNI_NETNS %s cannot be opened: %s' % (
            path, error))


def _read_all(near):
    parts = []
    while True:
        part = near.recv(65536)
        if not part:
            return b''.join(parts)
        parts.append(part)


def serve(configuration, environment):
    """Carry a command out; the exit status."""
    check_version(configuration)
    command = environment['CNI_COMMAND']
    if 'delegate' in configuration:
        if command in _NEW_COMMANDS:
            # STATUS is the readiness of the node for all Pods: of them the
            # delegate decides, so that others start without the daemon.
            status = delegate(configuration, environment)
            if status or command == 'STATUS':
                return status
        elif not is_zuns(configuration, environment):
            return delegate(configuration, environment)
    result = ask_daemon(configuration, environment)
    if result is not None:
        json.dump(result, sys.stdout)
    return 0


def main():
    """Answer one request of the runtime."""
    environment = dict(os.environ)
    version = VERSIONS[-1]
    try:
        command = check_environment(environment)
        if command == 'VERSION':
            json.dump({'cniVersion': version,
                       'supportedVersions': VERSIONS}, sys.stdout)
            return 0
        configuration = read_configuration(sys.stdin)
        version = configuration.get('cniVersion', version)
        return serve(configuration, environment)
    except Refused as error:
        json.dump({'cniVersion': version, 'code': error.code,
                   'msg': str(error), 'details': error.details},
                  sys.stdout)
        return 1


if __name__ == '__main__':
    sys.exit(main())
