"""A point of a transaction to which a failed statement can be taken back, so that the rest of it goes on."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from psycopg import errors
from psycopg.pq import ExecStatus, TransactionStatus

from viska_assets.store.database import Connection


@contextmanager
def savepoint(connection: Connection) -> Iterator[Callable[[], None]]:
    """Yields a function that takes the transaction back to here; it may be called after each failed statement.

    One savepoint serves several statements that may fail, which saves two round trips for each of them.
    """
    if connection.autocommit:
        yield lambda: None
        return
    _command(connection, "SAVEPOINT asked")

    def back() -> None:
        connection.execute("ROLLBACK TO SAVEPOINT asked")

    yield back
    _command(connection, "RELEASE SAVEPOINT asked")


def _command(connection: Connection, command: str) -> None:
    """A command without values or rows, given to libpq itself, which costs a quarter of a cursor's statement.

    Only within a transaction: its beginning is psycopg's to send.
    """
    if connection.pgconn.transaction_status != TransactionStatus.INTRANS:
        connection.execute(command)
        return
    result = connection.pgconn.exec_(command.encode())
    if result.status != ExecStatus.COMMAND_OK:
        raise errors.error_from_result(result)
