# SPDX-License-Identifier: Apache-2.0
"""How fast the task engine is, on each database, beside a message bus."""
