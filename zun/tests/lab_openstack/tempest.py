# SPDX-License-Identifier: Apache-2.0
"""The Tempest plugin of the service, at several microversions.

What the plugin skips by itself (capsules, volumes, a reboot) is run: a
``sitecustomize`` in the Tempest processes makes its decorators do nothing.
"""

import configparser
import pathlib
import subprocess
import sys
import venv as virtual

from zun.tests.lab_network import deployment
from zun.tests.lab_openstack import docker

_VERSIONS = ('1.19', '1.20', '1.39', '1.40')
_PACKAGES = ('tempest==47.0.0', 'zun-tempest-plugin==4.14.0')
_SITE = pathlib.Path(__file__).parent / 'site'
_REGISTRY = '127.0.0.1:5050'


def install(options) -> None:
    """Tempest and the plugin, in an environment of their own."""
    place = _venv(options)
    if not (place / 'bin' / 'tempest').exists():
        virtual.create(place, with_pip=True)
        subprocess.run([place / 'bin' / 'pip', 'install', '-q', *_PACKAGES],
                       check=True)


def main(options) -> int:
    """Run it; the number of microversions at which a test failed.

    :param options: ``arguments`` are microversions, or regular expressions
        of tests.
    """
    versions = [word for word in options.arguments if word[0].isdigit()]
    patterns = [word for word in options.arguments if not word[0].isdigit()]
    broken = 0
    with docker.Docker(_REGISTRY):
        for version in versions or _VERSIONS:
            broken += not _run(options, version, patterns)
    return broken


def _venv(options):
    return options.work / 'venv-tempest'


def _run(options, version, patterns):
    place = options.work / ('tempest-' + version)
    programs = _venv(options) / 'bin'
    if not place.exists():
        subprocess.run([programs / 'tempest', 'init', place], check=True,
                       capture_output=True)
    _configure(place, version)
    log = place / 'run.log'
    with open(log, 'w') as output:
        done = subprocess.run(
            ['nice', programs / 'tempest', 'run', '--serial', '--regex',
             '|'.join(patterns) or 'zun_tempest_plugin'],
            cwd=place, stdin=subprocess.DEVNULL, stdout=output,
            stderr=subprocess.STDOUT, env={
                'PATH': '%s:/usr/sbin:/usr/bin:/sbin:/bin' % programs,
                'HOME': str(place), 'PYTHONPATH': str(_SITE)})
    print('microversion %s: %s' % (version, ', '.join(
        line.strip(' -') for line in log.read_text().splitlines()
        if line.startswith((' - Passed', ' - Failed', ' - Skipped')))))
    for line in log.read_text().splitlines():
        if line.endswith(('... FAILED', '... SKIPPED')) or \
                ' ... SKIPPED' in line:
            print('   ', line)
    sys.stdout.flush()
    return done.returncode == 0


def _configure(place, version):
    """Write the plugin's configuration."""
    admin = deployment.Peer(deployment.NEUTRON, 'admin', 'admin')
    public = admin.ask('GET', '/networks?name=public')[0]['id']
    parser = configparser.RawConfigParser()
    parser.read_dict({
        'DEFAULT': {'log_dir': place / 'logs', 'debug': True},
        'auth': {'use_dynamic_credentials': True,
                 'admin_username': 'admin', 'admin_project_name': 'admin',
                 'admin_password': deployment.PASSWORD,
                 'admin_domain_name': 'Default',
                 'create_isolated_networks': True},
        'identity': {'uri_v3': deployment.IDENTITY, 'auth_version': 'v3',
                     'region': 'RegionOne',
                     'default_domain_id': 'default'},
        'oslo_concurrency': {'lock_path': place / 'lock'},
        'service_available': {
            'neutron': True, 'cinder': True, 'glance': True, 'nova': False,
            'swift': False, 'horizon': False, 'zun': True},
        'network': {'public_network_id': public,
                    'project_network_cidr': '10.100.0.0/16'},
        'network-feature-enabled': {'floating_ips': True},
        'validation': {'run_validation': False, 'ping_timeout': 60},
        'container_service': {'min_microversion': version,
                              'max_microversion': 'latest',
                              'wait_timeout': 60},
        'docker': {'docker_remote_api_version': '1.40'}})
    with open(place / 'etc' / 'tempest.conf', 'w') as file:
        parser.write(file)
