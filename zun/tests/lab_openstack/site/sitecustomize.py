# SPDX-License-Identifier: Apache-2.0
"""Run the tests that the Tempest plugin skips because of the reference.

Python loads this module by its name in the processes of Tempest, before the
plugin is imported. Skips for another reason stay.
"""

import testtools

_REASONS = ('bug 1941982', 'bug 1897497', 'temporarily disabled')
_skip = testtools.skip


def _skip_unless_lifted(reason):
    if reason in _REASONS:
        return lambda test: test
    return _skip(reason)


testtools.skip = _skip_unless_lifted
