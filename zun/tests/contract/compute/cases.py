# SPDX-License-Identifier: Apache-2.0
"""Where the recordings of the compute side are, and how they are read.

The project carries its own copy, compressed. Another folder is named by
``ZUN_CONTRACT_COMPUTE``: ``<family>.jsonl`` or ``.jsonl.xz``, and
``fixtures.json``.
"""

from collections.abc import Iterator
import json
import os
import pathlib

from zun.tests.contract.compute import rules
from zun.tests.contract import recordings

VARIABLE = 'ZUN_CONTRACT_COMPUTE'


def folder() -> pathlib.Path:
    """The folder of the recordings."""
    return pathlib.Path(os.environ.get(VARIABLE) or
                        recordings.DATA / 'compute')


def families(where: pathlib.Path) -> dict[str, pathlib.Path]:
    """The families and their files, sorted."""
    return recordings.files(where, '.jsonl')


def read(path: pathlib.Path) -> Iterator[dict]:
    """The cases of a file, but for those that show a mistake."""
    return (case for case in recordings.exchanges(path)
            if not rules.is_defect(case))


def fixtures(where: pathlib.Path) -> dict:
    """What cases share: `engine_states`, `peers` by name."""
    found = recordings.files(where, '.json')
    return json.loads(recordings.text(found['fixtures']))
