# SPDX-License-Identifier: Apache-2.0
"""Small image archives for tests."""

import hashlib
import io
import json
import tarfile

LAYER = b'a layer'
CONFIG = json.dumps({'rootfs': {'diff_ids': ['sha256:1']}}).encode()


def digest(data):
    return 'sha256:' + hashlib.sha256(data).hexdigest()


def tar(members):
    """An archive of names to bytes or documents."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode='w') as archive:
        for name, data in members.items():
            if not isinstance(data, bytes):
                data = json.dumps(data).encode()
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def docker(names=('app:v1',), images=1):
    """What ``docker save`` writes."""
    return tar({
        'c.json': CONFIG, 'l/layer.tar': LAYER,
        'manifest.json': [{'Config': 'c.json', 'RepoTags': list(names),
                           'Layers': ['l/layer.tar']}] * images})


def oci(images=1):
    """An OCI layout."""
    manifest = json.dumps({
        'schemaVersion': 2, 'config': {'digest': digest(CONFIG)},
        'layers': [{'digest': digest(LAYER)}]}).encode()
    blobs = {'blobs/' + digest(data).replace(':', '/'): data
             for data in (CONFIG, LAYER, manifest)}
    return tar({'oci-layout': {}, 'index.json': {'manifests': [
        {'digest': digest(manifest)}] * images}, **blobs})
