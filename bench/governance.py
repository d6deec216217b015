"""Measures how fast writers are stopped, and the size of the proof that they are kept apart.

Run as ``python bench/governance.py --rounds 20``; prints one JSON object. The server is an embedded one of its own.
A kill hits three sessions of nous in the middle of a transaction; a pause stands beside an open transaction of nous.
"""

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import psycopg

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from viska_assets.store.database import Database
from viska_assets.store.migrate import migrate
from viska_assets.store.policy import Policy
from viska_assets.store.server import EmbeddedServer
from viska_assets.store.settings import Settings
from viska_assets.store.supervised.credentials import address_of
from viska_assets.store.supervised.matrix import Writer
from viska_assets.store.supervised.roles import apply_roles
from viska_assets.supervise.connecting import close_all, connect
from viska_assets.supervise.governance.cycle import run_cycle
from viska_assets.supervise.killing import kill, revive
from viska_assets.supervise.pausing import pause, resume
from viska_assets.supervise.proving import prove_roles

TRACE = "INSERT INTO nous.trace (engine, token_budget) VALUES ('bench', 1)"
CANDIDATE = (
    "INSERT INTO signals.candidate (kind, concept_id, direction, severity, headline, rationale) "
    "VALUES ('bench', 'issuers/bench', 'long', 'low', 'bench', 'bench')"
)
APPROVED = (
    "SELECT encode(sha256(convert_to(coalesce(string_agg(to_jsonb(t)::text, ',' ORDER BY artifact_id), ''), 'UTF8')), "
    "'hex') FROM signals.approved t"
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        server = EmbeddedServer(home)
        settings, database = Settings(home=home), Database(server.ensure_running())
        try:
            migrate(database)
            started = time.perf_counter()
            applied = apply_roles(settings, database)
            apply_seconds = time.perf_counter() - started
            started = time.perf_counter()
            proof = prove_roles(settings, database)
            found = {
                "roles": len(applied.roles),
                "relations": proof.relations,
                "grants": applied.grants,
                "apply_seconds": round(apply_seconds, 2),
                "attacks": len(proof.outcomes),
                "denied": proof.denied,
                "surprises": len(proof.surprises),
                "verify_seconds": round(time.perf_counter() - started, 2),
                "pause_beside_open_writer_ms": spread([paused(settings, database) for _ in range(rounds)]),
            }
            before = text(database, APPROVED)
            found["kill_to_last_session_ms"] = spread([killed(settings, database) for _ in range(rounds)])
            found["daemon_cycle_ms"] = spread([cycled(settings, database) for _ in range(rounds)])
            found["rows_after_pauses_and_kills"] = int(text(database, "SELECT count(*) FROM nous.trace"))
            found["approved_unchanged"] = before == text(database, APPROVED)
            print(json.dumps(found, indent=1))
        finally:
            close_all()
            database.close()
            server.stop()


def paused(settings: Settings, database: Database) -> float:
    """Milliseconds of a pause, connection included, while nous has written and not committed."""
    with psycopg.connect(address_of(settings, database.url, Writer.NOUS)) as nous:
        nous.execute(TRACE)
        started = time.perf_counter()
        pause(settings, database, Writer.NOUS, reason="bench", requested_by="bench")
        taken = (time.perf_counter() - started) * 1000
        try:
            nous.commit()
        except psycopg.Error:
            nous.rollback()
    resume(settings, database, Writer.NOUS, reason="bench", requested_by="bench")
    return taken


def killed(settings: Settings, database: Database) -> float:
    """Milliseconds from disabling to the last session's end, three sessions being in the middle of a transaction."""
    sessions = [psycopg.connect(address_of(settings, database.url, Writer.NOUS)) for _ in range(3)]
    for session in sessions:
        session.execute(TRACE)
    taken = float(kill(settings, database, Writer.NOUS, reason="bench", requested_by="bench").milliseconds)
    for session in sessions:
        session.close()
    revive(settings, database, Writer.NOUS, reason="bench", requested_by="bench")
    return taken


def cycled(settings: Settings, database: Database) -> float:
    """Milliseconds of a cycle of the governance daemon, with ten more candidates than before waiting."""
    with psycopg.connect(address_of(settings, database.url, Writer.NOUS)) as nous:
        for _ in range(10):
            nous.execute(CANDIDATE)
    started = time.perf_counter()
    run_cycle(connect(Writer.GOVERNANCE, settings), Policy(), settings.spool_path)
    return (time.perf_counter() - started) * 1000


def spread(values: list[float]) -> dict[str, float]:
    return {"median": round(median(values), 1), "max": round(max(values), 1)}


def text(database: Database, query: str) -> str:
    with database.transaction() as connection:
        row = connection.execute(query.encode()).fetchone()
    return str(row[0]) if row else ""


if __name__ == "__main__":
    main()
