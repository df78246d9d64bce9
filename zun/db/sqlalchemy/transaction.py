# SPDX-License-Identifier: Apache-2.0
"""Transactions.

One transaction a thread: whatever is called inside a :func:`writer` or
:func:`reader` block joins it, also when it opens a block of its own, with
whatever context.  The outermost block commits, or rolls everything back when
an exception leaves it.

A context with a ``fence`` (a callable that takes the session) guards its
writes: the fence runs first in the transaction, and what it raises rolls the
transaction back.  The task engine fences the writes of a worker like this.
"""

from collections.abc import Callable
from collections.abc import Iterator
import contextlib
import functools
import os
import threading
import time
from typing import Any

from oslo_db import api as oslo_db_api
from oslo_db import exception as db_exc
from oslo_db.sqlalchemy import enginefacade
from oslo_db.sqlalchemy import exc_filters
import sqlalchemy as sa
from sqlalchemy import orm

from zun.common import exception
import zun.conf

CONF = zun.conf.CONF

# Times that a transaction is tried again after a deadlock, and the seconds
# between (they double each time, with jitter).
MAX_RETRIES = 10
RETRY_INTERVAL = 0.05
MAX_RETRY_INTERVAL = 2


@enginefacade.transaction_context_provider
class _Scope(object):
    """What oslo.db keeps a thread's transaction on."""


class _State(threading.local):
    """The open transaction of a thread."""

    mode: str | None = None
    # Of a block that only reads, outside of any transaction
    session: orm.Session | None = None
    fences: list[Any] = []


_scope = _Scope()
_state = _State()
_manager: Any = None
_manager_lock = threading.Lock()


def _create_manager(**options: Any) -> Any:
    manager = enginefacade.transaction_context()
    # Green threads would need to be let run after each use of a connection;
    # there are none.
    manager.configure(**{'thread_checkin': False, **options})
    manager.append_on_engine_create(_prepare_engine)
    return manager


def _get_manager() -> Any:
    global _manager
    if _manager is None:
        with _manager_lock:
            if _manager is None:
                _manager = _create_manager()
    return _manager


def configure(connection: str | None = None, **options: Any) -> None:
    """Forget the engine; the next use makes one.

    :param connection: SQLAlchemy URL; None: ``[database] connection``
    :param options: further options of oslo.db's enginefacade
    """
    global _manager
    if connection is not None:
        options['connection'] = connection
    with _manager_lock:
        old, _manager = _manager, _create_manager(**options)
    if old is not None and old.is_started:
        old.dispose_pool()
    _dispose_single()


def get_engine() -> sa.Engine:
    """Return the engine that transactions use."""
    return _get_manager().writer.get_engine()


def dispose() -> None:
    """Close the pooled connections (after a fork, before an exit)."""
    if _manager is not None and _manager.is_started:
        _manager.dispose_pool()
    _dispose_single()


# -- Single statements -----------------------------------------------------

# The engine whose statements are transactions of their own, and the process
# that made it.
_single: tuple[int, sa.Engine] | None = None

# Seconds for which a pooled connection may lie idle before it is asked
# whether it is still good.
IDLE_TIME = 10.0


@contextlib.contextmanager
def single() -> Iterator[sa.Connection]:
    """A connection each of whose statements is a transaction of its own.

    For statements that are right alone, a compare-and-set for instance: it
    costs a third of a :func:`writer` block.

    :raises RuntimeError: a transaction is open in this thread
    """
    if in_transaction():
        raise RuntimeError('A transaction is open, and this would not be '
                           'part of it.')
    if _is_in_memory():
        with writer(None) as session:
            yield session.connection()
    else:
        with _translated_errors(), _single_engine().connect() as connection:
            yield connection


def _is_in_memory() -> bool:
    # Such a database is seen by one connection only.
    return get_engine().url.database in (None, '', ':memory:')


def _single_engine() -> sa.Engine:
    global _single
    pid = os.getpid()
    if _single is None or _single[0] != pid:
        main = get_engine()
        with _manager_lock:
            if _single is None or _single[0] != pid:
                # The connections of the process that forked stay its own.
                _forget_single(close=False)
                _single = (pid, _create_single(main.url))
    return _single[1]


def _create_single(url: sa.URL) -> sa.Engine:
    options = CONF.database
    engine = sa.create_engine(
        url, hide_parameters=True, isolation_level='AUTOCOMMIT',
        skip_autocommit_rollback=True, poolclass=sa.pool.QueuePool,
        pool_reset_on_return=None, pool_use_lifo=True,
        pool_size=options.max_pool_size or 5,
        max_overflow=options.max_overflow or 0,
        pool_timeout=options.pool_timeout or 30,
        pool_recycle=options.connection_recycle_time)
    exc_filters.register_engine(engine)
    sa.event.listen(engine, 'checkin', _note_idleness)
    sa.event.listen(engine, 'checkout',
                    functools.partial(_check_idle_one, engine.dialect))
    if engine.dialect.name == 'sqlite':
        sa.event.listen(engine, 'connect', _on_sqlite_connect)
    elif engine.dialect.name == 'mysql':
        sa.event.listen(engine, 'connect', _on_mysql_connect)
    return engine


def _note_idleness(connection: Any, record: Any) -> None:
    record.info['idle_since'] = time.monotonic()


def _check_idle_one(dialect: sa.Dialect, connection: Any, record: Any,
                    proxy: Any) -> None:
    # A question each time, as oslo.db asks, costs as much as a statement.
    since = record.info.get('idle_since')
    if since is not None and time.monotonic() - since > IDLE_TIME:
        try:
            dialect.do_ping(connection)
        except dialect.loaded_dbapi.Error as e:
            raise sa.exc.DisconnectionError from e


def _on_mysql_connect(connection: Any, record: Any) -> None:
    # As oslo.db does for its connections.
    options = CONF.database
    with contextlib.closing(connection.cursor()) as cursor:
        if options.mysql_sql_mode is not None:
            cursor.execute('SET SESSION sql_mode = %s',
                           [options.mysql_sql_mode])
        if options.mysql_wsrep_sync_wait is not None:
            cursor.execute('SET SESSION wsrep_sync_wait = %s',
                           [options.mysql_wsrep_sync_wait])


def _dispose_single() -> None:
    with _manager_lock:
        _forget_single(close=True)


def _forget_single(close: bool) -> None:
    global _single
    if _single is not None:
        _single[1].dispose(close=close and _single[0] == os.getpid())
        _single = None


# -- Engines ---------------------------------------------------------------

def _prepare_engine(engine: sa.Engine) -> None:
    # Values may be secrets: they don't belong into errors that are logged.
    engine.hide_parameters = True
    # A session ends its transactions itself: another ROLLBACK for a
    # connection that goes back to the pool is one question too many, unless
    # its COMMIT failed: nothing else would end that transaction.
    engine.pool._reset_on_return = sa.pool.reset_none
    # Before oslo.db's listener, which ends the round by its exception.
    sa.event.listen(engine, 'handle_error', _note_open_end, insert=True)
    sa.event.listen(engine, 'checkin',
                    functools.partial(_end_transaction, engine.dialect))
    if engine.dialect.name == 'sqlite':
        sa.event.listen(engine, 'connect', _on_sqlite_connect)
        sa.event.listen(engine, 'begin', _on_sqlite_begin, insert=True)


def _note_open_end(error: sa.engine.ExceptionContext) -> None:
    # What has no statement is a COMMIT or a ROLLBACK.
    connection = error.connection
    if (error.statement is None and connection is not None and
            not connection.invalidated):
        connection.info['open_end'] = True


def _end_transaction(dialect: sa.Dialect, connection: Any, record: Any
                     ) -> None:
    if connection is None or not record.info.pop('open_end', False):
        return
    try:
        dialect.do_rollback(connection)
    except dialect.loaded_dbapi.Error as e:
        record.invalidate(e)


def _on_sqlite_connect(connection: Any, record: Any) -> None:
    # Readers don't wait for the writer with a write-ahead log; writers wait
    # for each other.
    connection.execute('PRAGMA journal_mode = WAL')
    connection.execute('PRAGMA synchronous = NORMAL')
    connection.execute('PRAGMA busy_timeout = 30000')


def _on_sqlite_begin(connection: sa.Connection) -> None:
    # A transaction that reads before it writes has to take SQLite's write
    # lock at its start: it can't wait for it later, its snapshot would be
    # out of date.
    if _state.mode != 'writer':
        return
    # oslo.db looks at this mark before it begins a transaction itself.
    # Where its listener was the first, that one holds nothing yet.
    if connection.info.pop('in_transaction', False):
        connection.exec_driver_sql('ROLLBACK')
    connection.exec_driver_sql('BEGIN IMMEDIATE')
    connection.info['in_transaction'] = True


@contextlib.contextmanager
def _translated_errors() -> Iterator[None]:
    """Turn a value that a column cannot hold into an error of the caller."""
    try:
        yield
    except (db_exc.DBError, db_exc.DBInvalidUnicodeParameter) as e:
        if not _is_unfit_value(e):
            raise
        raise exception.InvalidParameterValue(
            err='A value does not fit the database: %s' % _cause(e)) from e
    except ValueError as e:
        # Of psycopg2, before the statement leaves.
        if 'NUL (0x00)' not in str(e):
            raise
        raise exception.InvalidParameterValue(
            err='A value does not fit the database: %s' % e) from e


def _is_unfit_value(error: Exception) -> bool:
    # oslo.db has a class for what MySQL's drivers call a DataError only.
    return (isinstance(error, (db_exc.DBDataError,
                               db_exc.DBInvalidUnicodeParameter)) or
            isinstance(getattr(error, 'inner_exception', None),
                       (OverflowError, UnicodeEncodeError,
                        sa.exc.DataError)))


def _cause(error: Exception) -> str:
    cause = getattr(error, 'inner_exception', None) or error
    cause = getattr(cause, 'orig', None) or cause
    return str(cause.args[-1] if cause.args else cause).split('\n')[0]


def _check_fence(context: Any, session: orm.Session) -> None:
    fence = getattr(context, 'fence', None)
    if fence is not None and fence not in _state.fences:
        _state.fences.append(fence)
        fence(session)


@contextlib.contextmanager
def writer(context: Any) -> Iterator[orm.Session]:
    """Open, or join, a transaction that may write.

    :param context: the request's context; None has no fence
    :raises DBDeadlock: the database gave another transaction precedence
    :raises InvalidParameterValue: a value does not fit its column
    :raises TypeError: a transaction that only reads is open
    """
    if _state.session is not None:
        raise TypeError('What is open in this thread only reads.')
    outermost = _state.mode is None
    if outermost:
        _state.mode = 'writer'
        _state.fences = []
    try:
        with _translated_errors(), \
                _get_manager().writer.using(_scope) as session:
            _check_fence(context, session)
            yield session
    finally:
        if outermost:
            _state.mode = None
            _state.fences = []


@contextlib.contextmanager
def reader(context: Any) -> Iterator[orm.Session]:
    """Open a block that only reads, or join the one that is open.

    Each statement sees what is committed by then: what a transaction would
    cost for a common view of all statements, no request here is worth.
    """
    if _state.session is not None:
        yield _state.session
    elif _state.mode is not None or _is_in_memory():
        with _reading(), _translated_errors(), \
                _get_manager().reader.using(_scope) as session:
            yield session
    else:
        with _reading(), _translated_errors(), \
                orm.Session(_single_engine()) as session:
            _state.session = session
            yield session


@contextlib.contextmanager
def _reading() -> Iterator[None]:
    outermost = _state.mode is None
    if outermost:
        _state.mode = 'reader'
    try:
        yield
    finally:
        if outermost:
            _state.mode = _state.session = None


def in_transaction() -> bool:
    """Tell whether a transaction is open in this thread."""
    return _state.mode is not None


def retry_on_conflict(function: Callable[..., Any]) -> Callable[..., Any]:
    """Run a function again when its transaction lost against another.

    For functions that contain whole transactions.  Inside a transaction
    nothing is repeated: the block that began it has to start again.
    """
    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        if in_transaction():
            return function(*args, **kwargs)
        return _retrying(function)(*args, **kwargs)
    return wrapper


def _retrying(function: Callable[..., Any]) -> Callable[..., Any]:
    return oslo_db_api.wrap_db_retry(
        max_retries=MAX_RETRIES, retry_interval=RETRY_INTERVAL,
        inc_retry_interval=True, max_retry_interval=MAX_RETRY_INTERVAL,
        jitter=True, retry_on_deadlock=True,
        exception_checker=_is_conflict)(function)


def _is_conflict(error: Exception) -> bool:
    # A row that changed under MariaDB's snapshot isolation; SQLite's write
    # lock that did not become free in time.
    return (isinstance(error, db_exc.DBConsistencyError) or
            isinstance(error, sa.exc.OperationalError) and
            'database is locked' in str(error))
