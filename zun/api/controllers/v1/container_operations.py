# SPDX-License-Identifier: Apache-2.0
"""The actions on a container: /v1/containers/{container_ident}/{action}.

An action that compute carries out later answers 202; one that the caller
waits for answers 200 (``commit`` answers 202 all the same, and
``network_attach`` 200, as clients expect).
"""

import pecan

from zun.api.controllers import base
from zun.api.controllers.v1 import container_access as access
from zun.api.controllers.v1 import container_networks
from zun.api.controllers.v1 import container_request
from zun.api.controllers.v1.container_states import validate_container_state
from zun.api.controllers.v1.schemas import containers as schema
from zun.api import utils as api_utils
from zun.api import validation
from zun.common import consts
from zun.common import exception
from zun.common.i18n import _
from zun.compute import api as compute
import zun.conf

CONF = zun.conf.CONF


def _find(ident: str, action: str):
    """The container for an action, once policy and state allow it."""
    container = access.find_for(ident, 'container:' + action)
    validate_container_state(container, action)
    return container


def _run(ident: str, action: str, *args):
    """Find a container and let compute do something to it.

    :returns: what compute answered.
    """
    container = _find(ident, action)
    context = pecan.request.context
    method = getattr(compute.API(context), 'container_' + action)
    return method(context, container, *args)


def _required(params: dict, name: str):
    return api_utils.required(params.get(name, api_utils.MISSING), name)


class ContainerOperations(container_networks.ContainerNetworks):
    """The part of the containers' controller that has the actions."""

    _custom_actions = {
        'start': ['POST'],
        'stop': ['POST'],
        'reboot': ['POST'],
        'rebuild': ['POST'],
        'pause': ['POST'],
        'unpause': ['POST'],
        'logs': ['GET'],
        'execute': ['POST'],
        'execute_resize': ['POST'],
        'kill': ['POST'],
        'rename': ['POST'],
        'attach': ['GET'],
        'resize': ['POST'],
        'resize_container': ['POST'],
        'top': ['GET'],
        'get_archive': ['GET'],
        'put_archive': ['POST'],
        'stats': ['GET'],
        'commit': ['POST'],
        'add_security_group': ['POST'],
        'remove_security_group': ['POST'],
        'network_detach': ['POST'],
        'network_attach': ['POST'],
        'network_list': ['GET'],
    }

    # -- power -----------------------------------------------------------
    @base.Controller.api_version('1.1')
    def start(self, container_ident, **kwargs):
        """Start a container that isn't running."""
        _run(container_ident, 'start')
        pecan.response.status = 202

    @base.Controller.api_version('1.1')
    @validation.validated_query(schema.query_stop)
    def stop(self, container_ident, timeout=None, **kwargs):
        """Stop a container; `timeout` in seconds, until it is killed."""
        _run(container_ident, 'stop', timeout)
        pecan.response.status = 202

    @base.Controller.api_version('1.1')
    @validation.validated_query(schema.query_reboot)
    def reboot(self, container_ident, timeout=None, **kwargs):
        """Restart a container; `timeout` in seconds for its stop."""
        _run(container_ident, 'reboot', timeout)
        pecan.response.status = 202

    @base.Controller.api_version('1.1')
    def pause(self, container_ident, **kwargs):
        """Suspend the processes of a container."""
        _run(container_ident, 'pause')
        pecan.response.status = 202

    @base.Controller.api_version('1.1')
    def unpause(self, container_ident, **kwargs):
        """Let the processes of a paused container go on."""
        _run(container_ident, 'unpause')
        pecan.response.status = 202

    @base.Controller.api_version('1.1')
    @validation.validated(schema.kill)
    def kill(self, container_ident, **kwargs):
        """Send a signal to the first process of a container."""
        _run(container_ident, 'kill', kwargs.get('signal'))
        pecan.response.status = 202

    @base.Controller.api_version('1.1')
    def rebuild(self, container_ident, **kwargs):
        """Make a container anew, from another image if one is named."""
        container = _find(container_ident, 'rebuild')
        run = container.status == consts.RUNNING
        container_request.set_image(container, kwargs)
        context = pecan.request.context
        compute.API(context).container_rebuild(context, container, run)
        pecan.response.status = 202

    @base.Controller.api_version('1.19')
    @validation.validated(schema.container_update)
    def resize_container(self, container_ident, **kwargs):
        """Change cpu or memory; answers before it is done."""
        from zun.api.controllers.v1 import containers
        container = _find(container_ident, 'resize_container')
        patch = container_request.resize_values(kwargs)
        context = pecan.request.context
        compute.API(context).resize_container(context, container, patch)
        pecan.response.status = 202
        return containers.object_document(container)

    # -- streams -----------------------------------------------------------
    @base.Controller.api_version('1.1')
    @validation.validated_query(schema.query_logs)
    def logs(self, container_ident, stdout=True, stderr=True,
             timestamps=False, tail='all', since=None):
        """What a container wrote."""
        flags = [api_utils.strict_bool(flag, name) for flag, name in (
            (stdout, 'stdout'), (stderr, 'stderr'),
            (timestamps, 'timestamps'))]
        return _run(container_ident, 'logs', *flags, tail, since)

    @base.Controller.api_version('1.1')
    @validation.validated_query(schema.query_execute)
    def execute(self, container_ident, run=True, interactive=False,
                **kwargs):
        """Run a command in a container, or prepare to."""
        container = _find(container_ident, 'execute')
        run = container_request.strict_flag(run)
        interactive = container_request.strict_flag(interactive)
        command = _required(kwargs, 'command')
        context = pecan.request.context
        answer = compute.API(context).container_exec(
            context, container, command, run, interactive)
        answer = dict(answer)
        token = answer.pop('token', None)
        answer['proxy_url'] = self._exec_url(answer, token, container) \
            if token else None
        return answer

    @staticmethod
    def _exec_url(answer: dict, token: str, container) -> str:
        return '%s?token=%s&uuid=%s&exec_id=%s' % (
            CONF.websocket_proxy.base_url, token, container.uuid,
            answer.get('exec_id'))

    @base.Controller.api_version('1.1')
    @validation.validated_query(schema.query_execute_resize)
    def execute_resize(self, container_ident, exec_id=api_utils.MISSING,
                       **kwargs):
        """Set the size of the terminal of a command."""
        container = _find(container_ident, 'execute_resize')
        exec_id = api_utils.required(exec_id, 'exec_id')
        context = pecan.request.context
        return compute.API(context).container_exec_resize(
            context, container, exec_id, kwargs.get('h'), kwargs.get('w'))

    @base.Controller.api_version('1.1')
    def attach(self, container_ident, **kwargs):
        """The URL of a WebSocket to a container's terminal."""
        container = _find(container_ident, 'attach')
        if not container.interactive:
            raise exception.NoInteractiveFlag(msg=_(
                "Container doesn't support to be attached, please check the "
                "interactive set properly"))
        context = pecan.request.context
        token = compute.API(context).container_attach(context, container)
        return '%s?token=%s&uuid=%s' % (CONF.websocket_proxy.base_url, token,
                                        container.uuid)

    @base.Controller.api_version('1.1')
    @validation.validated_query(schema.query_resize)
    def resize(self, container_ident, **kwargs):
        """Set the size of a container's terminal."""
        _run(container_ident, 'resize', kwargs.get('h'), kwargs.get('w'))

    # -- a look inside -----------------------------------------------------
    @base.Controller.api_version('1.1')
    @validation.validated_query(schema.query_top)
    def top(self, container_ident, ps_args=None):
        """The processes of a container."""
        return _run(container_ident, 'top', ps_args)

    @base.Controller.api_version('1.1')
    def stats(self, container_ident, **kwargs):
        """What a container uses at the moment."""
        return _run(container_ident, 'stats')

    @base.Controller.api_version('1.1', '1.24')
    def get_archive(self, container_ident, **kwargs):
        """A path of a container as a tar archive."""
        return self._get_archive(container_ident, kwargs, encode=False)

    @base.Controller.api_version('1.25')
    def get_archive(self, container_ident, **kwargs):  # noqa: F811
        """A path of a container as a tar archive, base64."""
        return self._get_archive(container_ident, kwargs, encode=True)

    @staticmethod
    def _get_archive(ident: str, params: dict, encode: bool) -> dict:
        container = _find(ident, 'get_archive')
        context = pecan.request.context
        data, stat = compute.API(context).container_get_archive(
            context, container, _required(params, 'path'), encode)
        return {'data': data, 'stat': stat}

    @base.Controller.api_version('1.1', '1.24')
    def put_archive(self, container_ident, **kwargs):
        """Unpack a tar archive in a container."""
        self._put_archive(container_ident, kwargs, decode=False)

    @base.Controller.api_version('1.25')
    def put_archive(self, container_ident, **kwargs):  # noqa: F811
        """Unpack a tar archive, base64, in a container."""
        self._put_archive(container_ident, kwargs, decode=True)

    @staticmethod
    def _put_archive(ident: str, params: dict, decode: bool) -> None:
        container = _find(ident, 'put_archive')
        context = pecan.request.context
        compute.API(context).container_put_archive(
            context, container, _required(params, 'path'),
            _required(params, 'data'), decode)

    @base.Controller.api_version('1.1')
    @validation.validated_query(schema.query_commit)
    def commit(self, container_ident, **kwargs):
        """Make an image of a container."""
        answer = _run(container_ident, 'commit', kwargs['repository'],
                      kwargs.get('tag'))
        pecan.response.status = 202
        return answer
