# SPDX-License-Identifier: Apache-2.0
"""Binding of claims to PersistentVolumes, their release and protection."""

from typing import Any

from zun.standalone.cluster import quantity
from zun.standalone.cluster import resources
from zun.standalone.cluster import store as stores


def claims(pod: dict[str, Any]) -> list[str]:
    """Names of the claims that a Pod uses."""
    return [v['persistentVolumeClaim']['claimName']
            for v in pod['spec'].get('volumes') or []
            if 'persistentVolumeClaim' in v]


class VolumeBinding:
    """One pass over all claims and volumes at a time."""

    def __init__(self, store: stores.Store) -> None:
        self.store = store

    def reconcile(self) -> None:
        """Bind what fits, release and remove what is no longer used."""
        self._bind_all()
        self._release_all()

    def _bind_all(self) -> None:
        for claim in self.store.select(resources.PVCS):
            if claim['status'].get('phase') == 'Bound' or claim[
                    'metadata'].get('deletionTimestamp'):
                continue
            volume = self._volume_for(claim)
            if volume is not None:
                self._bind_volume(claim, volume)
        for volume in self.store.select(resources.PVS):
            if volume['status'].get('phase') == 'Pending' and (
                    'claimRef' not in volume['spec']):
                self._phase(volume, 'Available')

    def _volume_for(self, claim: dict[str, Any]) -> dict[str, Any] | None:
        meta, spec = claim['metadata'], claim['spec']
        for volume in self.store.select(resources.PVS):
            ref = volume['spec'].get('claimRef')
            mine = ref is not None and (
                ref.get('namespace'), ref.get('name')) == (
                    meta['namespace'], meta['name']) and ref.get(
                        'uid') in (None, '', meta['uid'])
            if ref is not None and not mine:
                continue
            if spec.get('volumeName'):
                if volume['metadata']['name'] == spec['volumeName']:
                    return volume
            elif mine or _fits(claim, volume):
                return volume
        return None

    def _bind_volume(self, claim: dict[str, Any], volume: dict[str, Any]
                     ) -> None:
        meta = claim['metadata']
        name = volume['metadata']['name']
        ref = {'kind': 'PersistentVolumeClaim', 'apiVersion': 'v1',
               'namespace': meta['namespace'], 'name': meta['name'],
               'uid': meta['uid'],
               'resourceVersion': meta['resourceVersion']}

        def edit_volume(obj: dict[str, Any]) -> None:
            obj['spec']['claimRef'] = ref
            obj['status'] = {'phase': 'Bound',
                             'lastPhaseTransitionTime': stores.now()}

        def edit_claim(obj: dict[str, Any]) -> None:
            obj['spec']['volumeName'] = name
            obj['metadata'].setdefault('annotations', {})[
                'pv.kubernetes.io/bind-completed'] = 'yes'
            obj['status'] = {
                'phase': 'Bound', 'capacity': volume['spec']['capacity'],
                'accessModes': volume['spec']['accessModes']}
        self.store.change(resources.PVS, '', name, edit_volume)
        self.store.change(resources.PVCS, meta['namespace'], meta['name'],
                          edit_claim)

    def _release_all(self) -> None:
        used = {(p['metadata']['namespace'], name)
                for p in self.store.select(resources.PODS)
                for name in claims(p)}  # ended Pods protect them too
        for claim in self.store.select(resources.PVCS):
            meta = claim['metadata']
            if meta.get('deletionTimestamp') and (
                    meta['namespace'], meta['name']) not in used:
                self._unprotect(resources.PVCS, claim)
        for volume in self.store.select(resources.PVS):
            ref = volume['spec'].get('claimRef') or {}
            claim = self.store.find(resources.PVCS,
                                    ref.get('namespace', ''),
                                    ref.get('name', ''))
            lost = claim is None or (
                ref.get('uid') and claim['metadata']['uid'] != ref['uid'])
            if volume['status'].get('phase') == 'Bound' and lost:
                self._phase(volume, 'Released')
            elif volume['metadata'].get('deletionTimestamp') and (
                    volume['status'].get('phase') != 'Bound'):
                self._unprotect(resources.PVS, volume)

    def _phase(self, volume: dict[str, Any], phase: str) -> None:
        self.store.change(
            resources.PVS, '', volume['metadata']['name'],
            lambda obj: obj.update(status={
                'phase': phase, 'lastPhaseTransitionTime': stores.now()}))

    def _unprotect(self, resource: resources.ResourceType,
                   obj: dict[str, Any]) -> None:
        meta = obj['metadata']
        if resource.protection in (meta.get('finalizers') or []):
            self.store.change(
                resource, meta.get('namespace', ''), meta['name'],
                lambda o: o['metadata']['finalizers'].remove(
                    resource.protection))


def _fits(claim: dict[str, Any], volume: dict[str, Any]) -> bool:
    if volume['metadata'].get('deletionTimestamp') or volume['status'].get(
            'phase') not in ('Pending', 'Available'):
        return False
    if (claim['spec'].get('storageClassName') or '') != (
            volume['spec'].get('storageClassName') or ''):
        return False
    wanted = claim['spec']['resources']['requests']['storage']
    return quantity.parse(wanted) <= quantity.parse(
        volume['spec']['capacity']['storage']) and set(
            claim['spec']['accessModes']) <= set(
                volume['spec']['accessModes'])
