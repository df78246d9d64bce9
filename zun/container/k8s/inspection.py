# SPDX-License-Identifier: Apache-2.0
"""Looking into a container: logs, commands, processes, figures, files."""

import datetime
import shlex

from oslo_log import log as logging

from zun.common import consts
from zun.common import exception
from zun.common.i18n import _
from zun.common.k8s import errors as k8s_errors
from zun.common.k8s import stream
import zun.conf
from zun.container import driver
from zun.container import errors
from zun.container.k8s import archive
from zun.container.k8s import figures
from zun.container.k8s import generations
from zun.container.k8s import names
from zun.container.k8s import nodeside
from zun.container.k8s import status
from zun.container.k8s import streams
from zun.container.runtime import base as runtime_base

LOG = logging.getLogger(__name__)

CONF = zun.conf.CONF

_DEFAULT_PS_ARGS = '-ef'
# Seconds for what Zun itself runs in a container.
_OWN_COMMAND_SECONDS = 10.0
_ARCHIVE_SECONDS = 300.0


class Inspection(nodeside.NodeSide):
    """Reads that need the container's Pod, and archives.

    The node of the container is asked first, where it can be; it knows
    more, and needs no program of the image.
    """

    def _from_node(self, container, operation: str, arguments: dict,
                   data: bytes | None = None) -> tuple[dict, bytes] | None:
        """What the container's node answers; None: it is not to be had."""
        if self.runtime is not None:
            try:
                return self.on_node(operation, container, arguments, data)
            except runtime_base.NotSupported as exc:
                LOG.debug('Not from the runtime: %s', exc)
            return None
        if not streams.is_configured():
            return None
        try:
            return streams.ask(self.get_pod(container), operation, container,
                               arguments, data)
        except streams.AgentAway:
            return None

    def show_logs(self, context, container, *, stdout: bool, stderr: bool,
                  timestamps: bool, tail: int | None,
                  since: datetime.datetime | None) -> bytes:
        if not (stdout or stderr):
            raise exception.Invalid(
                _('Bad parameters: you must choose at least one stream'))
        told = self._from_node(container, 'logs', {
            'stdout': stdout or bool(container.tty), 'stderr': stderr,
            'timestamps': timestamps, 'tail': tail,
            'since': since.isoformat() if since else None})
        if told is not None:
            return told[1]
        pods = [found for found in self.pods_of(container)
                if not status.is_gated(found)]
        if not pods:
            self.get_pod(container)
        name = self.place(container).container
        which = None
        if stdout != stderr and not container.tty:
            which = 'Stdout' if stdout else 'Stderr'
        parts, left = [], CONF.kubernetes.max_log_size
        for found in reversed(pods):
            part = self._log(found, name, timestamps, tail, since, left,
                             which)
            parts.insert(0, part)
            left -= len(part)
            if left <= 0:
                break
        return _last_lines(b''.join(parts), tail)

    def _log(self, found, name, timestamps, tail, since, limit, which):
        meta = found['metadata']
        try:
            return stream.log(
                self.cluster, meta['namespace'], meta['name'], name,
                timestamps=timestamps, tail=tail, limit=limit, which=which,
                since_time=None if since is None
                else since.isoformat(timespec='microseconds') + 'Z')
        except k8s_errors.Invalid as exc:
            if which is not None and 'stream' in str(exc):
                raise errors.AgentNeeded(
                    operation=_('The log of one stream alone'),
                    why=_('this cluster keeps both in one'))
            # A container that has not run yet has no log.
            LOG.debug('No log of Pod %(pod)s: %(error)s',
                      {'pod': meta['name'], 'error': exc})
            return b''
        except k8s_errors.NotFound:
            return b''

    def execute_run(self, context, container, command: list[str],
                    timeout: float) -> driver.Executed:
        output = self._run(container, command, timeout)
        if output.timed_out:
            raise exception.Conflict(
                _('Timeout: the command did not end within %s seconds')
                % timeout)
        outcome = output.outcome
        if outcome.exit_code is None:
            raise exception.Conflict(
                _('The command did not run: %s') % outcome.error)
        text = output.output
        if outcome.error:
            text += outcome.error.encode() + b'\n'
        return driver.Executed(text, outcome.exit_code)

    def open_terminal(self, context, container, command: list[str],
                      tty: bool) -> stream.Session:
        place = self.place(container)
        try:
            if command:
                return stream.open_exec(
                    self.cluster, place.namespace, place.pod,
                    place.container, command, stdin=True, tty=tty)
            return stream.open_attach(
                self.cluster, place.namespace, place.pod, place.container,
                stdin=bool(container.interactive), tty=tty)
        except k8s_errors.KubernetesError as exc:
            raise self._exec_error(container, exc)

    def _run(self, container, command, timeout=_OWN_COMMAND_SECONDS,
             stdin=None, limit=None):
        place = self.place(container)
        if container.status == consts.PAUSED:
            raise exception.Conflict(_(
                'Container %s is paused, unpause the container before '
                'exec') % container.uuid)
        try:
            return stream.run(
                self.cluster, place.namespace, place.pod, place.container,
                command, stdin=stdin, timeout=timeout,
                limit=limit or CONF.kubernetes.max_output_size)
        except k8s_errors.KubernetesError as exc:
            raise self._exec_error(container, exc)

    def _exec_error(self, container, exc):
        """Tell a container that is not there or not running apart."""
        if not isinstance(exc, (k8s_errors.NotFound, k8s_errors.Invalid,
                                k8s_errors.Unavailable)):
            return exc
        if isinstance(exc, k8s_errors.Unavailable) and exc.status is None:
            return exc
        found = self.get_pod(container)
        seen = status.observe(found, self.place(container).container)
        if not seen.running:
            return errors.NotRunning(container=container.uuid)
        return exc

    def top(self, context, container, ps_args: str | None) -> dict:
        words = _DEFAULT_PS_ARGS
        if ps_args not in (None, '', 'None'):
            words = ps_args
        try:
            command = ['ps', *shlex.split(words)]
        except ValueError as exc:
            raise exception.Invalid(
                _('Bad arguments of ps, %(args)s: %(error)s')
                % {'args': ps_args, 'error': exc})
        told = self._from_node(container, 'top', {'arguments': command[1:]})
        if told is not None:
            return told[0]
        output = self._run(container, command)
        if output.outcome.exit_code == 0:
            return figures.process_table(output.stdout)
        if output.outcome.exit_code in (126, 127) and output.outcome.error:
            raise errors.AgentNeeded(
                operation=_('Listing processes'),
                why=_('the image has no ps'))
        raise exception.Invalid(
            _('ps failed: %s')
            % output.output.decode('utf-8', 'replace').strip())

    def stats(self, context, container) -> dict:
        told = self._from_node(container, 'stats', {})
        if told is not None:
            return figures.summary(container.name, told[0])
        output = self._run(container, figures.COMMAND)
        if output.outcome.exit_code in (126, 127) and output.outcome.error:
            raise errors.AgentNeeded(
                operation=_('Figures of a container'),
                why=_('the image has no grep'))
        return figures.summary(container.name,
                               figures.parse(output.stdout))

    def get_archive(self, context, container, path: str
                    ) -> tuple[bytes, dict]:
        told = self._from_node(container, 'get_archive', {'path': path})
        if told is not None:
            return told[1], told[0]
        output = self._run(container, archive.pack_command(path),
                           _ARCHIVE_SECONDS,
                           limit=CONF.kubernetes.max_archive_size)
        archive.check(path, output)
        return output.stdout, archive.describe(path, output.stdout)

    def put_archive(self, context, container, path: str,
                    data: bytes) -> None:
        if len(data) > CONF.kubernetes.max_archive_size:
            raise exception.Invalid(
                _('The archive is larger than %d bytes.')
                % CONF.kubernetes.max_archive_size)
        if self._from_node(container, 'put_archive', {'path': path},
                           data) is not None:
            return
        archive.check(path, self._run(
            container, archive.unpack_command(path), _ARCHIVE_SECONDS,
            stdin=data))

    def network_of(self, context, container) -> driver.Network:
        return generations.network_of(self.get_pod(container))

    def change_network(self, context, container,
                       network: driver.Network) -> bool:
        found = self.get_pod(container)
        self.patch_pod(found, {'metadata': {'annotations': {
            names.VIFS: generations.vifs_text(network)}}})
        if found['spec'].get('runtimeClassName') not in \
                CONF.kubernetes.cold_plug_runtime_classes:
            return False
        # Without any port it would not start again; what is unplugged in
        # Neutron is of no use to the sandbox that runs.
        return bool(network.vifs) and status.observe(
            found, self.place(container).container).running


def _last_lines(data, count):
    if count is None or count < 0:
        return data
    if count == 0:
        return b''
    return b''.join(data.splitlines(keepends=True)[-count:])
