# SPDX-License-Identifier: Apache-2.0
"""The database, as the rest of the service sees it.

Functions take the request's context first and return rows as dictionaries of
column name to value.  Calls inside a ``writer(context)`` block are one
transaction; see :mod:`zun.db.sqlalchemy.transaction`.
"""

from zun.db.sqlalchemy.queries import compute_nodes
from zun.db.sqlalchemy.queries import container_actions
from zun.db.sqlalchemy.queries import containers
from zun.db.sqlalchemy.queries import exec_instances
from zun.db.sqlalchemy.queries import images
from zun.db.sqlalchemy.queries import networks
from zun.db.sqlalchemy.queries import pci_devices
from zun.db.sqlalchemy.queries import quota_reservations
from zun.db.sqlalchemy.queries import quotas
from zun.db.sqlalchemy.queries import registries
from zun.db.sqlalchemy.queries import resource_classes
from zun.db.sqlalchemy.queries import resource_providers
from zun.db.sqlalchemy.queries import scheduling
from zun.db.sqlalchemy.queries import services
from zun.db.sqlalchemy.queries import terminal_sessions
from zun.db.sqlalchemy.queries import volumes
from zun.db.sqlalchemy import transaction

# Transactions
writer = transaction.writer
reader = transaction.reader
single = transaction.single
retry_on_conflict = transaction.retry_on_conflict
in_transaction = transaction.in_transaction
get_engine = transaction.get_engine
configure = transaction.configure
dispose = transaction.dispose

# Containers and capsules
list_containers = containers.list_containers
list_containers_by_capsule_ids = containers.list_containers_by_capsule_ids
get_container_by_uuid = containers.get_container_by_uuid
get_container_by_name = containers.get_container_by_name
check_name_is_free = containers.check_name_is_free
create_container = containers.create_container
update_container = containers.update_container
destroy_container = containers.destroy_container
count_usage = containers.count_usage
count_usages = containers.count_usages

# Exec instances
create_exec_instance = exec_instances.create_exec_instance
list_exec_instances = exec_instances.list_exec_instances
list_exec_instances_by_container_ids = (
    exec_instances.list_exec_instances_by_container_ids)

# Actions and events
action_start = container_actions.action_start
action_finish = container_actions.action_finish
actions_get = container_actions.actions_get
action_get_by_request_id = container_actions.action_get_by_request_id
action_event_start = container_actions.action_event_start
action_event_finish = container_actions.action_event_finish
action_events_get = container_actions.action_events_get

# Volumes and their mappings
list_volumes = volumes.list_volumes
create_volume = volumes.create_volume
update_volume = volumes.update_volume
get_volume_by_id = volumes.get_volume_by_id
get_volume_by_uuid = volumes.get_volume_by_uuid
destroy_volume = volumes.destroy_volume
list_volume_mappings = volumes.list_volume_mappings
count_volume_mappings = volumes.count_volume_mappings
create_volume_mapping = volumes.create_volume_mapping
update_volume_mapping = volumes.update_volume_mapping
get_volume_mapping_by_uuid = volumes.get_volume_mapping_by_uuid
destroy_volume_mapping = volumes.destroy_volume_mapping

# Images
list_images = images.list_images
pull_image = images.pull_image
update_image = images.update_image
get_image_by_id = images.get_image_by_id
get_image_by_uuid = images.get_image_by_uuid
destroy_image = images.destroy_image

# Registries
list_registries = registries.list_registries
create_registry = registries.create_registry
update_registry = registries.update_registry
get_registry_by_id = registries.get_registry_by_id
get_registry_by_uuid = registries.get_registry_by_uuid
get_registry_by_name = registries.get_registry_by_name
registries_by_ids = registries.registries_by_ids
destroy_registry = registries.destroy_registry

# Networks
list_networks = networks.list_networks
create_network = networks.create_network
update_network = networks.update_network
get_network_by_uuid = networks.get_network_by_uuid
destroy_network = networks.destroy_network

# Hosts
list_compute_nodes = compute_nodes.list_compute_nodes
create_compute_node = compute_nodes.create_compute_node
update_compute_node = compute_nodes.update_compute_node
get_compute_node = compute_nodes.get_compute_node
get_compute_node_by_hostname = compute_nodes.get_compute_node_by_hostname
destroy_compute_node = compute_nodes.destroy_compute_node
lock_compute_node = compute_nodes.lock_compute_node
list_hosts = scheduling.list_hosts
get_pci_device_by_addr = pci_devices.get_pci_device_by_addr
get_pci_device_by_id = pci_devices.get_pci_device_by_id
get_all_pci_device_by_node = pci_devices.get_all_pci_device_by_node
get_all_pci_device_by_parent_addr = (
    pci_devices.get_all_pci_device_by_parent_addr)
get_all_pci_device_by_container_uuid = (
    pci_devices.get_all_pci_device_by_container_uuid)
update_pci_device = pci_devices.update_pci_device
destroy_pci_device = pci_devices.destroy_pci_device

# Services
list_zun_services = services.list_zun_services
list_zun_services_by_binary = services.list_zun_services_by_binary
create_zun_service = services.create_zun_service
update_zun_service = services.update_zun_service
get_zun_service = services.get_zun_service
destroy_zun_service = services.destroy_zun_service

# Quotas
quota_create = quotas.quota_create
quota_get = quotas.quota_get
quota_get_all_by_project = quotas.quota_get_all_by_project
quota_update = quotas.quota_update
quota_destroy = quotas.quota_destroy
quota_destroy_all_by_project = quotas.quota_destroy_all_by_project
quota_class_create = quotas.quota_class_create
quota_class_get = quotas.quota_class_get
quota_class_get_default = quotas.quota_class_get_default
quota_class_get_all_by_name = quotas.quota_class_get_all_by_name
quota_class_update = quotas.quota_class_update
quota_usage_get_all_by_project = quotas.quota_usage_get_all_by_project
quota_limits = quota_reservations.quota_limits
quota_usages = quota_reservations.quota_usages
quota_sums = quota_reservations.quota_sums
quota_sums_create = quota_reservations.quota_sums_create
quota_add = quota_reservations.quota_add

# Resource providers and classes
list_resource_providers = resource_providers.list_resource_providers
create_resource_provider = resource_providers.create_resource_provider
update_resource_provider = resource_providers.update_resource_provider
get_resource_provider = resource_providers.get_resource_provider
get_resource_provider_by_name = (
    resource_providers.get_resource_provider_by_name)
destroy_resource_provider = resource_providers.destroy_resource_provider
list_resource_classes = resource_classes.list_resource_classes
create_resource_class = resource_classes.create_resource_class
update_resource_class = resource_classes.update_resource_class
get_resource_class = resource_classes.get_resource_class
get_resource_class_by_name = resource_classes.get_resource_class_by_name
destroy_resource_class = resource_classes.destroy_resource_class

# Terminal sessions
create_terminal_session = terminal_sessions.create_terminal_session
open_terminal_session = terminal_sessions.open_terminal_session
resize_terminal_sessions = terminal_sessions.resize_terminal_sessions
list_terminal_sizes = terminal_sessions.list_terminal_sizes
close_terminal_session = terminal_sessions.close_terminal_session
remove_terminal_sessions = terminal_sessions.remove_terminal_sessions
expire_terminal_sessions = terminal_sessions.expire_terminal_sessions
