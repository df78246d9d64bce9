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
    import grpc_tools
    from grpc_tools import protoc
    types = os.path.join(os.path.dirname(grpc_tools.__file__), '_proto')
    if protoc.main(['protoc', '-I.', '-I' + types, '--python_out=.', proto]):
        raise SystemExit('%s does not compile' % proto)


compile_messages(MESSAGES)
setuptools.setup(
    setup_requires=['pbr>=6.1.0'],
    pbr=True)
