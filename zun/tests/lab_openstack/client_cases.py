# SPDX-License-Identifier: Apache-2.0
"""Every command of the command-line clients, in an order that works.

``{name}`` is replaced by what was learnt before. Each case: the words of the
command, what its output must match, which status the container ``c`` has to
reach afterwards ('' for none; 'gone'), what is typed at it, what to learn from
its output, and, where it cannot work with any service, why.
"""

from typing import NamedTuple


class Case(NamedTuple):
    """One command."""

    words: str
    expected: str = ''
    status: str = ''
    typed: str = ''
    learn: str = ''
    hopeless: str = ''


_REMOVED = 'refused: removed from the API in 1.15, as in the reference'
_RENAMED = 'refused: removed from the API in 1.14, as in the reference'
_PRINTING = 'answered with 200; the client fails to print it'
_RUN = ('--name {p}c --cpu 0.1 --memory 64 --disk 1 '
        '--net network={net} busybox sleep 3600')
_LOOP = ('--name {p}i --cpu 0.1 --memory 64 --disk 1 --net network={net} '
         '--interactive busybox /bin/sh')

ZUN = (
    Case('version-list', r'1\.40'),
    Case('availability-zone-list', 'nova'),
    Case('service-list', 'zun-compute'),
    Case('host-list', '{host}'),
    Case('host-show {host}', '{host}'),
    Case('create -n {p}c --cpu 0.1 -m 64 --disk 1 --net network={net} '
         'busybox sleep 3600', '{p}c', 'Created'),
    Case('start {p}c', '', 'Running'),
    Case('list', '{p}c'),
    Case('show {p}c', 'Running'),
    Case('exec {p}c echo marker', 'marker'),
    Case('exec -i {p}c /bin/sh', 'marker42', typed='echo marker$((40+2))'),
    Case('logs {p}c'),
    Case('top {p}c', 'sleep', hopeless=_PRINTING),
    Case('stats {p}c', '{p}c|CPU'),
    Case('cp {file} {p}c:/tmp'),
    Case('cp {p}c:/tmp/{name} {folder}'),
    Case('commit {p}c {p}image:1', ''),
    Case('add-security-group {p}c {group}', hopeless=_REMOVED),
    Case('remove-security-group {p}c {group}', hopeless=_REMOVED),
    Case('network-attach --network {other_net} {p}c', '', 'Running'),
    Case('network-list {p}c', '{net}'),
    Case('network-detach --network {other_net} {p}c', '', 'Running'),
    Case('pause {p}c', '', 'Paused'),
    Case('unpause {p}c', '', 'Running'),
    Case('update --cpu 0.2 {p}c', r'0\.2'),
    Case('rename {p}c {p}x', hopeless=_RENAMED),
    Case('restart -t 1 {p}c', '', 'Running'),
    Case('stop -t 1 {p}c', '', 'Stopped'),
    Case('start {p}c', '', 'Running'),
    Case('kill -s HUP {p}c'),
    Case('rebuild {p}c', '', 'Running'),
    Case('action-list {p}c', 'rebuild', learn=r'(req-[-0-9a-f]{{36}})'),
    Case('action-show {p}c {learnt}', '{learnt}'),
    Case('delete -s {p}c', '', 'gone'),
    Case('run ' + _RUN.replace('--name', '-n').replace(
        '--memory', '-m'), '{p}c', 'Running'),
    Case('delete -s {p}c', '', 'gone'),
    Case('run ' + _LOOP.replace('--name', '-n').replace(
        '--memory', '-m').replace('--interactive', '-i'), 'marker42',
        typed='echo marker$((40+2))'),
    Case('attach {p}i', 'marker42', typed='echo marker$((40+2))'),
    Case('delete -s {p}i'),
    Case('pull busybox {host}', ''),
    Case('image-list', 'busybox', learn=r'([0-9a-f-]{{36}}) \|[^|]*\| busybox'
         r'|([0-9a-f]{{8}}-[0-9a-f-]{{27}})'),
    Case('image-show {learnt}', 'busybox'),
    Case('image-search busybox', 'busybox'),
    Case('image-delete {learnt}'),
    Case('registry-create --name {p}r --username u --password p '
         '--domain registry.example.org', '{p}r'),
    Case('registry-list', '{p}r'),
    Case('registry-show {p}r', 'registry.example.org'),
    Case('registry-update --username v {p}r'),
    Case('registry-delete {p}r'),
    Case('capsule-create -f {capsule}', 'accepted'),
    Case('capsule-list', '{p}capsule'),
    Case('capsule-describe {p}capsule', '{p}capsule'),
    Case('capsule-delete {p}capsule'),
    Case('quota-defaults {project}', 'containers'),
    Case('quota-get {project}', 'containers'),
    Case('quota-update --containers 99 {project}', '99'),
    Case('quota-delete {project}'),
    Case('quota-class-get default', 'containers'),
    Case('quota-class-update --containers 40 default', '40'),
    Case('service-disable {host} zun-compute', ''),
    Case('service-enable {host} zun-compute', ''),
    Case('service-force-down {host} zun-compute', ''),
    Case('service-force-down --unset {host} zun-compute', ''),
    Case('service-delete nowhere zun-compute', 'not found|could not be'),
)

OPENSTACK = tuple(case._replace(words=words) for case, words in (
    (Case('', 'nova'), 'availability zone list'),
    (Case('', 'zun-compute'), 'service list'),
    (Case('', '{host}'), 'host list'),
    (Case('', '{host}'), 'host show {host}'),
    (Case('', '{p}c', 'Created'), 'create ' + _RUN),
    (Case('', '', 'Running'), 'start {p}c'),
    (Case('', '{p}c'), 'list'),
    (Case('', 'Running'), 'show {p}c'),
    (Case('', 'marker'), 'exec {p}c echo marker'),
    (Case('', 'marker42', typed='echo marker$((40+2))'),
     'exec --interactive {p}c /bin/sh'),
    (Case(''), 'logs {p}c'),
    (Case('', 'sleep'), 'top {p}c'),
    (Case('', 'CPU'), 'stats {p}c'),
    (Case(''), 'cp {file} {p}c:/tmp'),
    (Case(''), 'cp {p}c:/tmp/{name} {folder}'),
    (Case(''), 'commit {p}c {p}image:1'),
    (Case('', hopeless=_REMOVED),
     'add security group {p}c {group}'),
    (Case('', hopeless=_REMOVED),
     'remove security group {p}c {group}'),
    (Case(''), 'add floating ip {p}c {floating}'),
    (Case(''), 'remove floating ip {floating}'),
    (Case('', '', 'Running'), 'network attach --network {other_net} {p}c'),
    (Case('', '{net}'), 'network list {p}c'),
    (Case('', '', 'Running'), 'network detach --network {other_net} {p}c'),
    (Case('', '', 'Paused'), 'pause {p}c'),
    (Case('', '', 'Running'), 'unpause {p}c'),
    (Case('', r'0\.2'), 'set --cpu 0.2 {p}c'),
    (Case('', '', 'Running'), 'restart --timeout 1 {p}c'),
    (Case('', '', 'Stopped'), 'stop --timeout 1 {p}c'),
    (Case('', '', 'Running'), 'start {p}c'),
    (Case(''), 'kill --signal HUP {p}c'),
    (Case('', '', 'Running'), 'rebuild {p}c'),
    (Case('', 'rebuild', learn=r'(req-[-0-9a-f]{{36}})'),
     'action list {p}c'),
    (Case('', '{learnt}'), 'action show {p}c {learnt}'),
    (Case('', '', 'gone'), 'delete --stop {p}c'),
    (Case('', '{p}c', 'Running'), 'run ' + _RUN),
    (Case('', '', 'gone'), 'delete --stop {p}c'),
    (Case('', 'marker42', typed='echo marker$((40+2))'), 'run ' + _LOOP),
    (Case('', 'marker42', typed='echo marker$((40+2))'), 'attach {p}i'),
    (Case(''), 'delete --stop {p}i'),
    (Case(''), 'image pull busybox {host}'),
    (Case('', 'busybox', learn=r'([0-9a-f]{{8}}-[0-9a-f-]{{27}})'),
     'image list'),
    (Case('', 'busybox'), 'image show {learnt}'),
    (Case('', 'busybox'), 'image search busybox'),
    (Case(''), 'image delete {learnt}'),
    (Case('', '{p}r'), 'registry create --name {p}r --username u '
     '--password p --domain registry.example.org'),
    (Case('', '{p}r'), 'registry list'),
    (Case('', 'registry.example.org'), 'registry show {p}r'),
    (Case(''), 'registry update --username v {p}r'),
    (Case(''), 'registry delete {p}r'),
    (Case('', '{p}capsule'), '^capsule create --file {capsule}'),
    (Case('', '{p}capsule'), '^capsule list'),
    (Case('', '{p}capsule'), '^capsule show {p}capsule'),
    (Case(''), '^capsule delete {p}capsule'),
    (Case('', 'containers'), 'quota default {project}'),
    (Case('', 'containers'), 'quota get {project}'),
    (Case('', '99'), 'quota update --containers 99 {project}'),
    (Case(''), 'quota delete {project}'),
    (Case('', 'containers'), 'quota class get default'),
    (Case('', '40'), 'quota class update --containers 40 default'),
    (Case(''), 'service disable {host} zun-compute'),
    (Case(''), 'service enable {host} zun-compute'),
    (Case(''), 'service forcedown {host} zun-compute'),
    (Case(''), 'service forcedown --unset {host} zun-compute'),
    (Case('', 'not found|could not be'),
     'service delete nowhere zun-compute'),
))
