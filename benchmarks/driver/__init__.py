# SPDX-License-Identifier: Apache-2.0
"""How fast containers become Pods, beside ``kubectl`` and in a crowd."""
