# SPDX-License-Identifier: Apache-2.0
"""What the compute side can do.

One method for each operation, by the name under which it is asked for: a
task of that kind, or a call of the API that only reads. ``<name>_failed``
runs once when a task is given up; it undoes and tells. The work itself is
in :mod:`zun.compute.operations`.
"""

import functools

from zun.common import exception
from zun.compute.operations import base
from zun.compute.operations import capsules
from zun.compute.operations import create
from zun.compute.operations import delete
from zun.compute.operations import execs
from zun.compute.operations import images
from zun.compute.operations import networks
from zun.compute.operations import node
from zun.compute.operations import policy
from zun.compute.operations import power
from zun.compute.operations import update
from zun import objects


def _afresh(failed):
    """Run a hook on the container as it is in the database.

    What the failed operation has changed and not saved is dropped. A
    container that is gone needs no report.
    """
    @functools.wraps(failed)
    def wrapper(self, context, exc, container, **kwargs):
        container.obj_reset_changes(recursive=True)
        try:
            container.refresh(context)
        except exception.NotFound:
            return None
        except exception.HTTPNotFound:
            return None
        return failed(self, context, base.remembered(context, exc),
                      container, **kwargs)
    return wrapper


class Manager:
    """The operations, carried out through drivers.

    :param driver: None is the one of the configuration, loaded when it is
        first needed.
    """

    def __init__(self, driver=None, capsule_driver=None):
        self.parts = base.Parts(driver, capsule_driver)

    @property
    def driver(self):
        return self.parts.driver

    # -- create and delete -----------------------------------------------
    def container_create(self, context, limits, requested_networks,
                         requested_volumes, container, run,
                         pci_requests=None):
        if isinstance(container, objects.Capsule):
            return self.capsule_create(
                context, container, requested_networks, requested_volumes,
                limits, pci_requests, run)
        create.create(self.parts, context, container, limits,
                      requested_networks, requested_volumes, run,
                      pci_requests)

    @_afresh
    def container_create_failed(self, context, exc, container,
                                requested_networks=(),
                                requested_volumes=None, **kwargs):
        failed = create.create_failed
        if isinstance(container, objects.Capsule):
            failed = capsules.create_failed
        failed(self.parts, context, container, exc, requested_networks,
               requested_volumes or {})

    def capsule_create(self, context, capsule, requested_networks,
                       requested_volumes, limits, pci_requests=None,
                       run=False):
        capsules.create(self.parts, context, capsule, limits,
                        requested_networks, requested_volumes, pci_requests,
                        run)

    def capsule_create_failed(self, context, exc, capsule, **kwargs):
        self.container_create_failed(context, exc, container=capsule,
                                     **kwargs)

    def container_rebuild(self, context, container, run):
        create.rebuild(self.parts, context, container, run)

    @_afresh
    def container_rebuild_failed(self, context, exc, container, **kwargs):
        create.rebuild_failed(self.parts, context, container, exc)

    def container_delete(self, context, container, force=False):
        delete.delete(self.parts, context, container, force)

    @_afresh
    def container_delete_failed(self, context, exc, container, force=False):
        delete.delete_failed(self.parts, context, container, force, exc)

    def capsule_delete(self, context, capsule):
        delete.delete(self.parts, context, capsule, force=True)

    def capsule_delete_failed(self, context, exc, capsule):
        self.container_delete_failed(context, exc, container=capsule,
                                     force=True)

    # -- power -----------------------------------------------------------
    def container_start(self, context, container):
        power.start(self.parts, context, container)

    @_afresh
    def container_start_failed(self, context, exc, container):
        power.start_failed(self.parts, context, container, exc)

    def container_stop(self, context, container, timeout):
        power.stop(self.parts, context, container, timeout)

    @_afresh
    def container_stop_failed(self, context, exc, container, **kwargs):
        power.failed(context, container, power.STOP, exc)

    def container_reboot(self, context, container, timeout):
        power.reboot(self.parts, context, container, timeout)

    @_afresh
    def container_reboot_failed(self, context, exc, container, **kwargs):
        power.hold_back(self.parts, context, container, exc)
        power.failed(context, container, power.REBOOT, exc)

    def container_pause(self, context, container):
        power.pause(self.parts, context, container)

    @_afresh
    def container_pause_failed(self, context, exc, container):
        power.failed(context, container, power.PAUSE, exc)

    def container_unpause(self, context, container):
        power.unpause(self.parts, context, container)

    @_afresh
    def container_unpause_failed(self, context, exc, container):
        power.failed(context, container, power.UNPAUSE, exc)

    def container_kill(self, context, container, signal=None):
        power.kill(self.parts, context, container, signal)

    @_afresh
    def container_kill_failed(self, context, exc, container, **kwargs):
        power.failed(context, container, power.KILL, exc)

    def container_keep(self, context, container, halt, timeout):
        return node.keep(self.parts, context, container, halt, timeout)

    def container_restart(self, context, container, pod, memory):
        policy.restart(self.parts, context, container, pod, memory)

    @_afresh
    def container_restart_failed(self, context, exc, container, **kwargs):
        policy.restart_failed(self.parts, context, container, exc)

    # -- reads and terminals ---------------------------------------------
    def container_show(self, context, container):
        return execs.show(self.parts, context, container)

    def container_logs(self, context, container, stdout, stderr,
                       timestamps, tail, since):
        return execs.logs(self.parts, context, container, stdout, stderr,
                          timestamps, tail, since)

    def container_exec(self, context, container, command, run, interactive):
        return execs.execute(self.parts, context, container, command, run,
                             interactive)

    def container_exec_resize(self, context, exec_id, height, width):
        return execs.resize_exec(context, exec_id, height, width)

    def container_attach(self, context, container):
        return execs.attach(self.parts, context, container)

    def container_resize(self, context, container, height, width):
        return execs.resize(self.parts, context, container, height, width)

    def container_top(self, context, container, ps_args):
        return execs.top(self.parts, context, container, ps_args)

    def container_stats(self, context, container):
        return execs.stats(self.parts, context, container)

    def container_get_archive(self, context, container, path, encode_data):
        return execs.get_archive(self.parts, context, container, path,
                                 encode_data)

    def container_put_archive(self, context, container, path, data,
                              decode_data):
        execs.put_archive(self.parts, context, container, path, data,
                          decode_data)

    # -- changes ---------------------------------------------------------
    def container_update(self, context, container, patch):
        return update.update(self.parts, context, container, patch,
                             hold_quota=True)

    @_afresh
    def container_update_failed(self, context, exc, container, **kwargs):
        update.update_failed(self.parts, context, container, exc)

    def resize_container(self, context, container, patch):
        update.update(self.parts, context, container, patch)

    resize_container_failed = container_update_failed

    def container_commit(self, context, container, repository, tag=None):
        return images.commit(self.parts, context, container, repository, tag)

    def container_upload(self, context, container, repository, tag,
                         image_id):
        images.upload(self.parts, context, container, repository, tag,
                      image_id)

    @_afresh
    def container_upload_failed(self, context, exc, container, image_id=None,
                                **kwargs):
        images.upload_failed(context, container, exc, image_id)

    def add_security_group(self, context, container, security_group):
        networks.add_security_group(self.parts, context, container,
                                    security_group)

    @_afresh
    def add_security_group_failed(self, context, exc, container, **kwargs):
        power.failed(context, container, networks.ADD_GROUP, exc)

    def remove_security_group(self, context, container, security_group):
        networks.remove_security_group(self.parts, context, container,
                                       security_group)

    @_afresh
    def remove_security_group_failed(self, context, exc, container,
                                     **kwargs):
        power.failed(context, container, networks.REMOVE_GROUP, exc)

    def network_attach(self, context, container, requested_network):
        networks.attach(self.parts, context, container, requested_network)

    @_afresh
    def network_attach_failed(self, context, exc, container, **kwargs):
        networks.attach_failed(self.parts, context, container, exc)

    def network_detach(self, context, container, network):
        networks.detach(self.parts, context, container, network)

    @_afresh
    def network_detach_failed(self, context, exc, container, **kwargs):
        power.failed(context, container, networks.DETACH, exc)

    # -- images and networks ---------------------------------------------
    def image_pull(self, context, image):
        images.pull(self.parts, context, image)

    def image_fetch(self, context, image, only_look):
        return images.fetch(self.parts, context, image, only_look)

    def image_delete(self, context, image):
        images.delete(self.parts, context, image)

    def image_search(self, context, image, image_driver_name, exact_match,
                     registry):
        return images.search(context, image, image_driver_name, exact_match,
                             registry)

    def network_create(self, context, neutron_net_id):
        return networks.create_network(context, neutron_net_id)

    def network_delete(self, context, network):
        networks.delete_network(context, network)
