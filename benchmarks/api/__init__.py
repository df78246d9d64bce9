# SPDX-License-Identifier: Apache-2.0
"""How fast the API is, beside that of Zun 18.0.0.

``python -m benchmarks.api`` runs both on one machine, by turns, with the
same MariaDB server, WSGI server, peers, rows and requests.
"""
