# SPDX-License-Identifier: Apache-2.0
"""Figures of a container, read from the files of its control group.

They are read inside the container, so with a virtual machine around it
they are the guest's. One command reads them all: ``grep -H ''`` prints the
name of a file before each of its lines, and says nothing of files that are
not there (control groups of version 1 and 2 have different ones).
"""

_GROUP = '/sys/fs/cgroup/'

FILES = {
    'stat': '/proc/stat',
    'net': '/proc/net/dev',
    'meminfo': '/proc/meminfo',
    'cpu_v2': _GROUP + 'cpu.stat',
    'memory_v2': _GROUP + 'memory.current',
    'limit_v2': _GROUP + 'memory.max',
    'detail_v2': _GROUP + 'memory.stat',
    'io_v2': _GROUP + 'io.stat',
    'cpu_v1': _GROUP + 'cpuacct/cpuacct.usage',
    'cpu_v1_joint': _GROUP + 'cpu,cpuacct/cpuacct.usage',
    'memory_v1': _GROUP + 'memory/memory.usage_in_bytes',
    'limit_v1': _GROUP + 'memory/memory.limit_in_bytes',
    'detail_v1': _GROUP + 'memory/memory.stat',
    'io_v1': _GROUP + 'blkio/blkio.throttle.io_service_bytes',
}
COMMAND = ['grep', '-s', '-H', '', *FILES.values()]

_NAMES = {path: name for name, path in FILES.items()}
# Nanoseconds of one tick of /proc/stat: USER_HZ is 100 on all platforms.
_TICK = 10 ** 7
_MIB = 1024 * 1024


def parse(output: bytes) -> dict:
    """What the command printed, as an engine's statistics document.

    :returns: ``cpu_stats``, ``memory_stats``, ``networks``,
        ``blkio_stats``.
    """
    files = {}
    for line in output.decode('utf-8', 'replace').splitlines():
        path, __, text = line.partition(':')
        if path in _NAMES:
            files.setdefault(_NAMES[path], []).append(text)
    memory = _first(files, 'memory_v2', 'memory_v1')
    return {
        'cpu_stats': {'cpu_usage': {'total_usage': _cpu(files)},
                      'system_cpu_usage': _system_cpu(files)},
        'memory_stats': {'usage': int(memory[0]) if memory else 0,
                         'limit': _limit(files),
                         'stats': _pairs(_first(files, 'detail_v2',
                                                'detail_v1'))},
        'networks': _networks(files.get('net', ())),
        'blkio_stats': {'io_service_bytes_recursive': _block_io(files)},
    }


def _first(files, *names):
    for name in names:
        if files.get(name):
            return files[name]
    return []


def _pairs(lines):
    pairs = (line.split() for line in lines)
    return {pair[0]: int(pair[1]) for pair in pairs
            if len(pair) == 2 and pair[1].isdigit()}


def _cpu(files):
    if 'cpu_v2' in files:
        return _pairs(files['cpu_v2']).get('usage_usec', 0) * 1000
    lines = _first(files, 'cpu_v1', 'cpu_v1_joint')
    return int(lines[0]) if lines else 0


def _system_cpu(files):
    """Time of all processors since boot, idle time too."""
    words = (files.get('stat') or [''])[0].split()
    # guest times, the last two, are part of user and nice.
    return sum(int(word) for word in words[1:9]) * _TICK


def _limit(files):
    """The limit; a container without one can use all there is."""
    total = 1024 * next(
        (int(line.split()[1]) for line in files.get('meminfo', ())
         if line.startswith('MemTotal:')), 0)
    lines = _first(files, 'limit_v2', 'limit_v1')
    limit = int(lines[0]) if lines and lines[0].isdigit() else total
    return min(limit, total) if total else limit


def _networks(lines):
    networks = {}
    for line in lines:
        name, colon, counters = line.partition(':')
        words = counters.split()
        if colon and len(words) >= 9 and name.strip() != 'lo':
            networks[name.strip()] = {'rx_bytes': int(words[0]),
                                      'tx_bytes': int(words[8])}
    return networks


def _block_io(files):
    entries = []
    for line in files.get('io_v1', ()):
        words = line.split()
        if len(words) == 3 and words[2].isdigit():
            entries.append({'op': words[1], 'value': int(words[2])})
    for line in files.get('io_v2', ()):
        counters = dict(word.split('=', 1) for word in line.split()[1:]
                        if '=' in word)
        entries += [{'op': 'read', 'value': int(counters['rbytes'])},
                    {'op': 'write', 'value': int(counters['wbytes'])}
                    ] if 'rbytes' in counters else []
    return entries


def completed(document: dict) -> dict:
    """A runtime's figures with what the node itself knows.

    :param document: with ``pid``: of a process in the container's network
        namespace, 0 if there is none to be seen.
    """
    with open('/proc/stat') as source:
        processors = source.readline()
    with open('/proc/meminfo') as source:
        memory = source.readlines()
    document = dict(document)
    pid = document.pop('pid')
    lines: list[str] = []
    if pid:
        with open('/proc/%d/net/dev' % pid) as source:
            lines = source.readlines()
    document['networks'] = _networks(lines)
    document['cpu_stats']['system_cpu_usage'] = _system_cpu(
        {'stat': [processors]})
    total = _limit({'meminfo': memory})
    limit = document['memory_stats']['limit']
    document['memory_stats']['limit'] = min(limit, total) or total
    return document


def summary(name: str, stats: dict) -> dict:
    """The answer of the API to a request for figures.

    The share of cpu is the container's time over the time of the whole
    machine since its boot; what is 0 in the whole gives 0.
    """
    cpu, memory = stats['cpu_stats'], stats['memory_stats']
    detail = memory.get('stats') or {}
    cache = (detail.get('total_inactive_file') or
             detail.get('inactive_file') or 0)
    used, limit = memory.get('usage', 0) - cache, memory.get('limit', 0)
    networks = (stats.get('networks') or {}).values()
    blocks = (stats.get('blkio_stats') or {}).get(
        'io_service_bytes_recursive') or ()
    return {
        'CONTAINER': name,
        'CPU %': _percent(cpu['cpu_usage']['total_usage'],
                          cpu.get('system_cpu_usage', 0)),
        'MEM USAGE(MiB)': used / _MIB,
        'MEM LIMIT(MiB)': limit / _MIB,
        'MEM %': _percent(used, limit),
        'BLOCK I/O(B)': '%d/%d' % (_sum_of(blocks, 'read'),
                                   _sum_of(blocks, 'write')),
        'NET I/O(B)': '%d/%d' % (
            sum(net['rx_bytes'] for net in networks),
            sum(net['tx_bytes'] for net in networks)),
    }


def _percent(part, whole):
    return part / whole * 100 if whole else 0.0


def _sum_of(blocks, operation):
    return sum(block['value'] for block in blocks
               if block['op'].lower() == operation)


def process_table(output: bytes) -> dict:
    """Titles and rows of what ``ps`` printed.

    The last column takes the rest of a line, blanks included.
    """
    lines = output.decode('utf-8', 'replace').splitlines()
    titles = lines[0].split() if lines else []
    return {'Titles': titles,
            'Processes': [line.split(None, len(titles) - 1)
                          for line in lines[1:] if line.strip()]}
