# SPDX-License-Identifier: Apache-2.0
"""The objects that are rows and little more."""

from zun.common import exception
from zun import objects
from zun.tests.unit.db import base
from zun.tests.unit.db import utils


class ImageTestCase(base.DbTestCase):

    def _pull(self):
        image = objects.Image(self.context, **utils.get_test_image())
        image.pull(self.context)
        return image

    def test_pull_and_read(self):
        image = self._pull()
        found = objects.Image.get_by_uuid(self.context, image.uuid)
        self.assertEqual(('nginx', '1.25', '5m', 'compute-1'),
                         (found.repo, found.tag, found.size, found.host))

    def test_save(self):
        image = self._pull()
        image.size = '7m'
        image.save()
        self.assertEqual(['7m'], [
            item.size for item in objects.Image.list(self.context)])

    def test_destroy(self):
        image = self._pull()
        image.destroy(self.context, image.uuid)
        self.assertEqual([], objects.Image.list(self.context))


class ZunNetworkTestCase(base.DbTestCase):

    def _create(self):
        network = objects.ZunNetwork(self.context,
                                     **utils.get_test_network())
        network.create(self.context)
        return network

    def test_create_and_read(self):
        network = self._create()
        found = objects.ZunNetwork.get_by_uuid(self.context, network.uuid)
        self.assertEqual((utils.NETWORK_UUID, 'compute-1'),
                         (found.neutron_net_id, found.host))

    def test_save(self):
        network = self._create()
        network.network_id = 'n'
        network.save()
        self.assertEqual(['n'], [
            item.network_id for item in objects.ZunNetwork.list(
                self.context, filters={'host': 'compute-1'})])

    def test_destroy(self):
        self._create().destroy(self.context)
        self.assertEqual([], objects.ZunNetwork.list(self.context))


class ExecInstanceTestCase(base.DbTestCase):

    def test_create_and_read(self):
        container = utils.create_test_container()
        instance = objects.ExecInstance(
            self.context, container_id=container['id'], exec_id='e',
            token='t', url='u')
        instance.create(self.context)
        found, = objects.ExecInstance.list_by_container_id(
            self.context, container['id'])
        self.assertEqual(('e', 't', 'u'),
                         (found.exec_id, found.token, found.url))


class ZunServiceTestCase(base.DbTestCase):

    def _create(self, **changes):
        service = objects.ZunService(self.context,
                                     **utils.get_test_service(**changes))
        service.create(self.context)
        return service

    def _get(self):
        return objects.ZunService.get_by_host_and_binary(
            self.context, 'compute-1', 'zun-compute')

    def test_create_and_read(self):
        self._create()
        self.assertEqual(('nova', 13), (self._get().availability_zone,
                                        self._get().report_count))

    def test_missing(self):
        self.assertIsNone(self._get())

    def test_report_state_up(self):
        service = self._create(last_seen_up=None)
        service.report_state_up(self.context)
        self.assertEqual(14, self._get().report_count)
        self.assertIsNotNone(self._get().last_seen_up)
        self.assertIsNotNone(service.last_seen_up)

    def test_report_state_up_counts_on(self):
        service = self._create()
        service.report_state_up()
        service.report_state_up()
        self.assertEqual(15, self._get().report_count)

    def test_update(self):
        self._create().update(self.context, {'disabled': True,
                                             'disabled_reason': 'x'})
        self.assertEqual((True, 'x'), (self._get().disabled,
                                       self._get().disabled_reason))

    def test_flags_that_are_null(self):
        utils.create_test_service(disabled=None, forced_down=None)
        self.assertEqual((False, False), (self._get().disabled,
                                          self._get().forced_down))

    def test_lists(self):
        self._create(host='h2')
        self._create(host='h1')
        self._create(host='h0', binary='other')
        self.assertEqual(['h0', 'h1', 'h2'], [
            item.host for item in objects.ZunService.list(
                self.context, sort_key='host')])
        self.assertEqual(['h2', 'h1'], [
            item.host for item in objects.ZunService.list_by_binary(
                self.context, 'zun-compute')])

    def test_destroy(self):
        self._create().destroy(self.context)
        self.assertIsNone(self._get())


class QuotaTestCase(base.DbTestCase):

    def _create(self, resource='cpu', limit=5):
        quota = objects.Quota(self.context, project_id=utils.PROJECT,
                              resource=resource, hard_limit=limit)
        quota.create(self.context)
        return quota

    def _limits(self):
        return {item.resource: item.hard_limit for item in
                objects.Quota.get_all(self.context, utils.PROJECT)}

    def test_create_and_read(self):
        self._create()
        self.assertEqual(5, objects.Quota.get(
            self.context, utils.PROJECT, 'cpu').hard_limit)

    def test_no_limit(self):
        objects.Quota(self.context, project_id=utils.PROJECT,
                      resource='cpu').create(self.context)
        self.assertEqual({'cpu': None}, self._limits())

    def test_update(self):
        quota = self._create()
        quota.hard_limit = 7
        quota.update(self.context)
        self.assertEqual({'cpu': 7}, self._limits())

    def test_destroy(self):
        self._create('disk')
        self._create().destroy(self.context)
        self.assertEqual({'disk': 5}, self._limits())

    def test_destroy_all(self):
        self._create('disk')
        objects.Quota.destroy_all_by_project(self.context, utils.PROJECT)
        self.assertEqual({}, self._limits())


class QuotaClassTestCase(base.DbTestCase):

    def _create(self, name, limit):
        quota = objects.QuotaClass(self.context, class_name=name,
                                   resource='cpu', hard_limit=limit)
        quota.create(self.context)
        return quota

    def test_create_and_read(self):
        self._create('gold', 5)
        self.assertEqual(5, objects.QuotaClass.get(
            self.context, 'gold', 'cpu').hard_limit)

    def test_default_class(self):
        self._create('gold', 5)
        self._create('default', 3)
        self.assertEqual([3], [
            item.hard_limit
            for item in objects.QuotaClass.get_all(self.context)])

    def test_update(self):
        quota = self._create('gold', 5)
        quota.hard_limit = 7
        quota.update(self.context)
        self.assertEqual([7], [
            item.hard_limit
            for item in objects.QuotaClass.get_all(self.context, 'gold')])


class ResourceProviderTestCase(base.DbTestCase):

    def _create(self):
        provider = objects.ResourceProvider(
            self.context, **utils.get_test_resource_provider())
        provider.create(self.context)
        return provider

    def test_create_and_read(self):
        self._create()
        for found in (
                objects.ResourceProvider.get_by_uuid(self.context,
                                                     utils.PROVIDER_UUID),
                objects.ResourceProvider.get_by_name(self.context,
                                                     'compute-1'),
                objects.ResourceProvider.list(self.context)[0]):
            self.assertEqual(('compute-1', 1), (found.name, found.can_host))

    def test_flag_that_is_null(self):
        utils.create_test_resource_provider(can_host=None)
        found, = objects.ResourceProvider.list(self.context)
        self.assertEqual(0, found.can_host)

    def test_save_and_refresh(self):
        provider = self._create()
        other, = objects.ResourceProvider.list(self.context)
        provider.name = 'new'
        provider.save()
        other.refresh()
        self.assertEqual('new', other.name)

    def test_destroy(self):
        self._create().destroy(self.context)
        self.assertRaises(exception.ResourceProviderNotFound,
                          objects.ResourceProvider.get_by_uuid, self.context,
                          utils.PROVIDER_UUID)


class ResourceClassTestCase(base.DbTestCase):

    def _create(self):
        item = objects.ResourceClass(self.context, uuid=utils.UUID,
                                     name='VCPU')
        item.create(self.context)
        return item

    def test_create_and_read(self):
        self._create()
        for found in (
                objects.ResourceClass.get_by_uuid(self.context, utils.UUID),
                objects.ResourceClass.get_by_name(self.context, 'VCPU'),
                objects.ResourceClass.list(self.context)[0]):
            self.assertEqual((utils.UUID, 'VCPU'), (found.uuid, found.name))

    def test_save_and_refresh(self):
        item = self._create()
        other = objects.ResourceClass.get_by_name(self.context, 'VCPU')
        item.name = 'DISK_GB'
        item.save()
        other.refresh()
        self.assertEqual('DISK_GB', other.name)

    def test_destroy(self):
        self._create().destroy(self.context)
        self.assertEqual([], objects.ResourceClass.list(self.context))
