# SPDX-License-Identifier: Apache-2.0
"""What the reference's compute side left behind, against the port's."""
