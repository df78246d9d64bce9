# SPDX-License-Identifier: Apache-2.0
"""Stand-ins for Zun's peers: identity, placement, network, volume, image.

They answer the requests that Zun, its clients and the token filter make, and
keep the rules that Zun depends on (generations, capacity, states, owners).
They are no OpenStack: no quotas, no policies beyond owner and role, no
packets. All live under one address on loopback.
"""
