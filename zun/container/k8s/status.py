# SPDX-License-Identifier: Apache-2.0
"""From a Pod to what a row says about its container.

Two steps, both pure. :func:`observe` reads a Pod and tells the state of
one container in the words that container engines use (``Running``,
``ExitCode``, ``StartedAt`` …), and why it fails if it does.
:func:`row_values` turns that into ``status``, ``status_reason`` and
``status_detail`` by the rules that clients of the reference know.
"""

import dataclasses
import datetime
import re

from zun.common import consts
from zun.common.i18n import _

NEVER = '0001-01-01T00:00:00Z'

_TIME = re.compile(
    r'(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d)?\Z')
_UNITS = ((86400, 'days'), (3600, 'hours'), (60, 'mins'), (1, 'seconds'))

# What registries say about images that do not exist or may not be read.
_NO_SUCH_IMAGE = re.compile(
    r'not found|denied|unauthorized|authoriz|forbidden|manifest unknown|'
    r'name unknown|does not exist|no match for platform|invalid reference|'
    r'could not parse|must be lowercase',
    re.I)
# How gRPC introduces what the runtime said.
_GRPC_PREFIX = re.compile(r'rpc error: code = \w+ desc = ')
PULL_REASONS = ('ErrImagePull', 'ImagePullBackOff', 'ImageInspectError',
                'RegistryUnavailable', 'SignatureValidationFailed')
HEALTHY, UNHEALTHY, STARTING = 'healthy', 'unhealthy', 'starting'
# A Pod is unready from its making to its first success; a change some time
# after the start is another one.
_SETTLING = datetime.timedelta(seconds=3)
_NEVER_RAN = ('StartError', 'ContainerCannotRun')
_ON_ITS_WAY = ('ContainerCreating', 'PodInitializing', None, '')


@dataclasses.dataclass(frozen=True)
class Failure:
    """Why a container does not run.

    :ivar reason: one word, Kubernetes' own where it has one.
    :ivar text: what the user reads.
    :ivar passing: it may run after all if one waits.
    """

    reason: str
    text: str
    passing: bool = False


@dataclasses.dataclass(frozen=True)
class Observation:
    """A container as its Pod shows it.

    :ivar state: keys as in the ``State`` of an engine's inspect answer.
    :ivar failure: set when it could not be started, or was not.
    :ivar note: why it ended, where that was not its own doing.
    :ivar health: ``starting``, ``healthy``, ``unhealthy``, or None where
        there is no healthcheck.
    :ivar restarts: how often the kubelet has restarted it.
    """

    state: dict
    failure: Failure | None = None
    note: str | None = None
    health: str | None = None
    restarts: int = 0

    @property
    def running(self) -> bool:
        return bool(self.state.get('Running'))

    @property
    def ended(self) -> bool:
        return self.state.get('Status') == 'exited'

    @property
    def exit_code(self) -> int | None:
        return self.state.get('ExitCode') if self.ended else None

    @property
    def started_at(self) -> datetime.datetime | None:
        return parse_time(self.state.get('StartedAt'))

    @property
    def finished_at(self) -> datetime.datetime | None:
        return parse_time(self.state.get('FinishedAt'))


def observe(pod: dict, container: str, *, paused: bool = False,
            now: datetime.datetime | None = None) -> Observation:
    """What a Pod says about one of its containers.

    :param pod: the Pod as the API server gives it.
    :param container: name of the container in it.
    :param paused: its processes are frozen; Kubernetes can't know.
    :param now: tells a healthcheck that has not passed yet from one that
        has failed long enough; without it the former is assumed.
    """
    seen = _container_status(pod, container)
    state = seen.get('state') or {}
    if 'running' in state:
        return Observation(
            _state('paused' if paused else 'running',
                   StartedAt=state['running'].get('startedAt') or NEVER),
            health=_health(pod, container, seen, now),
            restarts=seen.get('restartCount', 0))
    if 'terminated' in state:
        return _terminated(pod, state['terminated'])
    if pod['status'].get('phase') in ('Failed', 'Succeeded'):
        return _ended_without_running(pod)
    waiting = state.get('waiting') or {}
    return Observation(
        _state('restarting' if waiting.get('reason') == 'CrashLoopBackOff'
               else 'created'),
        _waiting_failure(waiting, _image_of(pod, container))
        or _scheduling_failure(pod),
        restarts=seen.get('restartCount', 0))


def observe_sandbox(pod: dict) -> Observation:
    """What a capsule's Pod says about the capsule as a whole."""
    status = pod['status']
    phase = status.get('phase')
    if phase == 'Running':
        return Observation(_state('running',
                                  StartedAt=status.get('startTime')))
    if phase in ('Succeeded', 'Failed'):
        ends = [state['terminated'] for state in _states(status)
                if 'terminated' in state]
        return Observation(
            _state('exited', StartedAt=status.get('startTime') or NEVER,
                   FinishedAt=max((end.get('finishedAt') or NEVER
                                   for end in ends), default=NEVER),
                   ExitCode=max((end.get('exitCode', 0)
                                 for end in ends), default=0)),
            note=pod_note(pod))
    return Observation(_state('created'), _scheduling_failure(pod))


def is_gated(pod: dict) -> bool:
    """Whether the Pod is held back until the container is started."""
    return bool(pod['spec'].get('schedulingGates'))


def is_over(pod: dict) -> bool:
    """Whether nothing in the Pod runs or will run again."""
    return pod['status'].get('phase') in ('Succeeded', 'Failed')


def has_ended(pod: dict) -> bool:
    """Whether all containers of a Pod that never restarts have ended.

    They are reported so a little before the Pod is.
    """
    if is_over(pod):
        return True
    seen = pod['status'].get('containerStatuses') or ()
    return bool(seen) and (pod['spec'].get('restartPolicy') == 'Never') and (
        all('terminated' in (item.get('state') or {}) for item in seen))


def has_run(pod: dict) -> bool:
    """Whether a container of the Pod has had a process."""
    return any('running' in state or (
        'terminated' in state and
        state['terminated'].get('reason') not in _NEVER_RAN)
        for state in _states(pod['status']))


def _container_status(pod, container):
    status = pod['status']
    for key in ('containerStatuses', 'initContainerStatuses'):
        for item in status.get(key) or ():
            if item['name'] == container:
                return item
    return {}


def _states(status):
    for key in ('initContainerStatuses', 'containerStatuses'):
        for item in status.get(key) or ():
            yield item.get('state') or {}


def _image_of(pod, container):
    spec = pod.get('spec') or {}
    for key in ('containers', 'initContainers'):
        for item in spec.get(key) or ():
            if item['name'] == container:
                return item.get('image', '')
    return ''


def _probe(pod, container):
    for item in (pod.get('spec') or {}).get('containers') or ():
        if item['name'] == container:
            return item.get('readinessProbe')
    return None


def _health(pod, container, seen, now):
    """``starting`` lasts as long as the first checks may fail."""
    probe = _probe(pod, container)
    if probe is None:
        return None
    if seen.get('ready'):
        return HEALTHY
    started = parse_time(seen['state']['running'].get('startedAt'))
    if started is None:
        return STARTING
    turned = _turned_unready(pod)
    if turned is not None and turned - started > _SETTLING:
        return UNHEALTHY
    patience = datetime.timedelta(
        seconds=probe.get('periodSeconds', 10) *
        probe.get('failureThreshold', 3) + probe.get('timeoutSeconds', 1))
    if now is not None and now - started > patience:
        return UNHEALTHY
    return STARTING


def _turned_unready(pod):
    """When the Pod, having been ready, was so no longer."""
    for condition in pod['status'].get('conditions') or ():
        if (condition.get('type') == 'ContainersReady' and
                condition.get('status') == 'False'):
            return parse_time(condition.get('lastTransitionTime'))
    return None


def _state(word, **fields):
    state = {'Status': word, 'Running': word in ('running', 'paused'),
             'Paused': word == 'paused',
             'Restarting': word == 'restarting', 'Dead': False,
             'OOMKilled': False, 'ExitCode': 0, 'Error': '',
             'StartedAt': NEVER, 'FinishedAt': NEVER}
    state.update(fields)
    return state


def _terminated(pod, end):
    reason = end.get('reason') or ''
    started = end.get('startedAt') or NEVER
    if reason in _NEVER_RAN:
        return Observation(
            _state('created', ExitCode=end.get('exitCode', 128)),
            Failure(reason, end.get('message') or reason))
    note = pod_note(pod)
    if reason == 'OOMKilled':
        note = _('OOMKilled: the container used more memory than it may')
    elif reason == 'ContainerStatusUnknown':
        note = '%s: %s' % (reason, end.get('message') or '')
    return Observation(
        _state('exited', ExitCode=end.get('exitCode', 0),
               OOMKilled=reason == 'OOMKilled', StartedAt=started,
               FinishedAt=end.get('finishedAt') or NEVER),
        note=note)


def _ended_without_running(pod):
    """Rejected, evicted or lost before its container left a trace."""
    status = pod['status']
    reason = status.get('reason') or status['phase']
    text = pod_note(pod) or reason
    if status.get('startTime') and status['phase'] == 'Succeeded':
        return Observation(_state('exited', StartedAt=status['startTime']))
    return Observation(_state('created'),
                       _init_failure(status) or Failure(reason, text))


def _init_failure(status):
    for item in status.get('initContainerStatuses') or ():
        code = item['state'].get('terminated', {}).get('exitCode', 0)
        if code:
            return Failure('InitFailed', _(
                'Init container %(name)s ended with exit code %(code)s')
                % {'name': item['name'], 'code': code})
    return None


def pod_note(pod: dict) -> str | None:
    """Why a Pod ended that did not end by itself."""
    status = pod['status']
    reason = status.get('reason')
    if reason == 'DeadlineExceeded':
        # Zun sets the deadline to stop a container.
        return None
    if reason:
        message = status.get('message')
        return '%s: %s' % (reason, message.strip()) if message else reason
    for condition in status.get('conditions') or ():
        if (condition.get('type') == 'DisruptionTarget' and
                condition.get('status') == 'True'):
            return '%s: %s' % (condition.get('reason'),
                               condition.get('message'))
    return None


def _waiting_failure(waiting, image):
    reason = waiting.get('reason')
    text = _GRPC_PREFIX.sub('', waiting.get('message') or '')
    if reason in _ON_ITS_WAY or reason == 'CrashLoopBackOff':
        return None
    if reason == 'ErrImageNeverPull':
        return Failure(reason, _(
            'Image %s not present with pull policy of Never')
            % repository(image))
    if reason == 'InvalidImageName':
        return Failure(reason, text or reason)
    if reason in PULL_REASONS:
        if _NO_SUCH_IMAGE.search(text):
            return Failure(reason, text)
        return Failure(reason, _(
            'Cannot download image from docker: Error on pulling image: '
            '%s') % image, passing=True)
    return Failure(reason, '%s: %s' % (reason, text) if text else reason,
                   passing=True)


def _scheduling_failure(pod):
    for condition in pod['status'].get('conditions') or ():
        if (condition.get('type') == 'PodScheduled' and
                condition.get('status') == 'False' and
                condition.get('reason') == 'Unschedulable'):
            return Failure('Unschedulable', _(
                'There is no room for the container on its node: %s')
                % condition.get('message', ''), passing=True)
    return None


def repository(image: str) -> str:
    """An image reference without tag and digest."""
    name = image.partition('@')[0]
    head, slash, tail = name.rpartition('/')
    return head + slash + tail.partition(':')[0]


# As engines append it to "Up 5 mins".
_HEALTH_TEXTS = {HEALTHY: ' (healthy)', UNHEALTHY: ' (unhealthy)',
                 STARTING: ' (health: starting)'}

# From the engine's words to the row's.

_WORDS = {'running': consts.RUNNING, 'paused': consts.PAUSED,
          'restarting': consts.RESTARTING, 'exited': consts.STOPPED,
          'removing': consts.STOPPED, 'dead': consts.DEAD}
# Statuses that an engine's "created" does not contradict.
_BEFORE_START = (consts.CREATED, consts.ERROR, consts.RESTARTING,
                 consts.REBUILDING)


def row_values(status: str | None, task_state: str | None,
               observation: Observation, now: datetime.datetime, *,
               detail: str | None = None, force: bool = False) -> dict:
    """The columns that follow from an observation.

    :param status: the row's status so far.
    :param task_state: while one is set nothing changes, unless forced.
    :param detail: the row's ``status_detail`` so far.
    :param now: UTC without a zone.
    :returns: ``status``, ``status_detail``, and ``status_reason`` where
        there is one to tell.
    """
    values = from_state(status, task_state, observation.state, now,
                        detail=detail, force=force)
    if task_state is not None and not force:
        return values
    failure = observation.failure
    if failure is not None and not failure.passing:
        values.update(status=consts.ERROR, status_reason=failure.text)
    elif observation.note:
        values['status_reason'] = observation.note
    if observation.health and values['status_detail'] and (
            observation.state['Status'] == 'running'):
        values['status_detail'] += _HEALTH_TEXTS[observation.health]
    return values


def from_state(status: str | None, task_state: str | None, state,
               now: datetime.datetime, *, detail: str | None = None,
               force: bool = False) -> dict:
    """Row values of an engine's ``State``, as the reference derives them.

    :param state: the document, or one word, or nothing.
    """
    if task_state is not None and not force:
        return {'status': status, 'status_detail': detail}
    if not state:
        return {'status': consts.UNKNOWN, 'status_detail': None,
                'status_reason': _('container state is missing')}
    if isinstance(state, str):
        return _from_word(status, state)
    if state.get('Error'):
        return _from_error(status, state, now)
    if state.get('Paused'):
        return _up(consts.PAUSED, state, now, 'Up %s (paused)')
    if state.get('Restarting'):
        return {'status': consts.RESTARTING,
                'status_detail': 'Restarting'}
    if state.get('Running'):
        return _up(consts.RUNNING, state, now, 'Up %s')
    if state.get('Dead'):
        return {'status': consts.DEAD, 'status_detail': 'Dead'}
    return _from_times(status, detail, state, now)


def _from_word(status, word):
    known = _WORDS.get(word.lower())
    if word == 'created' and status in _BEFORE_START:
        known = status
    if known is None:
        return {'status': consts.UNKNOWN, 'status_detail': None,
                'status_reason': _('unexpected container state')}
    return {'status': known, 'status_detail': None}


def _from_error(status, state, now):
    word = state.get('Status')
    known = consts.CREATED if word == 'created' else _WORDS.get(word, status)
    ago = elapsed(state.get('FinishedAt'), now)
    detail = None
    if ago is not None:
        detail = 'Exited(%s) %s ago (error)' % (state.get('ExitCode', 0),
                                                ago)
    return {'status': known, 'status_detail': detail}


def _up(status, state, now, text):
    since = elapsed(state.get('StartedAt'), now)
    return {'status': status,
            'status_detail': None if since is None else text % since}


def _from_times(status, detail, state, now):
    started = elapsed(state.get('StartedAt'), now)
    finished = elapsed(state.get('FinishedAt'), now)
    if started == '' and finished == '':
        if status == consts.CREATING:
            return {'status': consts.CREATED, 'status_detail': 'Created'}
        return {'status': status, 'status_detail': detail}
    if finished == '':
        return {'status': consts.UNKNOWN, 'status_detail': '',
                'status_reason': _('unexpected container state')}
    return {'status': consts.STOPPED,
            'status_detail': 'Exited(%s) %s ago ' % (
                state.get('ExitCode', 0), finished)}


def elapsed(text: str | None, now: datetime.datetime) -> str | None:
    """How long ago a time was, in its largest unit.

    >>> elapsed('2026-01-02T03:02:05.5Z',
    ...         datetime.datetime(2026, 1, 2, 3, 4, 5))
    '1 mins'

    :param text: RFC 3339.
    :returns: '' for the year one, which stands for never; None for less
        than a second, a time to come, and what is no time.
    """
    if text and text.startswith(NEVER[:19]):
        return ''
    moment = parse_time(text)
    if moment is None:
        return None
    seconds = int((now - moment).total_seconds())
    for size, unit in _UNITS:
        if seconds >= size:
            return '%d %s' % (seconds // size, unit)
    return None


def parse_time(text: str | None) -> datetime.datetime | None:
    """An RFC 3339 time in UTC without a zone; None for no time."""
    match = _TIME.match(text or '')
    if match is None or text.startswith(NEVER[:19]):
        return None
    base, fraction, zone = match.groups()
    moment = datetime.datetime.fromisoformat(
        base + (fraction or '')[:7] + (zone or 'Z'))
    return moment.astimezone(datetime.timezone.utc).replace(tzinfo=None)
