# SPDX-License-Identifier: Apache-2.0
"""What the daemon does for each request, and between them.

The state of an attachment is on the disk before the first change and goes
after the last one; every step may be repeated. So it does not matter where
a process ends: the next request for the sandbox, or the sweep, goes on.
"""

from collections.abc import Iterator
import contextlib
import os
import time

from oslo_log import log as logging

from zun.cni import attachments
from zun.cni.binding import base
from zun.cni.binding import links
from zun.cni.binding import switch as ovs
from zun.cni import locks
from zun.cni import pods
from zun.cni import spec
from zun.cni import vifs
import zun.conf

CONF = zun.conf.CONF
LOG = logging.getLogger(__name__)


class Plugger:
    """Plugs sandboxes into their ports.

    :param store: what is plugged.
    """

    def __init__(self, store: attachments.Store, switch: ovs.Switch):
        self._store = store
        self._switch = switch
        self._locks = locks.Locks()

    # -- requests --------------------------------------------------------
    def add(self, request: spec.Request, pod: pods.Pod) -> dict:
        """Plug a sandbox; the result for the runtime.

        :raises CNIError: its Pod does not say how.
        """
        wanted = _vifs_of(pod)
        if not wanted[0].ips:
            # The runtime takes no sandbox without an address.
            raise spec.CNIError(
                spec.INVALID_CONFIGURATION,
                'Port %s has no address, so it cannot be the first one of '
                'a container' % wanted[0].id)
        attachment = _attachment(request, pod, wanted)
        with self._locks.hold(request.sandbox):
            former = self._store.get(request.sandbox)
            if former is not None:
                self._remove(former)
            self._store.save(attachment)
            try:
                for name in attachment.interfaces:
                    self._connect(attachment, name, request.netns)
                self._set_routes(attachment, request.netns)
            except Exception:
                self._undo(attachment)
                raise
        return spec.result(request.version, request.netns_path,
                           attachment.interfaces)

    def _undo(self, attachment):
        """Leave nothing of an ADD that failed; the error is told."""
        try:
            self._remove(attachment)
        except Exception:
            # The runtime deletes what it could not add.
            LOG.exception('Sandbox %s could not be unplugged yet',
                          attachment.sandbox)

    def delete(self, sandbox: str) -> None:
        """Unplug a sandbox; one that is not known is no error."""
        with self._locks.hold(sandbox):
            attachment = self._store.get(sandbox)
            if attachment is not None:
                self._remove(attachment)

    def check(self, request: spec.Request) -> None:
        """:raises CNIError: the sandbox is not plugged as it should be."""
        with self._locks.hold(request.sandbox):
            attachment = self._store.get(request.sandbox)
            if attachment is None:
                raise spec.CNIError(
                    spec.UNKNOWN_CONTAINER,
                    'Sandbox %s is not plugged' % request.sandbox)
            inside = links.inside(request.netns, links.addresses)
            for name, vif in attachment.interfaces.items():
                self._check(attachment, name, vif, inside)

    def _check(self, attachment, name, vif, inside):
        plug, driver = self._binding(attachment, name)
        mac, found = inside.get(name, ('', set()))
        missing = {ip.address for ip in vif.ips} - found
        if not driver.is_plugged(plug):
            raise spec.CNIError(spec.NOT_PLUGGED,
                                'Port %s is not plugged' % vif.id)
        if mac != vif.mac or missing:
            raise spec.CNIError(
                spec.NOT_PLUGGED,
                'Interface %s of port %s has MAC %s and lacks %s' % (
                    name, vif.id, mac or '(none)', sorted(missing)))

    def collect(self, network: str, valid: set[str]) -> None:
        """Unplug what the runtime does not know on a CNI network."""
        for attachment in self._store.all():
            if (attachment.network == network and
                    attachment.sandbox not in valid):
                LOG.info('Sandbox %s was left: unplugging it',
                         attachment.sandbox)
                self.delete(attachment.sandbox)

    # -- between requests ------------------------------------------------
    def sweep(self) -> None:
        """Unplug what is left of sandboxes that are gone."""
        for attachment in self._store.all():
            if not attachment.is_dead():
                continue
            LOG.info('Sandbox %(sandbox)s of Pod %(pod)s is gone: '
                     'unplugging it', {'sandbox': attachment.sandbox,
                                       'pod': '/'.join(attachment.pod[:2])})
            try:
                self.delete(attachment.sandbox)
            except Exception:
                LOG.exception('Sandbox %s could not be unplugged; the next '
                              'sweep tries again', attachment.sandbox)

    def follow(self, pod: pods.Pod) -> None:
        """Plug and unplug interfaces of a running Pod as it says now.

        :raises CNIError: its annotation cannot be read.
        """
        for attachment in self._store.of_pod(pod.uid):
            if self._differs(attachment, pod):
                with self._locks.hold(attachment.sandbox):
                    current = self._store.get(attachment.sandbox)
                    if current is not None:
                        self._change(current, _vifs_of(pod, may_lack=True))

    @staticmethod
    def _differs(attachment, pod):
        return [vif.id for vif in _vifs_of(pod, may_lack=True)] != [
            vif.id for vif in attachment.interfaces.values()]

    def _change(self, attachment, wanted):
        netns = attachment.open_namespace()
        if netns is None:
            raise spec.CNIError(
                spec.TRY_AGAIN, 'The network namespace %s of Pod %s is not '
                'there' % (attachment.netns_path, attachment.pod[1]))
        try:
            self._detach(attachment, wanted, netns)
            self._attach(attachment, wanted, netns)
            if wanted:
                self._set_routes(attachment, netns)
        finally:
            os.close(netns)

    def _detach(self, attachment, wanted, netns):
        ids = {vif.id for vif in wanted}
        for name, vif in list(attachment.interfaces.items()):
            if vif.id not in ids:
                self._disconnect(attachment, name, netns)
                del attachment.interfaces[name]
                self._store.save(attachment)
                LOG.info('Detached %(name)s, port %(port)s, from Pod '
                         '%(pod)s', {'name': name, 'port': vif.id,
                                     'pod': '/'.join(attachment.pod[:2])})

    def _attach(self, attachment, wanted, netns):
        known = {vif.id: name for name, vif in
                 attachment.interfaces.items()}
        for vif in wanted:
            if vif.id in known:
                continue
            name = _free_name(attachment.interfaces)
            known[vif.id] = name
            attachment.interfaces[name] = vif
            self._store.save(attachment)
            try:
                self._connect(attachment, name, netns)
            except Exception:
                self._disconnect(attachment, name, netns)
                del attachment.interfaces[name]
                self._store.save(attachment)
                raise
        # The order says which one leads to the rest of the world.
        attachment.interfaces = {
            known[vif.id]: vif for vif in wanted}
        self._store.save(attachment)

    # -- one interface ---------------------------------------------------
    def _binding(self, attachment, name
                 ) -> tuple[base.Plug, base.BaseBindingDriver]:
        plug = base.Plug(attachment.interfaces[name], attachment.instance,
                         name)
        return plug, base.driver_for(plug.osvif, self._switch)

    def _connect(self, attachment, name, netns):
        plug, driver = self._binding(attachment, name)
        began = time.monotonic()
        with self._locks.hold('port ' + plug.vif.id):
            if driver.is_left(plug):
                # Of an earlier attempt, or of a sandbox that is gone.
                driver.disconnect(plug, netns)
            driver.connect(plug, netns)
            plugged = time.monotonic()
            if not driver.await_active(plug,
                                       CONF.cni_daemon.vif_active_timeout):
                raise spec.CNIError(
                    spec.TRY_AGAIN,
                    'Port %s was plugged on host %s, but nobody let its '
                    'packets pass. Is it bound to this host, and does the '
                    'controller of its switch run?' % (
                        plug.vif.id, CONF.host))
        LOG.info(
            'Plugged %(name)s, port %(port)s, into Pod %(pod)s in '
            '%(plug).1f ms, active after %(active).1f ms',
            {'name': name, 'port': plug.vif.id,
             'pod': '/'.join(attachment.pod[:2]),
             'plug': (plugged - began) * 1e3,
             'active': (time.monotonic() - plugged) * 1e3})

    def _disconnect(self, attachment, name, netns):
        plug, driver = self._binding(attachment, name)
        with self._locks.hold('port ' + plug.vif.id):
            if not self._store.owns(attachment.sandbox, plug.vif.id):
                LOG.info('Port %s is in a later sandbox and stays',
                         plug.vif.id)
            elif driver.is_left(plug):
                driver.disconnect(plug, netns)

    def _remove(self, attachment):
        with _namespace(attachment) as netns:
            for name in attachment.interfaces:
                self._disconnect(attachment, name, netns)
        self._store.forget(attachment.sandbox)

    @staticmethod
    def _set_routes(attachment, netns):
        """Once all interfaces are there: a gateway may be on any."""
        def set_all():
            for number, (name, vif) in enumerate(
                    attachment.interfaces.items()):
                links.set_routes(name, vif.routes(first=number == 0))
        links.inside(netns, set_all)


@contextlib.contextmanager
def _namespace(attachment) -> Iterator[int | None]:
    netns = attachment.open_namespace()
    try:
        yield netns
    finally:
        if netns is not None:
            os.close(netns)


def _vifs_of(pod: pods.Pod, may_lack: bool = False) -> list[vifs.VIF]:
    if may_lack and not pod.vifs:
        return []
    try:
        return vifs.read(pod.vifs)
    except vifs.Unusable as error:
        raise spec.CNIError(
            spec.INVALID_CONFIGURATION,
            'Pod %s/%s has no usable annotation of its ports: %s' % (
                pod.namespace, pod.name, error))


def _attachment(request, pod, wanted):
    interfaces: dict[str, vifs.VIF] = {}
    for vif in wanted:
        name = _free_name(interfaces) if interfaces else request.interface
        interfaces[name] = vif
    own = attachments.namespace_id(os.fstat(request.netns))
    return attachments.Attachment(
        sandbox=request.sandbox, network=request.network,
        pod=(pod.namespace, pod.name, pod.uid), instance=pod.instance,
        netns_path=request.netns_path, netns_id=own,
        is_visible=_is_seen(request.netns_path, own),
        interfaces=interfaces)


def _is_seen(path, own):
    try:
        return attachments.namespace_id(os.stat(path)) == own
    except OSError:
        return False


def _free_name(taken):
    number = 0
    while 'eth%d' % number in taken:
        number += 1
    return 'eth%d' % number
