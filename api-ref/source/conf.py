# SPDX-License-Identifier: Apache-2.0
"""How the API reference is built."""

extensions = [
    'openstackdocstheme',
    'os_api_ref',
]

source_suffix = {'.rst': 'restructuredtext'}
master_doc = 'index'
project = 'Containers Service API Reference'
copyright = 'OpenStack Foundation'

openstackdocs_repo_name = 'openstack/zun'
openstackdocs_auto_name = False
openstackdocs_bug_project = 'zun'
openstackdocs_bug_tag = 'api-ref'

html_theme = 'openstackdocs'
html_theme_options = {
    'sidebar_dropdown': 'api_ref',
    'sidebar_mode': 'toc',
}
pygments_style = 'native'
