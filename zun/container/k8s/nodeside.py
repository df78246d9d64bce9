# SPDX-License-Identifier: Apache-2.0
"""What Kubernetes cannot tell of a container, and its node can.

Logs of one stream and of former runs, files of containers that do not run
or have no tar, processes, figures: by the agent, which has the container
runtime beside it. Another process asks the agent, see :mod:`.streams`.
"""

from collections.abc import Callable
import datetime
import functools
import subprocess

from zun.common import exception
from zun.common.i18n import _
from zun.common.k8s import errors as k8s_errors
import zun.conf
from zun.container import errors
from zun.container.k8s import figures
from zun.container.k8s import layers
from zun.container.k8s import names
from zun.container.k8s import status
from zun.container.runtime import base as runtime_base
from zun.container.runtime import files
from zun.container.runtime import log_lines
from zun.container.runtime import saved_logs

CONF = zun.conf.CONF

_PS = '/bin/ps'
_PS_SECONDS = 10
_PID = 'PID'


class NodeSide(layers.Layers):
    """Operations of the agent of a container's node."""

    def on_node(self, operation: str, container, arguments: dict,
                data: bytes | None = None) -> tuple[dict, bytes]:
        """Do one of the operations here.

        :param operation: a key of :data:`OPERATIONS`.
        :param arguments: of the operation, as JSON has them.
        :param data: that come with it.
        :returns: a document, and bytes.
        :raises NotSupported: the node cannot see into the container.
        :raises NotRunning: the operation needs a running one.
        """
        found = self.get_pod(container)
        work: Callable = OPERATIONS[operation].__get__(self)
        if data is not None:
            arguments = {**arguments, 'data': data}
        try:
            return work(container, found, **arguments)
        except runtime_base.ContainerGone:
            raise errors.NotRunning(container=container.uuid)
        except runtime_base.NotSupported:
            raise
        except runtime_base.RuntimeUnavailable as exc:
            raise k8s_errors.Unavailable(
                _('the runtime of the node does not answer: %s') % exc)
        except runtime_base.RuntimeError as exc:
            raise exception.Conflict(
                _('The runtime of the node refused: %s') % exc)

    def _box(self, container, found) -> runtime_base.RuntimeContainer:
        """The container in the runtime.

        :raises NotRunning: there is none, it has never run.
        """
        box = self.runtime.find(found['metadata']['uid'],
                                self.place(container).container)
        if box is None:
            raise errors.NotRunning(container=container.uuid)
        return box

    # -- logs --------------------------------------------------------------
    def _logs(self, container, found, stdout: bool, stderr: bool,
              timestamps: bool, tail: int | None, since: str | None):
        streams = {name for name, wanted in (
            (b'stdout', stdout), (b'stderr', stderr)) if wanted}
        select = functools.partial(
            log_lines.select, streams=streams, timestamps=timestamps,
            since=datetime.datetime.fromisoformat(since) if since else None)

        def lines():
            for source in self._log_files(container, found):
                with source:
                    yield from select(source)

        return {}, log_lines.newest(lines(), tail,
                                    CONF.kubernetes.max_log_size)

    def _log_files(self, container, found):
        """What former runs have said, and what the last one says."""
        name = self.place(container).container
        generation = names.generation_of(found)
        saved = []
        if self.runtime.logs is not None:
            saved = self.runtime.logs.runs(container.uuid, name)
        for number, path in saved:
            if number <= generation:
                yield open(path, 'rb')
        if generation in dict(saved):
            return
        box = self.runtime.find(found['metadata']['uid'], name)
        source = box and self.runtime.log_path(box.id)
        if source:
            yield from saved_logs.pieces(source)

    # -- files -------------------------------------------------------------
    def _get_archive(self, container, found, path: str):
        box = self._box(container, found)
        with self.runtime.root(box.id) as root:
            data, known = files.get(root, path,
                                    CONF.kubernetes.max_archive_size)
        return known, data

    def _put_archive(self, container, found, path: str, data: bytes):
        box = self._box(container, found)
        with self.runtime.root(box.id, write=True) as root:
            files.put(root, path, data)
        if status.has_ended(found):
            # The next run is made from what was kept.
            self._note_down(container, found, self._save(container, found))
        return {}, b''

    # -- processes and figures ---------------------------------------------
    def _top(self, container, found, arguments: list[str]):
        if any(_PID in word.partition('=')[2] for word in arguments):
            # Another column of that name would show others' processes.
            raise exception.Invalid(
                _('The arguments of ps must not call a column PID.'))
        pids = self.runtime.pids(self._box(container, found).id)
        try:
            done = subprocess.run(
                [_PS, *arguments], stdin=subprocess.DEVNULL,
                capture_output=True, timeout=_PS_SECONDS,
                env={'LC_ALL': 'C'})
        except FileNotFoundError:
            raise runtime_base.NotSupported(_('the agent has no %s') % _PS)
        except subprocess.TimeoutExpired:
            raise exception.Conflict(_('ps does not end'))
        if done.returncode and not done.stdout:
            raise exception.Invalid(_('ps failed: %s') % done.stderr.decode(
                'utf-8', 'replace').strip())
        return _only(figures.process_table(done.stdout), pids), b''

    def _stats(self, container, found):
        document = self.runtime.figures(self._box(container, found).id)
        return figures.completed(document), b''


def _only(table: dict, pids: list[int]) -> dict:
    """The rows of a table of processes that are a container's.

    :raises Invalid: the table does not say which are.
    """
    if _PID not in table['Titles']:
        raise exception.Invalid(
            _('The arguments of ps have to print the column PID.'))
    column, wanted = table['Titles'].index(_PID), {str(pid) for pid in pids}
    return {'Titles': table['Titles'], 'Processes': [
        row for row in table['Processes']
        if len(row) > column and row[column] in wanted]}


OPERATIONS = {
    'logs': NodeSide._logs,
    'get_archive': NodeSide._get_archive,
    'put_archive': NodeSide._put_archive,
    'top': NodeSide._top,
    'stats': NodeSide._stats,
}
