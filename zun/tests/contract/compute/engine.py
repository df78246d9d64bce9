# SPDX-License-Identifier: Apache-2.0
"""The engine of a case: containers by state, and what fails."""

from zun.common import exception
from zun.container.k8s import power
from zun.tests.unit.container import fake_driver

# The driver's methods by the engine's calls.
_METHODS = {
    'start': ('start',), 'stop': ('stop',), 'kill': ('kill',),
    'restart': ('stop',), 'pause': ('pause',), 'unpause': ('unpause',),
    'remove': ('remove',), 'logs': ('show_logs',), 'top': ('top',),
    'create': ('create', 'recreate', 'create_capsule'),
    'connect': ('change_network',), 'disconnect': ('change_network',),
    'stats': ('stats',), 'update': ('update',),
    'exec_start': ('execute_run',),
    'get_archive': ('get_archive',), 'put_archive': ('put_archive',)}

# Attempts that a fault without a count lasts for.
_MANY = 50


class EngineError(exception.ZunException):
    """The engine answers with an error."""

    message = '%(text)s'


class Engine(fake_driver.FakeDriver):
    """An engine as a case has it.

    :param spec: the case's ``engine``.
    """

    def __init__(self, spec: dict) -> None:
        super().__init__()
        for ident, known in (spec.get('containers') or {}).items():
            self.containers[ident] = [known.get('uuid'), _word(known)]
        for fault in spec.get('faults', ()):
            for method in _METHODS.get(fault['do'], ()):
                self.faults[method] = [None] * fault.get('skip', 0) + [
                    _error(fault) for __ in range(
                        fault.get('times') or _MANY)]

    def kill(self, context, container, signal):
        """Kill, by a signal that there is."""
        power.signal_number(signal)
        super().kill(context, container, signal)


def _word(known: dict) -> str:
    state = known.get('state', fake_driver.RUNNING)
    return state if isinstance(state, str) else state.get(
        'Status', fake_driver.RUNNING)


def _error(fault: dict) -> Exception:
    if 'crash' in fault:
        return ConnectionError(fault['crash'])
    return EngineError(text=fault['message'])
