# SPDX-License-Identifier: Apache-2.0
"""What the reference's compute side left behind, against the port's.

Rows and requests to peers are compared. What a call answers is not: that is
the part of the API's recordings. The engine is one in memory, not a cluster.
"""
