# SPDX-License-Identifier: Apache-2.0
"""What answers the recorded inputs of pure functions.

``FUNCTIONS`` has, by family and by the name that a vector calls a function,
one that takes the vector's inputs and returns what its output is compared
with.
"""

import contextlib
import datetime
import json
import types

from zun.api.controllers import link
from zun.api.controllers.v1 import capsule_template
from zun.api.controllers.v1 import capsules
from zun.api.controllers.v1 import collection
from zun.api.controllers.v1 import container_fields
from zun.api.controllers.v1 import container_states
from zun.api.controllers.v1.schemas import parameter_types
from zun.api import microversions
from zun.api import utils as api_utils
from zun.api.validation import validators
from zun.common import exception
from zun.common import image_reference
from zun.common import utils
import zun.conf
from zun.container.k8s import status
from zun import objects
from zun.pci import devspec
from zun.pci import utils as pci_utils
from zun.pci import whitelist
from zun.scheduler import filters
from zun.scheduler import utils as scheduler_utils

CONF = zun.conf.CONF

URL = 'http://h'
SORTING = ('sort_key', 'sort_dir')
# When the engine was asked for its state.
NOW = datetime.datetime(2026, 1, 2, 3, 4, 5, 678901)


@contextlib.contextmanager
def options(values: dict):
    """Set options, named ``name`` or ``group.name``, for a while."""
    names = [name.rpartition('.')[::2] for name in values]
    for (group, name), value in zip(names, values.values()):
        CONF.set_override(name, value, group=group or None)
    try:
        yield
    finally:
        for group, name in names:
            CONF.clear_override(name, group=group or None)


# -- API ---------------------------------------------------------------
def parse_version(header):
    try:
        return list(microversions.parse(header))
    except microversions.InvalidVersion as error:
        error.code = 406
        raise


def compare_versions(first, second):
    one, other = map(microversions.version, (first, second))
    return [one < other, one == other]


def check_schema(name):
    def check(value):
        schema = getattr(parameter_types, name)
        validators.SchemaValidator(
            {'type': 'object', 'properties': {'x': schema}}).validate(
            {'x': value})
        return 'valid'
    return check


def next_link(count, limit, url, parameters):
    last = 'id-%d' % (count - 1) if count else None
    carried = {name: parameters[name] for name in SORTING
               if name in parameters}
    carried.update(parameters)
    return collection.next_link(count, last, limit, url or 'things', URL,
                                **carried)


def build_url(resource, arguments, bookmark):
    return link.build_url(resource, arguments, URL, bookmark)


def check_state(action, state):
    container_states.validate_container_state(
        types.SimpleNamespace(uuid='u-1', status=state), action)
    return 'allowed'


def template(document):
    parsed = capsules.parse_template(document) \
        if isinstance(document, str) else capsule_template.parse(document)
    return {'containers': parsed.containers, 'init': parsed.init_containers,
            'volumes': parsed.volumes,
            'restart_policy': parsed.restart_policy}


# -- engine ------------------------------------------------------------
def engine_state(row_status, task_state, force, state):
    values = {'status_reason': None}
    values.update(status.from_state(row_status, task_state, state, NOW,
                                    detail='before', force=force))
    return values


def elapsed(moment):
    if isinstance(moment, dict):
        ago = datetime.timedelta(seconds=moment['seconds_ago'])
        moment = (NOW - ago).isoformat() + '123Z'
    return status.elapsed(moment, NOW)


def floating_cpu_set(text):
    with options({'floating_cpu_set': text}):
        found = utils.get_floating_cpu_set()
        return None if found is None else sorted(found)


def image_name(image, driver=None, registry_domain=None):
    registry = types.SimpleNamespace(domain=registry_domain) \
        if registry_domain else None
    return list(utils.parse_image_name(image, driver, registry))


def reference(image):
    parsed = image_reference.parse(image)
    return {'name': parsed.name, 'tag': parsed.tag, 'digest': parsed.digest}


# -- placement ---------------------------------------------------------
def _node(cpuset, pinned):
    return objects.NUMANode(id=0, cpuset=set(cpuset), mem_total=0,
                            pinned_cpus=set(pinned), mem_available=0)


def pin(method):
    def change(cpuset, pinned, cpus):
        node = _node(cpuset, pinned)
        getattr(node, method)(cpus)
        return {'available': node.avail_cpus, 'free': sorted(node.free_cpus),
                'pinned': sorted(node.pinned_cpus)}
    return change


def host_filter(name):
    def passes(host, container, extra_spec):
        state = types.SimpleNamespace(limits={}, **host)
        if 'service' in host:
            state.service = _service(host['service'])
        if 'numa_topology' in host:
            state.numa_topology = objects.NUMATopology(nodes=[
                objects.NUMANode(**{
                    key: set(value) if isinstance(value, list) else value
                    for key, value in node.items()})
                for node in host['numa_topology']['nodes']])
        found = filters.load_filters(
            ['zun.scheduler.filters.all_filters'], [name])[0]
        passed = found.host_passes(
            state, types.SimpleNamespace(**container), extra_spec)
        return {'passes': passed, 'limits': _lists(state.limits)}
    return passes


def _service(values):
    """A service whose times count seconds from now."""
    now = datetime.datetime.now(datetime.timezone.utc).replace(tzinfo=None)
    times = {name: values[name] and
             now + datetime.timedelta(seconds=values[name])
             for name in ('created_at', 'updated_at', 'last_seen_up')}
    return types.SimpleNamespace(**{**values, **times})


def _lists(value):
    if isinstance(value, dict):
        return {key: _lists(item) for key, item in value.items()}
    return sorted(value) if isinstance(value, (set, frozenset)) else value


def from_extra_specs(extra_specs):
    request = scheduler_utils.ResourceRequest.from_extra_specs(extra_specs)
    return {'merged': request.merged_resources(),
            'policy': request.group_policy,
            'query': request.to_querystring()}


def from_container(cpu, memory, disk, extra_spec):
    request = scheduler_utils.resources_from_container(
        types.SimpleNamespace(cpu=cpu, memory=memory, disk=disk),
        extra_spec)
    return {'policy': request.group_policy,
            'query': request.to_querystring()}


def pci_match(spec, device):
    return devspec.PciDeviceSpec(dict(spec)).match(device)


def pci_tags(spec):
    return devspec.PciDeviceSpec(dict(spec)).get_tags()


def pci_whitelist(entries):
    return [whitelist.Whitelist(entries).device_assignable(device)
            for device in ({'vendor_id': '8086', 'product_id': '1520',
                            'address': '0000:0a:00.%d' % number,
                            'parent_addr': None} for number in range(3))]


# Each type of a member of a request, by its name.
_TYPES = {name: check_schema(name) for name in vars(parameter_types)
          if isinstance(getattr(parameter_types, name), dict)}

FUNCTIONS = {
    'base64': {
        'encode_file_data': utils.encode_file_data,
        'decode_file_data':
            lambda text: utils.decode_file_data(text).decode('latin-1')},
    'booleans': {'is_all_projects': api_utils.is_all_projects,
                 'safe_rstrip': utils.safe_rstrip},
    'capsule-template': {'template': template},
    'cpu-list': {
        'parse_floating_cpu':
            lambda text: sorted(utils.parse_floating_cpu(text)),
        'get_floating_cpu_set': floating_cpu_set},
    'elapsed-text': {'format_status_detail': elapsed},
    'engine-state': {'state': engine_state},
    'error-codes': {'convert_excp_to_err_code':
                    exception.convert_excp_to_err_code},
    'exposed-ports': {'build_exposed_ports':
                      container_fields.build_exposed_ports},
    'filters': {name: host_filter(name) for name in (
        'AvailabilityZoneFilter', 'ComputeFilter', 'CPUFilter', 'RamFilter',
        'DiskFilter', 'LabelFilter', 'RuntimeFilter', 'CpuSetFilter')},
    'image-names': {'parse_image_name': image_name, 'reference': reference},
    'microversions': {'parse': parse_version, 'compare': compare_versions},
    'numa': {'pin_cpus': pin('pin_cpus'), 'unpin_cpus': pin('unpin_cpus')},
    'paging': {'validate_limit': api_utils.validate_limit,
               'validate_sort_dir': api_utils.validate_sort_dir,
               'string_or_none': api_utils.string_or_none,
               'next': next_link, 'build_url': build_url},
    'pci': {'match': pci_match, 'tags': pci_tags,
            'whitelist': pci_whitelist,
            'parse_address': lambda text: list(
                pci_utils.parse_address(text)),
            'get_pci_address_fields': lambda text: list(
                pci_utils.get_pci_address_fields(text)),
            'pci_device_prop_match': pci_utils.pci_device_prop_match},
    'placement-request': {'from_extra_specs': from_extra_specs,
                          'from_container': from_container},
    'pull-policy': {'get_image_pull_policy': utils.get_image_pull_policy,
                    'should_pull_image': utils.should_pull_image},
    'quota-arithmetic': {
        name: getattr(scheduler_utils, name)
        for name in ('is_less_than', 'is_close', 'convert_mb_to_ceil_gb')},
    'restart-policy': {'check_for_restart_policy':
                       container_fields.check_restart_policy},
    'schema-types': _TYPES,
    'state-guards': {'validate_container_state': check_state},
}


def answer(family: str, vector: dict):
    """What the function makes of a vector's inputs, as JSON has it."""
    surroundings = dict(vector.get('with', {}))
    surroundings.pop('now', None)
    function = FUNCTIONS[family][vector['function']]
    with options(surroundings.pop('option', {})):
        return json.loads(json.dumps(
            function(*vector['in'], **surroundings)))
