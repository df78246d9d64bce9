# SPDX-License-Identifier: Apache-2.0
"""All exceptions of the service, in one name space.

The modules of this package group them; others import this package.
"""

from zun.common.exception.base import *  # noqa: F401,F403,H303
from zun.common.exception.internal import *  # noqa: F401,F403,H303
from zun.common.exception.resources import *  # noqa: F401,F403,H303
from zun.common.exception.scheduling import *  # noqa: F401,F403,H303

# Stands for the message of an error of status 500; the correlation id is in
# the log beside the real one.
OBFUSCATED_MSG = ('Your request could not be handled '
                  'because of a problem in the server. '
                  'Error Correlation id is: %s')
