# SPDX-License-Identifier: Apache-2.0
"""The statements on terminal sessions: rights to open one WebSocket.

The token travels to the client alone; the table has its SHA-256. A token is
random and long, so its hash is looked up by index: what the time of a look-up
tells of a hash does not help to find a token.
"""

import hashlib
import json
from typing import Any
from typing import NamedTuple

import sqlalchemy as sa

from zun.common import crypt
from zun.db.sqlalchemy import clock
from zun.db.sqlalchemy import terminal_models
from zun.db.sqlalchemy import transaction

SESSION = terminal_models.terminal_session

ATTACH, EXEC = 'attach', 'exec'


class Terminal(NamedTuple):
    """A session that its client has come for.

    :ivar command: what an exec runs; empty for an attach.
    :ivar size: (rows, columns) asked for so far, or None.
    """

    id: int
    container_uuid: str
    kind: str
    exec_id: str | None
    command: list[str]
    tty: bool
    size: tuple[int, int] | None


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode('utf-8', 'replace')).hexdigest()


def create_terminal_session(context: Any, token: str, container_uuid: str,
                            kind: str, lifetime: int, *, tty: bool,
                            exec_id: str | None = None,
                            command: list[str] | None = None) -> None:
    """Allow who has the token to open one session.

    :param lifetime: seconds within which it must be opened.
    """
    now = clock.now_micros()
    with transaction.writer(context) as session:
        session.execute(SESSION.insert().values(
            token_hash=_hash(token), container_uuid=container_uuid,
            kind=kind, exec_id=exec_id, used=False, tty=tty,
            command=crypt.encrypt(json.dumps(command)) if command else None,
            created_at=now, expires_at=now + lifetime * 1000000))


def open_terminal_session(context: Any, token: str, container_uuid: str,
                          host: str) -> Terminal | None:
    """Take up a session, once.

    :param host: the proxy that will hold it.
    :returns: None if there is none, it was taken up before or too late.
    """
    token_hash = _hash(token)
    with transaction.writer(context) as session:
        taken = session.execute(
            SESSION.update()
            .where(SESSION.c.token_hash == token_hash,
                   SESSION.c.container_uuid == container_uuid,
                   SESSION.c.used.is_(False),
                   SESSION.c.expires_at > clock.now_micros())
            .values(used=True, host=host)).rowcount
        if not taken:
            return None
        row = session.execute(sa.select(SESSION).where(
            SESSION.c.token_hash == token_hash)).one()
    return _terminal(row)


def _terminal(row: Any) -> Terminal:
    size = None
    if row.tty_rows and row.tty_cols:
        size = (row.tty_rows, row.tty_cols)
    command = json.loads(crypt.decrypt(row.command)) if row.command else []
    return Terminal(row.id, row.container_uuid, row.kind, row.exec_id,
                    command, row.tty, size)


def resize_terminal_sessions(context: Any, container_uuid: str | None,
                             rows: int, columns: int,
                             exec_id: str | None = None) -> int:
    """Ask for another size of an exec, or else of all attached terminals.

    :param container_uuid: may be None for an exec: its id is unique.
    :returns: how many sessions, open or yet to be opened, are asked.
    """
    conditions = []
    if container_uuid is not None:
        conditions.append(SESSION.c.container_uuid == container_uuid)
    if exec_id is None:
        conditions.append(SESSION.c.kind == ATTACH)
    else:
        conditions.append(SESSION.c.exec_id == exec_id)
    with transaction.writer(context) as session:
        return session.execute(
            SESSION.update().where(*conditions)
            .values(tty_rows=rows, tty_cols=columns)).rowcount


def list_terminal_sizes(context: Any, host: str
                        ) -> dict[int, tuple[int, int]]:
    """The sizes asked for of the sessions that a proxy holds open."""
    with transaction.reader(context) as session:
        found = session.execute(
            sa.select(SESSION.c.id, SESSION.c.tty_rows, SESSION.c.tty_cols)
            .where(SESSION.c.host == host, SESSION.c.tty_rows.is_not(None),
                   SESSION.c.tty_cols.is_not(None))).all()
    return {row.id: (row.tty_rows, row.tty_cols) for row in found}


def close_terminal_session(context: Any, session_id: int) -> None:
    """Forget a session that has ended."""
    with transaction.writer(context) as session:
        session.execute(SESSION.delete().where(SESSION.c.id == session_id))


def remove_terminal_sessions(context: Any, container_uuid: str) -> None:
    """Forget the sessions of a container that is being deleted."""
    with transaction.writer(context) as session:
        session.execute(SESSION.delete().where(
            SESSION.c.container_uuid == container_uuid))


def expire_terminal_sessions(context: Any, host: str | None = None) -> int:
    """Forget sessions that nobody came for, and a restarted proxy's own.

    :param host: a proxy that has just started and so holds none open.
    """
    conditions = sa.and_(SESSION.c.used.is_(False),
                         SESSION.c.expires_at <= clock.now_micros())
    if host is not None:
        conditions = sa.or_(conditions, SESSION.c.host == host)
    with transaction.writer(context) as session:
        return session.execute(SESSION.delete().where(conditions)).rowcount
