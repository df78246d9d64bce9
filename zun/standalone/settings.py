# SPDX-License-Identifier: Apache-2.0
"""The folder of a standalone: secrets made once, and configuration files."""

import configparser
import dataclasses
import json
import os
import pathlib
import secrets
from typing import Any

from zun.standalone.peers import identity

PROJECT = 'demo'
HOST = 'standalone'

PASTE = """\
[pipeline:main]
pipeline = http_proxy_to_wsgi request_id authtoken api_v1

[app:api_v1]
paste.app_factory = zun.api.app:app_factory

[filter:http_proxy_to_wsgi]
paste.filter_factory = \
oslo_middleware.http_proxy_to_wsgi:HTTPProxyToWSGI.factory

[filter:request_id]
paste.filter_factory = oslo_middleware:RequestId.factory

[filter:authtoken]
acl_public_routes = /, /v1
paste.filter_factory = \
zun.api.middleware.auth_token:AuthTokenMiddleware.factory
"""


@dataclasses.dataclass(frozen=True)
class Ports:
    """Where the parts listen on loopback; 0 chooses a free port."""

    api: int = 9517
    proxy: int = 6784
    peers: int = 9518
    cluster: int = 9519


class Folder:
    """Everything that a standalone keeps on disk.

    :param path: made with mode 0700 if it is not there.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = pathlib.Path(path).absolute()
        self.path.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.secrets = self._secrets()

    @property
    def config_file(self) -> pathlib.Path:
        """The ``zun.conf`` that the parts read."""
        return self.path / 'zun.conf'

    def _secrets(self) -> dict[str, str]:
        file = self.path / 'secrets.json'
        if file.exists():
            return json.loads(file.read_text())
        made = {'encryption_key': secrets.token_hex(16),
                'token': secrets.token_urlsafe(24)}
        for user in ('demo', 'admin', 'zun'):
            made[user] = secrets.token_urlsafe(12)
        self.write('secrets.json', json.dumps(made, indent=2))
        return made

    def users(self) -> list[identity.User]:
        """Who may log in; ``demo`` has the static token too."""
        return [
            identity.User('demo', self.secrets['demo'],
                          {PROJECT: ('member', 'reader')},
                          self.secrets['token']),
            identity.User('admin', self.secrets['admin'],
                          {PROJECT: ('admin', 'member', 'reader')}),
            identity.User('zun', self.secrets['zun'],
                          {'service': ('admin', 'service')})]

    def write(self, name: str, text: str) -> pathlib.Path:
        """Write a file that only its owner may read."""
        path = self.path / name
        with open(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC,
                          0o600), 'w') as file:
            file.write(text)
        return path

    def configure(self, *, ports: Ports, identity_url: str, kubeconfig: str,
                  runtime_class: str, debug: bool = False) -> pathlib.Path:
        """Write ``zun.conf`` and ``api-paste.ini``."""
        self.write('api-paste.ini', PASTE)
        account = {
            'auth_type': 'password', 'auth_url': identity_url,
            'username': 'zun', 'password': self.secrets['zun'],
            'project_name': 'service', 'user_domain_name': 'Default',
            'project_domain_name': 'Default'}
        options: dict[str, dict[str, Any]] = {
            'DEFAULT': {
                'host': HOST, 'my_ip': '127.0.0.1',
                'state_path': self.path, 'debug': debug,
                'log_file': self.path / 'zun.log',
                'auth_encryption_key': self.secrets['encryption_key']},
            'database': {'connection': 'sqlite:///%s' % (
                self.path / 'zun.sqlite')},
            'api': {'host_ip': '127.0.0.1', 'port': ports.api,
                    'api_paste_config': self.path / 'api-paste.ini'},
            'keystone_auth': account,
            'keystone_authtoken': dict(
                account, www_authenticate_uri=identity_url,
                token_cache_time=30),
            'websocket_proxy': {'wsproxy_host': '127.0.0.1',
                                'wsproxy_port': ports.proxy},
            'agent': {'state_path': self.path / 'agent'},
            'kubernetes': {'kubeconfig': kubeconfig,
                           'runtime_class': runtime_class}}
        parser = configparser.RawConfigParser()
        for section, values in options.items():
            if section != 'DEFAULT':
                parser.add_section(section)
            for key, value in values.items():
                parser.set(section, key, str(value))
        with open(self.write('zun.conf', ''), 'w') as file:
            parser.write(file)
        return self.config_file

    def environment(self, identity_url: str, user: str = 'demo'
                    ) -> dict[str, str]:
        """Variables with which OpenStack clients log in by password."""
        return {'OS_AUTH_URL': identity_url, 'OS_USERNAME': user,
                'OS_PASSWORD': self.secrets[user],
                'OS_PROJECT_NAME': 'service' if user == 'zun' else PROJECT,
                'OS_USER_DOMAIN_NAME': 'Default',
                'OS_PROJECT_DOMAIN_NAME': 'Default',
                'OS_IDENTITY_API_VERSION': '3'}

    def token_environment(self, identity_url: str) -> dict[str, str]:
        """Variables with which OpenStack clients use the static token."""
        return {'OS_AUTH_TYPE': 'token', 'OS_AUTH_URL': identity_url,
                'OS_TOKEN': self.secrets['token'],
                'OS_PROJECT_NAME': PROJECT,
                'OS_PROJECT_DOMAIN_NAME': 'Default'}
