# SPDX-License-Identifier: Apache-2.0
"""The statements, one module a resource.

Functions take the request's context first, join the open transaction of the
thread and return rows as dictionaries of column name to value (the types of
the model's columns).  Other code calls them through :mod:`zun.db.api`.
"""
