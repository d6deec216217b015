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
from viska_assets.supervise.review.reviewing import review

SESSION = "drill"
CITATIONS = json.dumps([{"chunk_id": "c", "locator": {"start": 0, "end": 3}}])


def trace(ground: Ground, outcome: str = "completed", *, pinned: str = "model-1", answered: str = "model-1") -> int:
    """A trace of nous that ended so, with the model that should have answered and the one that did."""
    with ground.connect(Writer.NOUS) as nous:
        number = _one(
            nous.execute(
                "INSERT INTO nous.trace (engine, model_pinned, token_budget) VALUES ('drill', %s, 9) "
                "RETURNING trace_id",
                (pinned,),
            )
        )
        nous.execute(
            "INSERT INTO nous.trace_end (trace_id, outcome, model_answered) VALUES (%s, %s, %s)",
            (number, outcome, answered),
        )
    return number


def candidates(
    ground: Ground,
    count: int,
    *,
    headline: str = "Margin fell",
    domain: str = "example.org",
    severity: str = "low",
    trace_id: int = 0,
) -> list[Pending]:
    """Candidates of nous, as the review sees them; each cites a passage that there is not."""
    number = trace_id or trace(ground)
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
                    (severity, f"{headline} {uuid.uuid4().hex[:6]}", CITATIONS, domain, number),
                )
            )
            for _ in range(count)
        }
    return _pending(ground, made)


def draft(ground: Ground, weight: str) -> Pending:
    """A draft of nous with one leg of a weight, its risk not stated."""
    legs = json.dumps([{"asset": "ACME", "weight": weight}])
    with ground.connect(Writer.NOUS) as nous:
        number = _one(
            nous.execute(
                "INSERT INTO strategies.draft (title, thesis, legs, risk, risk_class, citations, trace_id) "
                "VALUES ('Short the shares', 'The margin fell.', %s, '{}', 'low', %s, %s) RETURNING artifact_id",
                (legs, CITATIONS, trace(ground)),
            )
        )
    return _pending(ground, {number})[0]


def reviewed(ground: Ground, artifacts: list[Pending]) -> set[str]:
    """Runs the review as plutus, and returns what became of these artifacts, or why they were turned away."""
    numbers = {artifact.artifact_id for artifact in artifacts}
    done = review(ground.database(Writer.PLUTUS), ground.policy.loop, f"drill-{uuid.uuid4().hex[:8]}")
    return {str(one.cause or one.became) for one in done.judged if one.artifact_id in numbers}


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


def _pending(ground: Ground, numbers: set[int]) -> list[Pending]:
    with ground.connect(Writer.PLUTUS) as plutus:
        return [one for one in pending(plutus, 100_000) if one.artifact_id in numbers]


def _one(found: psycopg.Cursor[Any]) -> int:
    row = found.fetchone()
    assert row is not None
    return int(row[0])
