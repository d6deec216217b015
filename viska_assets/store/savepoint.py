"""A point of a transaction to which a failed statement can be taken back, so that the rest of it goes on."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from viska_assets.store.database import Connection


@contextmanager
def savepoint(connection: Connection) -> Iterator[Callable[[], None]]:
    """Yields a function that takes the transaction back to here; it may be called after each failed statement.

    One savepoint serves several statements that may fail, which saves two round trips for each of them.
    """
    if connection.autocommit:
        yield lambda: None
        return
    connection.execute("SAVEPOINT asked")

    def back() -> None:
        connection.execute("ROLLBACK TO SAVEPOINT asked")

    yield back
    connection.execute("RELEASE SAVEPOINT asked")
