# SPDX-License-Identifier: Apache-2.0
"""Tells how many cases of each family the compute side does the same way.

``python -m zun.tests.contract.compute [--family F] [--case C]
[--json FILE]``; another folder of recordings: ZUN_CONTRACT_COMPUTE.
"""

import argparse
import json
import logging
import sys

from zun.tests.contract.compute import cases
from zun.tests.contract.compute import replay


def _play(runner: replay.Replay, case: dict) -> list[tuple]:
    try:
        return runner.run(case)
    except replay.Unplayable as why:
        return [('not played', None, str(why))]
    except Exception as error:
        # One case that breaks must not hide the others.
        return [('broken', None, '%s: %s' % (type(error).__name__, error))]


def main() -> int:
    """Play the recordings: 1 if any differs."""
    parser = argparse.ArgumentParser(prog='zun.tests.contract.compute')
    parser.add_argument('--family', action='append')
    parser.add_argument('--case')
    parser.add_argument('--json')
    wanted = parser.parse_args()
    where = cases.folder()
    logging.disable(logging.CRITICAL)
    runner, report = replay.Replay(where), {}
    try:
        for family, path in cases.families(where).items():
            if wanted.family and family not in wanted.family:
                continue
            report[family] = {
                case['id']: _play(runner, case) for case in cases.read(path)
                if wanted.case in (None, case['id'])}
            _show(family, report[family])
    finally:
        runner.close()
    if wanted.json:
        with open(wanted.json, 'w') as file:
            json.dump(report, file, indent=1)
    return int(any(found for family in report.values()
                   for found in family.values()))


def _show(family: str, found: dict[str, list[tuple]]) -> None:
    different = {ident: items for ident, items in found.items() if items}
    print('%s: %d same, %d differ' % (
        family, len(found) - len(different), len(different)), flush=True)
    for ident, items in different.items():
        print('  ' + ident)
        for path, want, got in items:
            print('    %s\n      recorded %s\n      seen     %s' % (
                path, json.dumps(want)[:300], json.dumps(got)[:300]))


if __name__ == '__main__':
    sys.exit(main())
