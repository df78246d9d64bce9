# SPDX-License-Identifier: Apache-2.0
"""Options of the service, one module a group.

A module has ``register_opts(conf)`` and ``list_opts()``, which returns a
mapping of group to options. ``MODULES`` names them all; registering, the
sample file and the tests read it.
"""

from oslo_config import cfg

from zun.conf import agent
from zun.conf import api
from zun.conf import availability_zone
from zun.conf import cinder_client
from zun.conf import cni
from zun.conf import compute
from zun.conf import container
from zun.conf import crypt
from zun.conf import database
from zun.conf import docker
from zun.conf import glance
from zun.conf import glance_client
from zun.conf import keystone
from zun.conf import kubernetes
from zun.conf import netconf
from zun.conf import network
from zun.conf import neutron
from zun.conf import neutron_client
from zun.conf import paths
from zun.conf import pci
from zun.conf import placement_client
from zun.conf import profiler
from zun.conf import quota
from zun.conf import sandbox
from zun.conf import scheduler
from zun.conf import service
from zun.conf import ssl
from zun.conf import task
from zun.conf import volume
from zun.conf import websocket_proxy
from zun.conf import zun_client

MODULES = (
    agent,
    api,
    availability_zone,
    cinder_client,
    cni,
    compute,
    container,
    crypt,
    database,
    docker,
    glance,
    glance_client,
    keystone,
    kubernetes,
    netconf,
    network,
    neutron,
    neutron_client,
    paths,
    pci,
    placement_client,
    profiler,
    quota,
    sandbox,
    scheduler,
    service,
    ssl,
    task,
    volume,
    websocket_proxy,
    zun_client,
)

CONF = cfg.CONF

for _module in MODULES:
    _module.register_opts(CONF)
