# SPDX-License-Identifier: Apache-2.0
"""Where recorded exchanges and vectors are, and how they are read.

The project carries its own copy, compressed.  Other folders are named by
``ZUN_CONTRACT_EXCHANGES`` (``<family>.jsonl`` or ``.jsonl.xz``, with a
``fixtures.json`` in it or beside it) and ``ZUN_CONTRACT_VECTORS``
(``<family>.json`` or ``.json.xz``).
"""

from collections.abc import Iterator
import json
import lzma
import os
import pathlib

DATA = pathlib.Path(__file__).parent / 'data'

# Requests of the reference's own tests, some of them with a mocked inside.
NOT_EXCHANGES = ('upstream-api-tests',)


def _folder(variable: str, default: str) -> pathlib.Path:
    return pathlib.Path(os.environ.get(variable) or DATA / default)


def text(path: pathlib.Path) -> str:
    """The contents of a file, which may be compressed."""
    data = path.read_bytes()
    return (lzma.decompress(data) if path.suffix == '.xz' else data).decode()


def files(folder: pathlib.Path, suffix: str) -> dict[str, pathlib.Path]:
    """Files by their name without the suffix, sorted."""
    found = {}
    for ending in (suffix, suffix + '.xz'):
        for path in folder.glob('*' + ending):
            found[path.name.removesuffix(ending)] = path
    return dict(sorted(found.items()))


def exchange_families() -> dict[str, pathlib.Path]:
    """The families of exchanges and their files."""
    found = files(_folder('ZUN_CONTRACT_EXCHANGES', 'exchanges'), '.jsonl')
    return {family: path for family, path in found.items()
            if family not in NOT_EXCHANGES}


def exchanges(path: pathlib.Path) -> Iterator[dict]:
    """The exchanges of a file."""
    for line in text(path).splitlines():
        yield json.loads(line)


def fixtures() -> dict:
    """What exchanges share: `peers` by name, `json_columns`."""
    folder = _folder('ZUN_CONTRACT_EXCHANGES', 'exchanges')
    for place in (folder, folder.parent):
        for name in ('fixtures.json', 'fixtures.json.xz'):
            if (place / name).exists():
                return json.loads(text(place / name))
    raise FileNotFoundError(
        'There is no fixtures.json in %s or beside it.' % folder)


def vector_families() -> dict[str, pathlib.Path]:
    """The families of vectors and their files."""
    return files(_folder('ZUN_CONTRACT_VECTORS', 'vectors'), '.json')


def vectors(path: pathlib.Path) -> list[dict]:
    """The cases of a file: function, in, out or raises."""
    return json.loads(text(path))['cases']
