# SPDX-License-Identifier: Apache-2.0
"""A way to the API server that a test can close."""

import pathlib
import socket
import threading
from urllib import parse

import fixtures
import yaml

_SIZE = 65536


class Gate(fixtures.Fixture):
    """Passes connections on to the API server of a kubeconfig.

    :ivar kubeconfig: path of one that goes through the gate.
    """

    def __init__(self, kubeconfig: str):
        super().__init__()
        self._original = kubeconfig
        self._lock = threading.Lock()
        self._sockets: list[socket.socket] = []
        self._listener: socket.socket | None = None

    def _setUp(self) -> None:
        document = yaml.safe_load(pathlib.Path(self._original).read_text())
        cluster = document['clusters'][0]['cluster']
        target = parse.urlsplit(cluster['server'])
        self._target = (target.hostname, target.port)
        self.open()
        self.addCleanup(self.close)
        port = self._address[1]
        cluster['server'] = 'https://%s:%d' % (target.hostname, port)
        self.kubeconfig = self.useFixture(fixtures.TempDir()).join(
            'kubeconfig')
        pathlib.Path(self.kubeconfig).write_text(yaml.safe_dump(document))

    def open(self) -> None:
        """Let connections through, at the same address as before."""
        address = getattr(self, '_address', ('127.0.0.1', 0))
        self._listener = socket.create_server(address)
        self._address = self._listener.getsockname()
        threading.Thread(target=self._accept, args=(self._listener,),
                         daemon=True).start()

    def close(self) -> None:
        """End all connections and refuse new ones."""
        listener, self._listener = self._listener, None
        if listener is not None:
            # Closing alone does not wake up who accepts.
            _end(listener)
        with self._lock:
            ended, self._sockets = self._sockets, []
        for one in ended:
            _end(one)

    def _accept(self, listener):
        while listener is self._listener:
            try:
                near, __ = listener.accept()
            except OSError:
                return
            far = socket.create_connection(self._target)
            with self._lock:
                self._sockets += [near, far]
            for source, target in ((near, far), (far, near)):
                threading.Thread(target=_copy, args=(source, target),
                                 daemon=True).start()


def _copy(source, target):
    try:
        while data := source.recv(_SIZE):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        _end(source)
        _end(target)


def _end(one):
    try:
        one.shutdown(socket.SHUT_RDWR)
    except OSError:
        # Its other side was faster.
        pass
    one.close()
