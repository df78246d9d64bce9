# SPDX-License-Identifier: Apache-2.0
"""Zun 18.0.0 in an environment of its own, to compare with.

``ZUN_REFERENCE_VENV`` names an environment that has it; else one is made
once, in the user's cache directory.
"""

import os
import pathlib
import subprocess
import sys
import venv

VERSION = '18.0.0'
# The WSGI server and the database's driver of the benchmarks come with it.
PACKAGES = ('zun==' + VERSION, 'cheroot', 'PyMySQL')


def directory() -> pathlib.Path:
    """Where the environment is, or will be."""
    if os.environ.get('ZUN_REFERENCE_VENV'):
        return pathlib.Path(os.environ['ZUN_REFERENCE_VENV'])
    cache = os.environ.get('XDG_CACHE_HOME') or '~/.cache'
    return pathlib.Path(cache).expanduser() / ('zun-reference-' + VERSION)


def python() -> str:
    """The interpreter of the environment, which is made when missing.

    :raises subprocess.CalledProcessError: it cannot be installed.
    """
    where = directory()
    interpreter = where / 'bin' / 'python'
    done = where / 'installed'
    if not interpreter.exists() or not (
            done.exists() or 'ZUN_REFERENCE_VENV' in os.environ):
        print('Installing Zun %s in %s' % (VERSION, where), file=sys.stderr)
        venv.create(where, with_pip=True, clear=True)
        subprocess.run([str(interpreter), '-m', 'pip', 'install', '-q',
                        *PACKAGES], check=True)
        done.touch()
    return str(interpreter)
