# SPDX-License-Identifier: Apache-2.0
"""Policies of containers."""

from zun.common.policies import base

container_policies = [
    base.rule(
        'container:add_security_group', base.ADMIN_OR_OWNER,
        'Add a security group to a container.',
        ('POST', '/v1/containers/{container_ident}/add_security_group')),
    base.rule(
        'container:attach', base.ADMIN_OR_OWNER,
        'Attach to the streams of a container.',
        ('GET', '/v1/containers/{container_ident}/attach')),
    base.rule(
        'container:commit', base.ADMIN_OR_OWNER,
        'Make an image of a container.',
        ('POST', '/v1/containers/{container_ident}/commit')),
    base.rule(
        'container:create', base.ADMIN_OR_OWNER,
        'Create a container.',
        ('POST', '/v1/containers')),
    base.rule(
        'container:create:image_pull_policy', base.CONTEXT_IS_ADMIN,
        'Choose when the image of a new container is pulled.',
        ('POST', '/v1/containers')),
    base.rule(
        'container:create:privileged', base.DENY_EVERYBODY,
        'Create a privileged container.',
        ('POST', '/v1/containers')),
    base.rule(
        'container:create:requested_destination', base.CONTEXT_IS_ADMIN,
        'Choose the host of a new container.',
        ('POST', '/v1/containers')),
    base.rule(
        'container:create:runtime', base.CONTEXT_IS_ADMIN,
        'Choose the runtime of a new container.',
        ('POST', '/v1/containers')),
    base.rule(
        'container:delete', base.ADMIN_OR_OWNER,
        'Delete a container.',
        ('DELETE', '/v1/containers/{container_ident}')),
    base.rule(
        'container:delete_all_projects', base.CONTEXT_IS_ADMIN,
        'Delete a container of any project.',
        ('DELETE', '/v1/containers/{container_ident}')),
    base.rule(
        'container:delete_force', base.CONTEXT_IS_ADMIN,
        'Delete a container in whatever state it is.',
        ('DELETE', '/v1/containers/{container_ident}')),
    base.rule(
        'container:execute', base.ADMIN_OR_OWNER,
        'Run a command in a container.',
        ('POST', '/v1/containers/{container_ident}/execute')),
    base.rule(
        'container:execute_resize', base.ADMIN_OR_OWNER,
        'Resize the terminal of a command in a container.',
        ('POST', '/v1/containers/{container_ident}/execute_resize')),
    base.rule(
        'container:get_all', base.ADMIN_OR_OWNER,
        'List containers.',
        ('GET', '/v1/containers')),
    base.rule(
        'container:get_all_all_projects', base.CONTEXT_IS_ADMIN,
        'List the containers of all projects.',
        ('GET', '/v1/containers')),
    base.rule(
        'container:get_archive', base.ADMIN_OR_OWNER,
        'Copy files out of a container.',
        ('GET', '/v1/containers/{container_ident}/get_archive')),
    base.rule(
        'container:get_one', base.ADMIN_OR_OWNER,
        'Show a container.',
        ('GET', '/v1/containers/{container_ident}')),
    base.rule(
        'container:get_one:host', base.CONTEXT_IS_ADMIN,
        'See the host of a container.',
        ('GET', '/v1/containers/{container_ident}'),
        ('GET', '/v1/containers'),
        ('POST', '/v1/containers'),
        ('PATCH', '/v1/containers/{container_ident}')),
    base.rule(
        'container:get_one:image_pull_policy', base.CONTEXT_IS_ADMIN,
        'See when the image of a container is pulled.',
        ('GET', '/v1/containers/{container_ident}'),
        ('GET', '/v1/containers'),
        ('POST', '/v1/containers'),
        ('PATCH', '/v1/containers/{container_ident}')),
    base.rule(
        'container:get_one:privileged', base.CONTEXT_IS_ADMIN,
        'See whether a container is privileged.',
        ('GET', '/v1/containers/{container_ident}'),
        ('GET', '/v1/containers'),
        ('POST', '/v1/containers'),
        ('PATCH', '/v1/containers/{container_ident}')),
    base.rule(
        'container:get_one:runtime', base.CONTEXT_IS_ADMIN,
        'See the runtime of a container.',
        ('GET', '/v1/containers/{container_ident}'),
        ('GET', '/v1/containers'),
        ('POST', '/v1/containers'),
        ('PATCH', '/v1/containers/{container_ident}')),
    base.rule(
        'container:get_one_all_projects', base.CONTEXT_IS_ADMIN,
        'Show a container of any project.',
        ('GET', '/v1/containers/{container_ident}')),
    base.rule(
        'container:kill', base.ADMIN_OR_OWNER,
        'Send a signal to a container.',
        ('POST', '/v1/containers/{container_ident}/kill')),
    base.rule(
        'container:logs', base.ADMIN_OR_OWNER,
        'Read the log of a container.',
        ('GET', '/v1/containers/{container_ident}/logs')),
    base.rule(
        'container:network_attach', base.ADMIN_OR_OWNER,
        'Attach a container to a network.',
        ('POST', '/v1/containers/{container_ident}/network_attach')),
    base.rule(
        'container:network_detach', base.ADMIN_OR_OWNER,
        'Detach a container from a network.',
        ('POST', '/v1/containers/{container_ident}/network_detach')),
    base.rule(
        'container:pause', base.ADMIN_OR_OWNER,
        'Pause a container.',
        ('POST', '/v1/containers/{container_ident}/pause')),
    base.rule(
        'container:put_archive', base.ADMIN_OR_OWNER,
        'Copy files into a container.',
        ('PUT', '/v1/containers/{container_ident}/put_archive')),
    base.rule(
        'container:reboot', base.ADMIN_OR_OWNER,
        'Restart a container.',
        ('POST', '/v1/containers/{container_ident}/reboot')),
    base.rule(
        'container:rebuild', base.ADMIN_OR_OWNER,
        'Rebuild a container from its image or another one.',
        ('POST', '/v1/containers/{container_ident}/rebuild')),
    base.rule(
        'container:remove_security_group', base.ADMIN_OR_OWNER,
        'Remove a security group from a container.',
        ('POST', '/v1/containers/{container_ident}/remove_security_group')),
    base.rule(
        'container:rename', base.ADMIN_OR_OWNER,
        'Rename a container.',
        ('POST', '/v1/containers/{container_ident}/rename')),
    base.rule(
        'container:resize', base.ADMIN_OR_OWNER,
        'Resize the terminal of a container.',
        ('POST', '/v1/containers/{container_ident}/resize')),
    base.rule(
        'container:resize_container', base.ADMIN_OR_OWNER,
        'Change the processors and the memory of a container.',
        ('POST', '/v1/containers/{container_ident}/resize_container')),
    base.rule(
        'container:start', base.ADMIN_OR_OWNER,
        'Start a container.',
        ('POST', '/v1/containers/{container_ident}/start')),
    base.rule(
        'container:stats', base.ADMIN_OR_OWNER,
        'See what a container uses.',
        ('GET', '/v1/containers/{container_ident}/stats')),
    base.rule(
        'container:stop', base.ADMIN_OR_OWNER,
        'Stop a container.',
        ('POST', '/v1/containers/{container_ident}/stop')),
    base.rule(
        'container:top', base.ADMIN_OR_OWNER,
        'List the processes of a container.',
        ('GET', '/v1/containers/{container_ident}/top')),
    base.rule(
        'container:unpause', base.ADMIN_OR_OWNER,
        'Unpause a container.',
        ('POST', '/v1/containers/{container_ident}/unpause')),
    base.rule(
        'container:update', base.ADMIN_OR_OWNER,
        'Change the name, the processors or the memory of a container.',
        ('PATCH', '/v1/containers/{container_ident}')),
]


def list_rules():
    return container_policies
