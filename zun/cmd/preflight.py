# SPDX-License-Identifier: Apache-2.0
"""What an executable makes sure of before it starts.

Each check raises :class:`zun.common.process.StartError`, whose one line says
what is wrong and what to do.
"""

from oslo_log import log as logging
import sqlalchemy as sa

from zun.common import exception
from zun.common.k8s import client
from zun.common import process
import zun.conf
from zun.db.sqlalchemy import migration

CONF = zun.conf.CONF
LOG = logging.getLogger(__name__)


def database() -> None:
    """The database answers and has the tables of this release."""
    current, known = database_revision(), migration.known_revisions()
    if current is not None and current not in known:
        LOG.warning('The database is at revision %s, which this release '
                    'does not know: it is that of a newer one.', current)
    elif current != known[0]:
        raise process.StartError(
            'the database is at revision %s, this release needs %s. Run '
            '"zun-db-manage upgrade".' % (current or '(none)', known[0]))


def database_revision() -> str | None:
    """The revision of the database's schema, None if it has none.

    :raises StartError: the database does not answer
    """
    if not CONF.database.connection:
        raise process.StartError(
            'there is no [database] connection in the configuration.')
    try:
        # Not through oslo.db: that would go on trying for minutes.
        engine = sa.create_engine(CONF.database.connection,
                                  poolclass=sa.pool.NullPool)
        with engine.connect() as connection:
            return migration.revision_of(connection)
    except (sa.exc.SQLAlchemyError, ImportError) as error:
        raise process.StartError(
            'the database of [database] connection does not answer: %s'
            % process.one_line(getattr(error, 'orig', None) or error)
        ) from error


def cluster() -> None:
    """The Kubernetes cluster answers."""
    try:
        client.get_cluster().version()
    except exception.ZunException as error:
        raise process.StartError(
            'the Kubernetes cluster of [kubernetes] does not answer: %s'
            % process.one_line(error)) from error
    finally:
        # A child makes its own connections.
        client.reset()
