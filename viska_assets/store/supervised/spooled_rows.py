"""One row of one writer as a value that can wait: written now or later, once, with the time at which it happened."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from psycopg import sql
from psycopg.types.json import Jsonb

from viska_assets.store.database import Connection
from viska_assets.store.supervised.matrix import TABLES, Action, Writer, is_given

PLAIN = re.compile(r"[a-z][a-z0-9_]*")


class WriteError(ValueError):
    """A write that its writer may not make, or that cannot be kept as JSON."""


@dataclass(frozen=True)
class Write:
    """A row to be added.

    Attributes:
        writer: who writes it.
        table: ``schema.name``, one of those to which the matrix lets the writer add.
        row: values by column, such as JSON can hold; the database sets the others.
        op_id: the write's own id: with it a replay adds nothing.
        event_at: when it happened.
    """

    writer: Writer
    table: str
    row: Mapping[str, Any]
    op_id: UUID
    event_at: datetime

    def __post_init__(self) -> None:
        """Refuses what no replay could write."""
        if Action.INSERT not in TABLES[self.writer].get(self.table, ()):
            raise WriteError(f"{self.writer.value} adds no rows to {self.table}")
        for column in self.row:
            if not PLAIN.fullmatch(column) or not is_given(self.table, column) or column in ("op_id", "event_at"):
                raise WriteError(f"{self.table}: the column {column!r} is not given by a writer")
        if self.event_at.tzinfo is None:
            raise WriteError("event_at needs a time zone")


def add_row(connection: Connection, write: Write) -> bool:
    """Adds the row as its writer; false where it stands already."""
    values = {name: Jsonb(value) if isinstance(value, dict | list) else value for name, value in write.row.items()}
    values |= {"op_id": write.op_id, "event_at": write.event_at}
    done = connection.execute(
        sql.SQL("INSERT INTO {} ({}) VALUES ({}) ON CONFLICT (op_id) DO NOTHING").format(
            sql.Identifier(*write.table.split(".")),
            sql.SQL(", ").join(map(sql.Identifier, values)),
            sql.SQL(", ").join([sql.Placeholder()] * len(values)),
        ),
        list(values.values()),
    )
    return done.rowcount == 1
