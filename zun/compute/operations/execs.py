# SPDX-License-Identifier: Apache-2.0
"""What is asked of a running container: logs, commands, terminals,
processes, figures, archives. Neither an action nor an event tells of it.
"""

import base64
import binascii
from collections.abc import Iterator
import contextlib
import datetime
import shlex

from oslo_utils import uuidutils

from zun.common import exception
from zun.common.i18n import _
from zun.compute.operations import base
from zun.compute.operations import create
from zun.compute.operations import rows
import zun.conf
from zun.container import errors
from zun.db import api as db_api
from zun.db.sqlalchemy.queries import terminal_sessions
from zun import objects

CONF = zun.conf.CONF

_SINCE_FORMAT = '%Y-%m-%d %H:%M:%S,%f'
# Where the reference's proxy would find a container; kept for clients that
# read the column.
_ATTACH_URL = ('ws://%(host)s:%(port)s/v%(version)s/containers/%(id)s/'
               'attach/ws?logs=0&stream=1&stdin=1&stdout=1&stderr=1')


@contextlib.contextmanager
def _engine(context, container) -> Iterator[None]:
    """Take note in the row when the engine has the container no more."""
    try:
        yield
    except errors.ContainerMissing as exc:
        raise rows.engine_lost(context, container, exc)


def _require_made(container) -> None:
    if not container.container_id:
        raise exception.Invalid(_('Cannot operate an uncreated container.'))


def show(parts: base.Parts, context, container):
    """The container as the engine sees it now."""
    if not container.container_id:
        return container
    try:
        values = parts.driver.show(context, container)
    except errors.ContainerMissing as exc:
        rows.engine_lost(context, container, exc)
        return container
    create.set_values(container, values)
    container.save(context)
    return container


def logs(parts: base.Parts, context, container, stdout: bool, stderr: bool,
         timestamps: bool, tail, since) -> bytes:
    _require_made(container)
    with _engine(context, container):
        return parts.driver.show_logs(
            context, container, stdout=stdout, stderr=stderr,
            timestamps=timestamps, tail=_tail(tail), since=_since(since))


def _tail(tail):
    """A number of lines; anything else is all."""
    try:
        return int(tail)
    except (TypeError, ValueError):
        return None


def _since(since):
    """A time: seconds since 1970, or as the API documents it.

    :raises Invalid: neither, or not after 1970.
    """
    if since is None:
        return None
    text = str(since)
    try:
        if text.lstrip('-').isdigit():
            seconds = int(text)
            if seconds <= 0:
                raise ValueError(text)
            return datetime.datetime.fromtimestamp(
                seconds, datetime.timezone.utc).replace(tzinfo=None)
        return datetime.datetime.strptime(text, _SINCE_FORMAT)
    except (ValueError, OverflowError):
        raise exception.Invalid(_(
            'The value of since, %s, is neither a number of seconds since '
            '1970 nor a time as YYYY-MM-DD hh:mm:ss,f.') % text)


def execute(parts: base.Parts, context, container, command, run: bool,
            interactive: bool) -> dict:
    """Run a command and wait, or allow a terminal for it to be opened."""
    _require_made(container)
    words = _words(command)
    with _engine(context, container):
        if run:
            done = parts.driver.execute_run(
                context, container, words, CONF.docker.execute_timeout)
            return {'output': done.output, 'exit_code': done.exit_code,
                    'exec_id': None, 'token': None}  # nosec B105
        parts.driver.require_running(context, container)
    return _allow_exec(context, container, words, interactive)


def _words(command):
    if isinstance(command, str):
        try:
            return shlex.split(command)
        except ValueError as exc:
            raise exception.Invalid(
                _('The command %(command)s cannot be split: %(error)s')
                % {'command': command, 'error': exc})
    return list(command)


def _allow_exec(context, container, words, interactive):
    exec_id = uuidutils.generate_uuid(dashed=False)
    token = uuidutils.generate_uuid()
    with db_api.writer(context):
        objects.ExecInstance(
            context, container_id=container.id, exec_id=exec_id,
            url=CONF.docker.docker_remote_api_url, token=token
        ).create(context)
        db_api.create_terminal_session(
            context, token, container.uuid, terminal_sessions.EXEC,
            CONF.kubernetes.terminal_lifetime, tty=bool(interactive),
            exec_id=exec_id, command=words)
    return {'output': None, 'exit_code': None, 'exec_id': exec_id,
            'token': token}


def resize_exec(context, exec_id: str, height, width) -> None:
    """Change the size of the terminal of an exec.

    :raises Invalid: there is no such exec.
    """
    size = _size(height, width)
    if not db_api.resize_terminal_sessions(context, None, *size,
                                           exec_id=exec_id):
        raise exception.Invalid(
            _('no such exec instance: %s') % exec_id)


def resize(parts: base.Parts, context, container, height, width):
    """Change the size of the terminals attached to a container."""
    size = _size(height, width)
    _require_made(container)
    with _engine(context, container):
        parts.driver.require_running(context, container)
    db_api.resize_terminal_sessions(context, container.uuid, *size)
    return container


def _size(height, width):
    """Rows and columns as numbers.

    :raises Invalid: they are none.
    """
    try:
        return int(height), int(width)
    except (TypeError, ValueError):
        raise exception.Invalid(
            _('The size %(height)s x %(width)s is not a pair of numbers.')
            % {'height': height, 'width': width})


def attach(parts: base.Parts, context, container) -> str:
    """Allow one terminal to be attached; the token that opens it."""
    _require_made(container)
    token = uuidutils.generate_uuid()
    options = CONF.docker
    with db_api.writer(context):
        container.websocket_token = token
        container.websocket_url = _ATTACH_URL % {
            'host': options.docker_remote_api_host,
            'port': options.docker_remote_api_port,
            'version': options.docker_remote_api_version,
            'id': container.container_id}
        container.save(context)
        db_api.create_terminal_session(
            context, token, container.uuid, terminal_sessions.ATTACH,
            CONF.kubernetes.terminal_lifetime, tty=bool(container.tty))
    return token


def top(parts: base.Parts, context, container, ps_args) -> dict:
    _require_made(container)
    with _engine(context, container):
        return parts.driver.top(context, container, ps_args)


def stats(parts: base.Parts, context, container) -> dict:
    _require_made(container)
    with _engine(context, container):
        return parts.driver.stats(context, container)


def get_archive(parts: base.Parts, context, container, path: str,
                encode_data: bool) -> tuple:
    """A path as a tar archive, in base64 if asked for, and its stat."""
    _require_made(container)
    with _engine(context, container):
        data, stat = parts.driver.get_archive(context, container, path)
    if encode_data:
        data = base64.b64encode(data).decode()
    return data, stat


def put_archive(parts: base.Parts, context, container, path: str, data,
                decode_data: bool) -> None:
    """Unpack a tar archive, given in base64 or as it is.

    :raises Base64Exception: it is no base64.
    """
    _require_made(container)
    if decode_data:
        try:
            data = base64.b64decode(data)
        except (binascii.Error, ValueError):
            raise exception.Base64Exception()
    with _engine(context, container):
        parts.driver.put_archive(context, container, path, data)
