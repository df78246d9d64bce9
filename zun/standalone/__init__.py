# SPDX-License-Identifier: Apache-2.0
"""All of Zun in one process, on a simulated cluster or a real one."""
