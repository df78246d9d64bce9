# SPDX-License-Identifier: Apache-2.0
"""In which states of a container an operation is possible."""

from zun.common import consts
from zun.common import exception

_STANDING = (consts.CREATED, consts.RUNNING, consts.STOPPED, consts.PAUSED)
_RUNNING = (consts.RUNNING,)
_RESTARTABLE = (consts.CREATED, consts.RUNNING, consts.STOPPED, consts.ERROR)
_IDLE = (consts.CREATED, consts.ERROR, consts.STOPPED, consts.DELETED,
         consts.DEAD)

# Operations that aren't here have no condition: rename, network_attach,
# network_detach, network_list and show.
VALID_STATES = {
    'add_security_group': _STANDING,
    'attach': _RUNNING,
    'commit': (consts.RUNNING, consts.STOPPED, consts.PAUSED),
    'delete': _IDLE,
    'delete_after_stop': (consts.RUNNING,) + _IDLE,
    'delete_force': _IDLE + (
        consts.CREATING, consts.RUNNING, consts.UNKNOWN, consts.RESTARTING,
        consts.REBUILDING, consts.DELETING),
    'execute': _RUNNING,
    'execute_resize': _RUNNING,
    'get_archive': _STANDING,
    'kill': _RUNNING,
    'logs': _STANDING + (consts.ERROR, consts.UNKNOWN),
    'pause': _RUNNING,
    'put_archive': _STANDING,
    'reboot': _RESTARTABLE,
    'rebuild': _RESTARTABLE,
    'remove_security_group': _STANDING,
    'resize': _RUNNING,
    'resize_container': _STANDING,
    'start': (consts.CREATED, consts.STOPPED, consts.ERROR),
    'stats': _RUNNING,
    'stop': _RUNNING,
    'top': _RUNNING,
    'unpause': (consts.PAUSED,),
    'update': _STANDING,
}


def validate_container_state(container, action: str) -> None:
    """Refuse an operation that the container's status doesn't allow.

    :param action: a key of ``VALID_STATES``.
    :raises InvalidStateException: 409.
    """
    if container.status not in VALID_STATES[action]:
        raise exception.InvalidStateException(
            id=container.uuid, action=action,
            actual_state=container.status)
