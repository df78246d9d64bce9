# SPDX-License-Identifier: Apache-2.0
"""The scheduler as the API calls it, and Placement's client."""
