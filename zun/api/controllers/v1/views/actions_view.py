# SPDX-License-Identifier: Apache-2.0
"""How the actions on a container and their events are shown."""

ACTION_KEYS = ('action', 'container_uuid', 'request_id', 'user_id',
               'project_id', 'start_time', 'finish_time', 'message')

EVENT_KEYS = ('event', 'start_time', 'finish_time', 'result', 'traceback')


def _time(value) -> str | None:
    # With a T and always six digits, unlike the times of containers.
    return None if value is None else value.isoformat(
        timespec='microseconds')


def _format(row: dict, keys: tuple[str, ...]) -> dict:
    return {key: _time(row[key]) if key.endswith('_time') else row[key]
            for key in keys}


def format_action(row: dict) -> dict:
    """A row of `container_actions` as a document."""
    return _format(row, ACTION_KEYS)


def format_event(row: dict, with_traceback: bool) -> dict:
    """A row of `container_actions_events` as a document.

    :param with_traceback: the caller may see the traceback, which is null
        otherwise.
    """
    shown = _format(row, EVENT_KEYS)
    if not with_traceback:
        shown['traceback'] = None
    return shown
