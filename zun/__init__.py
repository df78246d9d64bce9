# SPDX-License-Identifier: Apache-2.0
"""OpenStack Containers on Kubernetes."""

import warnings

# Libraries import eventlet where it is installed. Nothing here uses it, so
# its warning would only puzzle whoever starts a command.
warnings.filterwarnings('ignore', message=r'\s*Eventlet is deprecated')
