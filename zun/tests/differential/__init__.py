# SPDX-License-Identifier: Apache-2.0
"""This project beside the living reference, on random requests."""
