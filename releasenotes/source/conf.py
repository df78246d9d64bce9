# SPDX-License-Identifier: Apache-2.0
"""How the release notes are built."""

extensions = [
    'openstackdocstheme',
    'reno.sphinxext',
]

source_suffix = {'.rst': 'restructuredtext'}
master_doc = 'index'
project = 'Zun Release Notes'
copyright = 'OpenStack Foundation'

openstackdocs_repo_name = 'openstack/zun'
openstackdocs_bug_project = 'zun'
openstackdocs_bug_tag = ''
openstackdocs_auto_name = False

html_theme = 'openstackdocs'
pygments_style = 'native'
