# SPDX-License-Identifier: Apache-2.0
"""The runtime of a simulated node, for a process that is not the node's."""

import io
from multiprocessing import connection
import os
import pathlib
import threading
from typing import Any

from zun.container.runtime import base
from zun.standalone import runtime as simulated

_LOCAL = ('stop', '_outlast', 'paused', 'sweep')


class Server:
    """Answers for a node until it is stopped.

    :param node: what it answers for.
    """

    def __init__(self, path: pathlib.Path, node: simulated.Simulated) -> None:
        self._node = node
        self._listener = connection.Listener(str(path), 'AF_UNIX')
        threading.Thread(target=self._accept, daemon=True).start()

    def stop(self) -> None:
        """Take no more connections."""
        self._listener.close()

    def _accept(self):
        while True:
            try:
                found = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(found,),
                             daemon=True).start()

    def _serve(self, found):
        with found:
            while True:
                try:
                    name, args, kwargs = found.recv()
                    found.send(self._do(name, args, kwargs))
                except (EOFError, OSError):
                    return

    def _do(self, name, args, kwargs):
        try:
            if name == 'export_archive':
                into = io.BytesIO()
                getattr(self._node, name)(args[0], into, *args[1:], **kwargs)
                return True, into.getvalue()
            if name == 'import_archive':
                args = (io.BytesIO(args[0]), *args[1:])
            return True, getattr(self._node, name)(*args, **kwargs)
        except Exception as exc:
            return False, exc


class Remote(simulated.Simulated):
    """A simulated node somewhere else."""

    def __init__(self, path: os.PathLike[str]) -> None:
        base.Runtime.__init__(self)
        self._path = str(path)
        self._thread = threading.local()

    def _ask(self, name: str, *args: Any, **kwargs: Any) -> Any:
        if not hasattr(self._thread, 'connection'):
            try:
                self._thread.connection = connection.Client(
                    self._path, 'AF_UNIX')
            except OSError as exc:
                raise base.RuntimeUnavailable(str(exc)) from exc
        self._thread.connection.send((name, args, kwargs))
        good, value = self._thread.connection.recv()
        if not good:
            raise value
        return value

    def import_archive(self, source, name, labels=None):
        return self._ask('import_archive', source.read(), name, labels)

    def export_archive(self, name, fileobj, tag=None):
        return fileobj.write(self._ask('export_archive', name, tag=tag))


def _forward(name):
    def call(self, *args, **kwargs):
        return self._ask(name, *args, **kwargs)
    return call


for _name in ('version', 'find', 'state', 'signal', 'wait', 'pause',
              'resume', 'pull', 'usable', 'discard', 'image', 'list_images',
              'remove_image', 'commit', 'log_path'):
    setattr(Remote, _name, _forward(_name))


def connect(path: os.PathLike[str]) -> base.Runtime:
    """The runtime behind a socket."""
    return Remote(path)
