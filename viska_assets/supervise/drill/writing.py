"""What nous and plutus write in a drill, each as itself."""

import json
import uuid
from typing import Any

import psycopg

from viska_assets.store.supervised.matrix import Writer
from viska_assets.store.supervised.verdicts import (
    Cause,
    CheckName,
    Pending,
    approve,
    open_session,
    pending,
    record_check,
    reject,
)
from viska_assets.supervise.drill.ground import Ground

SESSION = "drill"


def trace(ground: Ground, outcome: str = "completed") -> int:
    """A trace of nous that ended so."""
    with ground.connect(Writer.NOUS) as nous:
        number = _one(
            nous.execute("INSERT INTO nous.trace (engine, token_budget) VALUES ('drill', 9) RETURNING trace_id")
        )
        nous.execute("INSERT INTO nous.trace_end (trace_id, outcome) VALUES (%s, %s)", (number, outcome))
    return number


def candidates(ground: Ground, count: int, *, domain: str = "example.org", severity: str = "low") -> list[Pending]:
    """Candidates of nous, as the review sees them."""
    number = trace(ground)
    with ground.connect(Writer.NOUS) as nous:
        made = {
            _one(
                nous.execute(
                    """
                    INSERT INTO signals.candidate (kind, concept_id, direction, severity, headline, rationale,
                        citations, source_domain, trace_id)
                    VALUES ('price_anomaly', 'issuers/acme', 'short', %s, %s, 'The margin fell.', %s, %s, %s)
                    RETURNING artifact_id
                    """,
                    (
                        severity,
                        f"Margin fell ({uuid.uuid4().hex[:6]})",
                        json.dumps([{"chunk_id": "c", "locator": {"start": 0, "end": 3}}]),
                        domain,
                        number,
                    ),
                )
            )
            for _ in range(count)
        }
    with ground.connect(Writer.PLUTUS) as plutus:
        return [one for one in pending(plutus, 100_000) if one.artifact_id in made]


def turn_away(ground: Ground, artifacts: list[Pending], cause: Cause) -> None:
    """Rejections by plutus."""
    with ground.connect(Writer.PLUTUS) as plutus:
        open_session(plutus, SESSION, "drill")
        for artifact in artifacts:
            reject(plutus, artifact, SESSION, cause, "planted by the drill", "planted by the drill")


def check(ground: Ground, artifact: Pending, failing: CheckName | None = None) -> None:
    """The four checks of plutus, passed but for one."""
    with ground.connect(Writer.PLUTUS) as plutus:
        open_session(plutus, SESSION, "drill")
        for name in CheckName:
            record_check(plutus, artifact, name, SESSION, passed=name is not failing, detail={})


def let_pass(ground: Ground, artifact: Pending) -> None:
    """An approval by plutus."""
    check(ground, artifact)
    with ground.connect(Writer.PLUTUS) as plutus:
        approve(plutus, artifact, SESSION, "holds")


def _one(found: psycopg.Cursor[Any]) -> int:
    row = found.fetchone()
    assert row is not None
    return int(row[0])
