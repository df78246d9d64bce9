# SPDX-License-Identifier: Apache-2.0
"""Options of the task engine and of the processes that run tasks."""

from oslo_config import cfg

task_group = cfg.OptGroup(
    'task',
    title='Tasks',
    help='How work is handed from the API to the compute processes through '
         'the database, and how these processes are watched.')

worker_opts = [
    cfg.IntOpt(
        'concurrency',
        default=16,
        min=1,
        help='Tasks that one process runs at once. [database] max_pool_size '
             'and max_overflow together should exceed it by at least four.'),
    cfg.FloatOpt(
        'worker_timeout',
        default=15,
        min=1,
        help='Seconds for which a worker may show no sign of life before '
             'its tasks are given to others. A worker shows one every '
             'third of this time.'),
    cfg.FloatOpt(
        'poll_interval_min',
        default=0.05,
        min=0.005,
        help='Seconds between two looks for work just after there was some.'),
    cfg.FloatOpt(
        'poll_interval_max',
        default=1,
        min=0.05,
        help='Seconds between two looks for work after a long time without '
             'any. Each wait is made longer by a random part, up to as much '
             'again.'),
    cfg.IntOpt(
        'node_creates',
        default=10,
        min=1,
        help='Containers that may be in creation on one node at once; '
             'others wait in the queue.'),
]

retry_opts = [
    cfg.IntOpt(
        'max_attempts',
        default=8,
        min=1,
        help='Times that a task is begun, the first time and those after '
             'the death of a worker included, before it is given up. '
             'Between two attempts that failed lie 2, 4, 8 ... seconds, '
             'at most 300.'),
    cfg.IntOpt(
        'call_timeout',
        default=60,
        min=1,
        help='Seconds that a request waits for a change which it reports '
             'the outcome of, such as an update or a commit.'),
    cfg.IntOpt(
        'max_payload_size',
        default=1024 * 1024,
        min=1024,
        help='Largest arguments of a task, in bytes. A request with more '
             '(contents of files to mount, for instance) is refused.'),
]

retention_opts = [
    cfg.IntOpt(
        'done_retention',
        default=7 * 24 * 3600,
        min=0,
        help='Seconds for which a task that ended well stays listed.'),
    cfg.IntOpt(
        'failed_retention',
        default=30 * 24 * 3600,
        min=0,
        help='Seconds for which a failed or cancelled task stays listed.'),
]

poke_opts = [
    cfg.BoolOpt(
        'poke',
        default=True,
        help='Whether this process tells workers of new work, and hears of '
             'it, by UDP datagrams. Without them, or where they get lost, '
             'work waits for the next look.'),
    cfg.HostAddressOpt(
        'poke_host',
        default='$my_ip',
        help='Address on which a worker hears of new work; other processes '
             'must reach it under the same address.'),
    cfg.PortOpt(
        'poke_port',
        default=0,
        help='UDP port of poke_host. 0: any free one.'),
]

admin_opts = [
    cfg.HostAddressOpt(
        'admin_host',
        default='127.0.0.1',
        help='Address on which each process answers about its health '
             '(/healthz, /readyz) and gives its metrics (/metrics).'),
    cfg.PortOpt(
        'admin_port',
        default=9090,
        help='TCP port of admin_host. 0: do not listen.'),
    cfg.StrOpt(
        'admin_cert_file',
        help='Certificate of the admin port. Empty: plain HTTP.'),
    cfg.StrOpt(
        'admin_key_file',
        help='Private key of the certificate, where that file does not hold '
             'it.'),
]

ALL_OPTS = (worker_opts + retry_opts + retention_opts + poke_opts +
            admin_opts)


def register_opts(conf):
    conf.register_group(task_group)
    conf.register_opts(ALL_OPTS, group=task_group)


def list_opts():
    return {task_group: ALL_OPTS}
