"""What the database really holds, read from its catalogue: relations with their columns, sequences and functions."""

from dataclasses import dataclass

from viska_assets.store.database import Connection

_FOREIGN = """
    n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema'
    AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = o.oid AND d.deptype = 'e')
"""


@dataclass(frozen=True)
class Relation:
    """A table or view: ``schema.name``, its columns by name and type, and those that the database always generates."""

    name: str
    is_table: bool
    columns: tuple[tuple[str, str], ...]
    generated: frozenset[str]

    @property
    def schema(self) -> str:
        """The schema it is in."""
        return self.name.partition(".")[0]

    @property
    def changeable(self) -> tuple[str, str]:
        """A column that can be named in a statement that writes."""
        return next(((name, kind) for name, kind in self.columns if name not in self.generated), self.columns[0])


@dataclass(frozen=True)
class Function:
    """A function: ``schema.name``, its signature for GRANT, and a call with nothing but nulls."""

    name: str
    signature: str
    call: str


def relations(connection: Connection) -> list[Relation]:
    """Every table and view that is not Postgres' own or an extension's."""
    rows = connection.execute(
        f"""
        SELECT n.nspname || '.' || o.relname, o.relkind IN ('r', 'p'),
            array_agg(a.attname::text ORDER BY a.attnum), array_agg(format_type(a.atttypid, a.atttypmod)
            ORDER BY a.attnum), array_remove(array_agg(CASE WHEN a.attidentity = 'a' OR a.attgenerated <> ''
            THEN a.attname::text END), NULL)
        FROM pg_class o JOIN pg_namespace n ON n.oid = o.relnamespace
        JOIN pg_attribute a ON a.attrelid = o.oid AND a.attnum > 0 AND NOT a.attisdropped
        WHERE o.relkind IN ('r', 'p', 'v', 'm', 'f') AND {_FOREIGN}
        GROUP BY 1, 2 ORDER BY 1
        """  # noqa: S608
    ).fetchall()
    return [
        Relation(name, is_table, tuple(zip(columns, kinds, strict=True)), frozenset(generated))
        for name, is_table, columns, kinds, generated in rows
    ]


def sequences(connection: Connection) -> list[str]:
    """Every sequence, ``schema.name``."""
    rows = connection.execute(
        f"""
        SELECT n.nspname || '.' || o.relname FROM pg_class o JOIN pg_namespace n ON n.oid = o.relnamespace
        WHERE o.relkind = 'S' AND {_FOREIGN} ORDER BY 1
        """  # noqa: S608
    )
    return [row[0] for row in rows]


def functions(connection: Connection) -> list[Function]:
    """Every function that can be called by name; trigger functions cannot."""
    rows = connection.execute(
        f"""
        SELECT n.nspname || '.' || o.proname, o.oid::regprocedure::text, format('SELECT %I.%I(%s)', n.nspname,
            o.proname, (SELECT coalesce(string_agg(CASE WHEN o.provariadic <> 0 THEN 'VARIADIC ' ELSE '' END
            || 'NULL::' || format_type(t, NULL), ', ' ORDER BY at), '')
            FROM unnest(o.proargtypes) WITH ORDINALITY AS p (t, at)))
        FROM pg_proc o JOIN pg_namespace n ON n.oid = o.pronamespace
        WHERE o.prokind = 'f' AND o.prorettype <> 'trigger'::regtype AND {_FOREIGN} ORDER BY 1, 2
        """  # noqa: S608
    )
    return [Function(*row) for row in rows]


def schemas(connection: Connection, *, owned: bool = False) -> list[str]:
    """Every schema that is not Postgres' own; or only those that this login owns, as a host keeps some for itself."""
    rows = connection.execute(
        r"""
        SELECT nspname FROM pg_namespace WHERE nspname NOT LIKE 'pg\_%%' AND nspname <> 'information_schema'
            AND (NOT %s OR pg_has_role(nspowner, 'USAGE')) ORDER BY 1
        """,
        (owned,),
    )
    return [row[0] for row in rows]
