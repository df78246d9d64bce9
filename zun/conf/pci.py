# SPDX-License-Identifier: Apache-2.0
"""Options of PCI devices."""

from oslo_config import cfg

pci_group = cfg.OptGroup(
    'pci',
    title='PCI devices',
    help='PCI devices that containers can be given.')

pci_opts = [
    cfg.MultiStrOpt(
        'alias',
        default=[],
        help='A name for a requirement of a PCI device, as a JSON object '
             'with name, product_id, vendor_id and device_type. May be '
             'given several times.'),
    cfg.MultiStrOpt(
        'passthrough_whitelist',
        default=[],
        help='PCI devices of this host that containers can be given, as a '
             'JSON object (or list of objects) with vendor_id, product_id, '
             'address or devname, and tags such as physical_network. May '
             'be given several times.'),
]


def register_opts(conf):
    conf.register_group(pci_group)
    conf.register_opts(pci_opts, group=pci_group)


def list_opts():
    return {pci_group: pci_opts}
