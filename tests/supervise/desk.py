"""Writers at work: connections as each of them, and the rows that a test needs first."""

import json
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import psycopg
import pytest

from viska_assets.store.documents import add_document
from viska_assets.store.home import Home
from viska_assets.store.supervised.credentials import address_of
from viska_assets.store.supervised.matrix import Writer
from viska_assets.store.supervised.verdicts import CheckName, Pending, approve, open_session, pending, record_check

SESSION = "review-1"
MOMENT = datetime(2026, 3, 1, tzinfo=UTC)


class Desk:
    """A home with its writers."""

    def __init__(self, home: Home) -> None:
        self.home = home
        self.settings = home.settings
        self.database = home.database

    def connect(self, writer: Writer | str, **options: Any) -> psycopg.Connection:
        """A connection of its own as a writer; the caller closes it."""
        return psycopg.connect(address_of(self.settings, self.database.url, Writer(writer)), **options)

    @contextmanager
    def as_writer(self, writer: Writer | str, **options: Any) -> Iterator[psycopg.Connection]:
        """A transaction as a writer, committed on leaving."""
        with self.connect(writer, **options) as connection:
            yield connection

    def owner(self, statement: str, parameters: tuple[object, ...] = ()) -> list[Any]:
        """What a statement of the owner returns."""
        with self.database.transaction() as connection:
            found = connection.execute(statement, parameters)  # type: ignore[arg-type]
            return found.fetchall() if found.description else []

    def refused(self, writer: Writer | str, statement: str, parameters: tuple[object, ...] = ()) -> str:
        """The SQLSTATE with which a writer's statement, or its commit, is refused."""
        with pytest.raises(psycopg.Error) as caught, self.as_writer(writer) as connection:
            connection.execute(statement, parameters)  # type: ignore[arg-type]
        return caught.value.sqlstate or ""

    def trace(self, outcome: str = "completed") -> int:
        """A trace of nous, ended so."""
        with self.as_writer(Writer.NOUS) as connection:
            number = one(connection, "INSERT INTO nous.trace (engine, token_budget) VALUES ('e', 9) RETURNING trace_id")
            connection.execute("INSERT INTO nous.trace_end (trace_id, outcome) VALUES (%s, %s)", (number, outcome))
        return number

    def candidate(self, headline: str = "Sales fell", trace: int | None = None, **columns: object) -> Pending:
        """A candidate of nous, with a completed trace where none is given."""
        with_trace = trace if trace is not None else self.trace()
        return self._add("signals.candidate", signal(headline, trace_id=with_trace or None, **columns))

    def draft(self, title: str = "Short the shares") -> Pending:
        """A draft of nous."""
        return self._add(
            "strategies.draft",
            {"title": title, "thesis": "t", "legs": "[]", "risk": "{}", "risk_class": "low", "trace_id": self.trace()},
        )

    def _add(self, table: str, row: dict[str, object]) -> Pending:
        with self.as_writer(Writer.NOUS) as connection:
            number = insert(connection, table, row, "artifact_id")
        with self.as_writer(Writer.PLUTUS) as connection:
            return next(artifact for artifact in pending(connection) if artifact.artifact_id == number)

    def checked(self, artifact: Pending, failing: tuple[CheckName, ...] = (), session: str = SESSION) -> None:
        """The four checks of plutus, passed but for some."""
        with self.as_writer(Writer.PLUTUS) as connection:
            open_session(connection, session, "rules 1")
            for check in CheckName:
                record_check(connection, artifact, check, session, passed=check not in failing, detail={})

    def approved(self, headline: str = "Sales fell") -> Pending:
        """A candidate with an approval."""
        artifact = self.candidate(headline)
        self.checked(artifact)
        with self.as_writer(Writer.PLUTUS) as connection:
            approve(connection, artifact, SESSION, "holds")
        return artifact

    def document(self, name: str = "a.txt") -> str:
        """A raw document, written as ingestion."""
        document_id = uuid.uuid5(uuid.NAMESPACE_URL, name).hex * 2
        with self.as_writer(Writer.INGESTION) as connection:
            add_document(connection, document_id, name, 3, feed="t", path=name, received_at=MOMENT)
        return document_id

    def namespace_hash(self, table: str) -> tuple[int, str]:
        """How many rows a table has, and a hash over all of them."""
        return self.owner(
            "SELECT count(*), encode(sha256(convert_to(coalesce(string_agg(to_jsonb(t)::text, ',' ORDER BY "
            f"artifact_id), ''), 'UTF8')), 'hex') FROM {table} t"
        )[0]


def signal(headline: str, **columns: object) -> dict[str, object]:
    """The columns of a candidate."""
    row: dict[str, object] = {
        "kind": "fundamentals_anomaly",
        "concept_id": "issuers/acme",
        "direction": "short",
        "severity": "high",
        "headline": headline,
        "rationale": "Revenue is below the year before.",
        "citations": json.dumps([{"chunk_id": "c1", "locator": {"start": 3, "end": 9}}]),
        "source_domain": "example.org",
    }
    return row | columns


def insert(connection: psycopg.Connection, table: str, row: dict[str, object], returning: str) -> int:
    """Adds a row and returns a column of it."""
    statement = f"INSERT INTO {table} ({', '.join(row)}) VALUES ({', '.join(['%s'] * len(row))}) RETURNING {returning}"
    return one(connection, statement, tuple(row.values()))


def one(connection: psycopg.Connection, statement: str, parameters: tuple[object, ...] = ()) -> Any:
    """The first column of the first row."""
    row = connection.execute(statement, parameters).fetchone()  # type: ignore[arg-type]
    assert row is not None
    return row[0]
