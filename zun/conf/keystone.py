# SPDX-License-Identifier: Apache-2.0
"""Options of the service's own user at the Identity service."""

import itertools

from keystoneauth1 import loading

keystone_auth_group = 'keystone_auth'

# The generic password plug-in is what an operator sets up; any other one
# named by auth_type registers its options when it is loaded.
auth_opts = list(itertools.chain(
    loading.get_auth_common_conf_options(),
    loading.get_auth_plugin_conf_options('password')))


def register_opts(conf):
    loading.register_auth_conf_options(conf, keystone_auth_group)
    # cafile, certfile, keyfile, insecure, timeout and their like, which
    # keystoneauth documents.
    loading.register_session_conf_options(conf, keystone_auth_group)


def list_opts():
    return {keystone_auth_group: auth_opts}
