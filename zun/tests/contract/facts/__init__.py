# SPDX-License-Identifier: Apache-2.0
"""What the reference (Zun 18.0.0) declares, as data."""

import json
import lzma
import pathlib

HERE = pathlib.Path(__file__).parent


def load(name: str) -> object:
    """Return the facts called ``name``, from NAME.json or NAME.json.xz."""
    plain = HERE / f'{name}.json'
    if plain.exists():
        return json.loads(plain.read_text())
    packed = HERE / f'{name}.json.xz'
    return json.loads(lzma.decompress(packed.read_bytes()))
