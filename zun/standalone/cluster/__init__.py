# SPDX-License-Identifier: Apache-2.0
"""A simulated Kubernetes cluster: real HTTP and WebSocket, local processes.

The official client and kubectl work against it unchanged. Containers are
processes of this machine, each with its own working directory, so logs,
exec, exit codes, signals and terminals are real. **It isolates nothing**:
a container sees the machine's files, users and network. Hence it listens
on loopback only and asks for a bearer token made at start.

HTTP and WebSocket come from aiohttp, run in one thread that owns all state
(so there are no locks). kmock, which is built on aiohttp too, was looked at
first: it answers canned requests well, but it has no resourceVersion, no
410, no selectors, preconditions, patch types, nor channel streams, which
is what a cluster is about; what would have been left of it is aiohttp.

Messages and status documents follow what Kubernetes 1.36 answered on a real
node; zun/tests/functional/standalone/test_conformance.py runs the same
checks against both.
"""
