# SPDX-License-Identifier: Apache-2.0
"""A few deaths of workers, always the same ones.

All of them, or any number at random: ``python -m zun.tests.fault.kill``.
"""

from testtools import content

from zun.tests import base
from zun.tests import databases
from zun.tests.fault import cases
from zun.tests.fault import kill

BEFORE, AFTER = kill.PHASES

# By kind of task: points at which something is done and not yet noted down,
# the first and the last moment of an attempt.
PLANS = (
    ('start', {cases.CREATE: (8, AFTER), 'container_start': (4, AFTER),
               cases.DELETE: (2, AFTER)}),
    ('start of a new one', {cases.CREATE: (12, AFTER),
                            'container_start': (0, AFTER),
                            cases.DELETE: (0, BEFORE)}),
    ('stop', {cases.CREATE: (11, AFTER), 'container_stop': (4, AFTER),
              cases.DELETE: (4, AFTER)}),
    ('reboot', {cases.CREATE: (16, BEFORE), 'container_reboot': (4, AFTER),
                cases.DELETE: (5, BEFORE)}),
    ('pause', {cases.CREATE: (9, BEFORE), 'container_pause': (3, AFTER)}),
    ('unpause', {cases.CREATE: (3, AFTER), 'container_unpause': (3, AFTER)}),
    ('kill', {cases.CREATE: (5, AFTER), 'container_kill': (3, AFTER)}),
    ('rebuild', {'container_rebuild': (5, AFTER)}),
    ('update', {'container_update': (3, AFTER)}),
    ('attach a network', {'network_attach': (4, AFTER)}),
    ('detach a network', {'network_detach': (5, AFTER)}),
    ('add a security group', {'add_security_group': (3, AFTER)}),
    ('commit', {'container_upload': (2, AFTER)}),
    ('capsule', {'capsule_create': (9, AFTER), 'capsule_delete': (3, AFTER)}),
    ('image', {'image_pull': (1, AFTER)}),
    ('network', {'network_create': (1, AFTER), 'network_delete': (1, AFTER)}),
)


class TestKills(base.TestCase):

    def test_work_goes_on_as_if_nobody_had_died(self):
        server = databases.get('mariadb')
        url = server.create_database()
        self.addCleanup(server.drop_database, url)
        ground = kill.open_ground(url)
        self.addCleanup(ground.cleanUp)
        told = []
        campaign = kill.Campaign(ground, told.append)
        campaign.run(list(PLANS), 6)
        if campaign.wrong:
            for name, text in ground.logs().items():
                self.addDetail(name, content.text_content(text))
        self.assertEqual([], campaign.wrong)
        self.assertEqual(len(PLANS), sum(campaign.lived.values()))
        self.assertGreater(ground.points.fired(), len(PLANS))
