# SPDX-License-Identifier: Apache-2.0
"""How Pecan is set up."""

from zun.api import hooks

# Arguments of pecan.Pecan.
APP = {
    'root': 'zun.api.controllers.root.RootController',
    'hooks': [hooks.ContextHook(), hooks.ArgumentsHook(),
              hooks.NoContentHook(), hooks.ErrorHook()],
    'default_renderer': 'json',
    'force_canonical': False,
    'guess_content_type_from_ext': True,
}
