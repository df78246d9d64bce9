# SPDX-License-Identifier: Apache-2.0
"""How the documentation is built."""

import os

from zun.api import openapi

extensions = [
    'openstackdocstheme',
    'oslo_config.sphinxconfiggen',
    'oslo_config.sphinxext',
    'oslo_policy.sphinxext',
    'oslo_policy.sphinxpolicygen',
]

source_suffix = {'.rst': 'restructuredtext'}
master_doc = 'index'
project = 'Zun'
copyright = 'OpenStack Foundation'
exclude_patterns = ['**/*.inc']

openstackdocs_repo_name = 'openstack/zun'
openstackdocs_bug_project = 'zun'
openstackdocs_bug_tag = 'docs'
openstackdocs_auto_name = False

html_theme = 'openstackdocs'
html_static_path = ['_static']
pygments_style = 'native'

config_generator_config_file = [
    ('../../etc/zun/zun-config-generator.conf', '_static/zun')]
sample_config_basename = '_static/zun'
policy_generator_config_file = '../../etc/zun/zun-policy-generator.conf'
sample_policy_basename = '_static/zun'


def _write_openapi(app) -> None:
    """Put the description of the API where the pages link to."""
    openapi.main([os.path.join(app.srcdir, '_static', 'openapi.json')])


def setup(app) -> None:
    app.connect('builder-inited', _write_openapi)
