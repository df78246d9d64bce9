# SPDX-License-Identifier: Apache-2.0
"""Packaging entry point; everything stands in setup.cfg (pbr)."""

import setuptools

setuptools.setup(pbr=True)
