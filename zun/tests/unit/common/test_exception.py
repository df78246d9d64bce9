# SPDX-License-Identifier: Apache-2.0

import inspect

import fixtures

from zun.common import exception
from zun.tests import base
from zun.tests.contract import facts


def declared() -> dict[str, type]:
    return {name: cls for name, cls in inspect.getmembers(exception)
            if inspect.isclass(cls)
            and issubclass(cls, exception.ZunException)}


class FactsTestCase(base.BaseTestCase):

    def test_same_names(self):
        self.assertEqual(
            sorted(fact['name'] for fact in facts.load('exceptions')),
            sorted(declared()))

    def test_same_bases_codes_messages_and_arguments(self):
        for fact in facts.load('exceptions'):
            cls = declared()[fact['name']]
            signature = inspect.signature(cls.__init__)
            self.assertEqual(
                {'api_code': fact['api_code'],
                 'arguments': fact['arguments'],
                 'bases': fact['bases'],
                 'code': fact['code'],
                 'message': fact['message']},
                {'api_code': 'container.'
                    + exception.convert_excp_to_err_code(cls.__name__),
                 'arguments': list(signature.parameters)[1:],
                 'bases': [b.__name__ for b in cls.__bases__],
                 'code': cls.code,
                 'message': str(cls.message)},
                fact['name'])

    def test_only_errors_of_the_client_are_shown(self):
        for fact in facts.load('exceptions'):
            cls = declared()[fact['name']]
            self.assertEqual(fact['shown_to_clients'], cls.code < 500)


class ZunExceptionTestCase(base.BaseTestCase):

    def test_message_of_the_class_is_filled(self):
        error = exception.ContainerNotFound(container='web')
        self.assertEqual('Container web could not be found.', str(error))

    def test_code_is_kept_beside_the_values(self):
        error = exception.ContainerNotFound(container='web')
        self.assertEqual({'container': 'web', 'code': 404}, error.kwargs)

    def test_given_message_wins(self):
        self.assertEqual('busy', str(exception.Conflict('busy')))

    def test_given_message_is_filled(self):
        self.assertEqual('busy: a',
                         str(exception.Conflict('busy: %(who)s', who='a')))

    def test_given_message_without_values_may_hold_a_percent_sign(self):
        self.assertEqual('100% busy', str(exception.Conflict('100% busy')))

    def test_missing_value_leaves_the_message_as_it_is(self):
        error = exception.ContainerNotFound(name='secret')
        self.assertEqual('Container %(container)s could not be found.',
                         error.format_message())

    def test_missing_value_is_logged_without_values(self):
        log = self.useFixture(fixtures.FakeLogger())
        exception.ContainerNotFound(name='s3cret')
        self.assertIn('ContainerNotFound', log.output)
        self.assertNotIn('s3cret', log.output)

    def test_network_already_exists_takes_field_and_value(self):
        self.assertEqual('A network with name a already exists.',
                         str(exception.NetworkAlreadyExists('name', 'a')))


class ErrorCodeTestCase(base.BaseTestCase):

    def test_acronym_is_one_word(self):
        self.assertEqual('http-not-found',
                         exception.convert_excp_to_err_code('HTTPNotFound'))

    def test_number_is_a_word(self):
        self.assertEqual('base-64-exception',
                         exception.convert_excp_to_err_code('Base64Exception'))

    def test_underscore_parts(self):
        self.assertEqual(
            'conflict-remote',
            exception.convert_excp_to_err_code('Conflict_Remote'))

    def test_single_capital_is_dropped(self):
        self.assertEqual('pci', exception.convert_excp_to_err_code('PciX'))

    def test_empty(self):
        self.assertEqual('', exception.convert_excp_to_err_code(''))
