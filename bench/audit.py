"""Measures the audit chain: sealing and verifying so many entries, and that the four kinds of tampering are found.

Run as ``python bench/audit.py --entries 100000``; prints one JSON object. The server is an embedded one of its own.
"""

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from viska_assets.store.database import Connection, Database
from viska_assets.store.migrate import migrate
from viska_assets.store.server import EmbeddedServer
from viska_assets.store.supervised.anchors import Anchor
from viska_assets.store.supervised.audit_rows import chain, head, seal_entries
from viska_assets.supervise.auditing import ChainReport, verify, verify_chain

HIDDEN = "SET LOCAL session_replication_role = replica; "
CHOSEN = "WHERE entry_id = (SELECT entry_id FROM audit.seal WHERE seq = %(at)s)"
TAMPERING = {
    "edit": f"UPDATE audit.entry SET detail = '{{}}' {CHOSEN}",
    "delete": f"DELETE FROM audit.entry {CHOSEN}",
    "tail cut": "DELETE FROM audit.seal WHERE seq > %(at)s",
    "full re-chain": """
        UPDATE audit.entry SET detail = '{}' WHERE entry_id = (SELECT entry_id FROM audit.seal WHERE seq = %(at)s);
        DO $$ DECLARE s record; last bytea := sha256(''); BEGIN
            FOR s IN SELECT * FROM audit.seal ORDER BY seq LOOP
                UPDATE audit.seal SET prev = last, hash = sha256(last || (SELECT audit.canonical(e)
                    FROM audit.entry e WHERE e.entry_id = s.entry_id)) WHERE seq = s.seq RETURNING hash INTO last;
            END LOOP;
        END $$
    """,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--entries", type=int, default=100_000)
    entries = parser.parse_args().entries
    with tempfile.TemporaryDirectory() as folder:
        server = EmbeddedServer(Path(folder))
        database = Database(server.ensure_running())
        try:
            migrate(database)
            print(json.dumps(measure(database, entries), indent=1))
        finally:
            database.close()
            server.stop()


def measure(database: Database, entries: int) -> dict[str, object]:
    with database.transaction() as connection:
        connection.execute(
            "INSERT INTO audit.entry (actor, action, object, detail) SELECT 'nous', 'insert', "
            "'signals.candidate:' || n, jsonb_build_object('kind', 'price_anomaly', "
            "'content_sha256', encode(sha256(n::text::bytea), 'hex')) "
            "FROM generate_series(1, %s) n",
            (entries,),
        )
    started = time.perf_counter()
    with database.transaction() as connection:
        sealed = seal_entries(connection)
    seal_seconds = time.perf_counter() - started
    with database.transaction() as connection:
        last = head(connection)
    anchors = [Anchor(last.seq, last.hash, "bench")]
    started = time.perf_counter()
    with database.transaction() as connection:
        report = verify_chain(chain(connection), anchors)
    chain_seconds = time.perf_counter() - started
    started = time.perf_counter()
    whole = verify(database, anchors)
    return {
        "entries": sealed,
        "seal_seconds": round(seal_seconds, 2),
        "verify_chain_seconds": round(chain_seconds, 2),
        "verify_with_rows_seconds": round(time.perf_counter() - started, 2),
        "intact": report.is_intact and whole.is_intact,
        "detected": {name: tamper(database, text, entries // 2, anchors) for name, text in TAMPERING.items()},
    }


class Undone(Exception):
    """Takes a tampering back."""


def tamper(database: Database, statement: str, at: int, anchors: list[Anchor]) -> list[str]:
    """The kinds of faults that are found after a superuser's tampering, which is taken back afterwards."""
    found: list[str] = []
    try:
        with database.transaction() as connection:
            found = sorted({broken.fault.value for broken in _tampered(connection, statement, at, anchors).broken})
            raise Undone
    except Undone:
        return found


def _tampered(connection: Connection, statement: str, at: int, anchors: list[Anchor]) -> ChainReport:
    connection.execute((HIDDEN + statement % {"at": at}).encode())
    return verify_chain(chain(connection), anchors)


if __name__ == "__main__":
    main()
