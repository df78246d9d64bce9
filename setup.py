# SPDX-License-Identifier: Apache-2.0
"""Packaging entry point; everything else stands in setup.cfg (pbr)."""

import os

import setuptools

MESSAGES = os.path.join('zun', 'container', 'runtime', 'containerd.proto')


def compile_messages(proto):
    """Compile a .proto to the module beside it, unless that is current.

    The module is made whenever the package is built and never committed.
    """
    made = proto.replace('.proto', '_pb2.py')
    if os.path.exists(made) and (
            os.path.getmtime(made) >= os.path.getmtime(proto)):
        return
    from grpc_tools import protoc
    if protoc.main(['protoc', '-I.', '--python_out=.', proto]):
        raise SystemExit('%s does not compile' % proto)


compile_messages(MESSAGES)
setuptools.setup(
    setup_requires=['pbr>=6.1.0'],
    pbr=True)
