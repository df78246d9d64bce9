# SPDX-License-Identifier: Apache-2.0
"""The tests of the statements, on the databases of a deployment.

They are the classes of the unit tests, which run on SQLite.
"""

import importlib
import inspect
import pkgutil

from zun.tests import databases
from zun.tests import fixtures
from zun.tests.unit.db import base
from zun.tests.unit.db.sqlalchemy import queries


def _on_server(case: type, kind: str) -> type:
    def make_database(self):
        return fixtures.ServerDatabase(kind)
    return type('%s_%s' % (case.__name__, kind), (case,),
                {'make_database': make_database, '__module__': __name__})


def _add_cases() -> None:
    for info in pkgutil.iter_modules(queries.__path__):
        module = importlib.import_module('%s.%s' % (queries.__name__,
                                                    info.name))
        for name, case in inspect.getmembers(module, inspect.isclass):
            if issubclass(case, base.DbTestCase):
                for kind in databases.KINDS:
                    cls = _on_server(case, kind)
                    globals()[cls.__name__] = cls


_add_cases()
