"""Proves that the database keeps writers apart: every attack of every writer, against what the matrix says."""

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass

import psycopg

from viska_assets.store.database import Connection, Database
from viska_assets.store.settings import Settings
from viska_assets.store.supervised.attacks import Ground, Outcome, attacks_of, try_attacks
from viska_assets.store.supervised.catalogue import functions, relations, schemas, sequences
from viska_assets.store.supervised.credentials import address_of
from viska_assets.store.supervised.errors import RolesError
from viska_assets.store.supervised.matrix import Writer
from viska_assets.store.supervised.roles import roles_of, unapplied


@dataclass(frozen=True)
class Proof:
    """Every outcome, and what kept a writer from being tried."""

    outcomes: tuple[Outcome, ...]
    untried: tuple[str, ...]
    relations: int

    @property
    def surprises(self) -> tuple[Outcome, ...]:
        """Where the database did other than the matrix says."""
        return tuple(outcome for outcome in self.outcomes if outcome.is_surprise)

    @property
    def denied(self) -> int:
        """How many attacks the database turned away."""
        return sum(not outcome.passed for outcome in self.outcomes)

    @property
    def holds(self) -> bool:
        """Whether every writer was tried and nothing surprised."""
        return not self.surprises and not self.untried

    def by_writer(self) -> list[tuple[str, int, int, int]]:
        """A line a writer: its name, attacks tried, denied, surprises."""
        tried = Counter(o.attack.writer for o in self.outcomes)
        denied = Counter(o.attack.writer for o in self.outcomes if not o.passed)
        odd = Counter(o.attack.writer for o in self.surprises)
        return [(writer.value, tried[writer], denied[writer], odd[writer]) for writer in Writer]


def prove_roles(settings: Settings, database: Database, writers: Collection[Writer] = tuple(Writer)) -> Proof:
    """Attacks the database as every writer, or as some.

    Raises:
        RolesError: where the roles are not applied.
    """
    with database.transaction() as connection:
        why = unapplied(connection, settings, database.url)
        if why:
            raise RolesError(why)
        ground = survey(connection)
    outcomes: list[Outcome] = []
    untried: list[str] = []
    for writer in writers:
        try:
            outcomes += _attack(address_of(settings, database.url, writer), writer, ground)
        except psycopg.OperationalError as error:
            untried.append(f"{writer.value} could not be tried: {str(error).strip().splitlines()[-1]}")
    return Proof(tuple(outcomes), tuple(untried), len(ground.relations))


def survey(connection: Connection) -> Ground:
    """Everything there is to attack in this database."""
    row = connection.execute("SELECT pg_get_userbyid(datdba) FROM pg_database WHERE datname = current_database()")
    owner = row.fetchone()
    return Ground(
        relations(connection),
        functions(connection),
        sequences(connection),
        schemas(connection),
        roles_of(connection),
        str(owner[0]) if owner else "",
        connection.info.dbname,
        _other_homes(connection),
    )


def _other_homes(connection: Connection) -> list[str]:
    """Other databases of the server that writers of their own were applied to: another client's."""
    rows = connection.execute(
        "SELECT DISTINCT substring(shobj_description(oid, 'pg_authid') FROM 'of database (.*)$') FROM pg_roles "
        "WHERE shobj_description(oid, 'pg_authid') LIKE 'Viska''s writer %'"
    )
    here = connection.info.dbname
    there = {row[0] for row in connection.execute("SELECT datname FROM pg_database WHERE datallowconn")}
    return sorted({row[0] for row in rows if row[0] != here and row[0] in there})


def _attack(url: str, writer: Writer, ground: Ground) -> Iterator[Outcome]:
    with psycopg.connect(url, options="-c lock_timeout=2s") as connection:
        outcomes = list(try_attacks(connection, attacks_of(writer, ground)))
        connection.rollback()
    return iter(outcomes)
