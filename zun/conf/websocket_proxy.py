# SPDX-License-Identifier: Apache-2.0
"""Options of zun-wsproxy."""

from oslo_config import cfg

websocket_proxy_group = cfg.OptGroup(
    'websocket_proxy',
    title='WebSocket proxy',
    help='Where zun-wsproxy listens for attach and interactive exec.')

websocket_proxy_opts = [
    cfg.URIOpt(
        'base_url',
        default='ws://$wsproxy_host:$wsproxy_port/',
        help='Address of the proxy that clients are told, of the scheme '
             'ws or wss.'),
    cfg.StrOpt(
        'wsproxy_host',
        default='$my_ip',
        help='Address that the proxy listens on.'),
    cfg.PortOpt(
        'wsproxy_port',
        default=6784,
        help='Port that the proxy listens on.'),
    cfg.ListOpt(
        'allowed_origins',
        item_type=cfg.types.String(),
        default=[],
        help="Hosts from whose pages browsers may connect, besides the "
             "proxy's own."),
    cfg.StrOpt(
        'cert',
        default='',
        help='Certificate of the proxy; needed for wss.'),
    cfg.StrOpt(
        'key',
        default='',
        help='Key of the certificate, if it is not in the same file.'),
    cfg.BoolOpt(
        'ssl_only',
        help='Refuse connections without TLS.'),
]


def register_opts(conf):
    conf.register_group(websocket_proxy_group)
    conf.register_opts(websocket_proxy_opts, group=websocket_proxy_group)


def list_opts():
    return {websocket_proxy_group: websocket_proxy_opts}
