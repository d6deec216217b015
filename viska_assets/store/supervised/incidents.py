"""What went wrong in the supervised loop, and its measures: rows that plutus and governance add and never change."""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import NAMESPACE_URL, UUID, uuid5

from psycopg.types.json import Jsonb

from viska_assets.store.database import Connection


class IncidentKind(StrEnum):
    """What can go wrong; the database knows no other kind."""

    GIBBERISH = "gibberish"
    LOOP = "loop"
    RISK_BREACH = "risk_breach"
    WRITE_FAILURE = "write_failure"
    MASTRA_OUTAGE = "mastra_outage"
    INJECTION = "injection"
    QUEUE_BACKUP = "queue_backup"
    MODEL_DRIFT = "model_drift"
    EXPIRED = "expired"
    AUDIT_CHAIN_BROKEN = "audit_chain_broken"
    SILENCE = "silence"
    PAUSED = "paused"
    KILLED = "killed"
    DAEMON_FAILURE = "daemon_failure"


class Severity(StrEnum):
    """How grave an incident is; ``HIGH`` reaches the operator at once."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


def op_id(key: str) -> UUID:
    """The id of a write that a key stands for, the same whenever it is asked for."""
    return uuid5(NAMESPACE_URL, f"viska:{key}")


def about_artifact(kind: IncidentKind, artifact_id: int) -> str:
    """The key of the incident that an artifact's verdict makes, whoever notices it first: review or daemon."""
    return f"{kind.value}:artifact:{artifact_id}"


def add_incident(
    connection: Connection,
    kind: IncidentKind,
    severity: Severity,
    *,
    detector: str,
    detail: str,
    evidence: Mapping[str, Any],
    key: str,
    event_at: datetime | None = None,
) -> bool:
    """Adds an incident once.

    Args:
        connection: as plutus or governance.
        kind: what went wrong.
        severity: how grave it is.
        detector: which part noticed it.
        detail: one sentence for the operator.
        evidence: ids of the rows that show it.
        key: the detector's own name of this incident; the same key again adds nothing.
        event_at: when it happened, where that is not now.

    Returns:
        Whether the incident is new.
    """
    row = connection.execute(
        """
        INSERT INTO governance.incident (kind, severity, detector, detail, evidence, op_id, event_at)
        VALUES (%s, %s, %s, %s, %s, %s, %s)
        ON CONFLICT (op_id) DO NOTHING RETURNING incident_id
        """,
        (kind.value, severity.value, detector, detail, Jsonb(dict(evidence)), op_id(key), event_at),
    ).fetchone()
    return row is not None


def add_metric(connection: Connection, name: str, value: float, labels: Mapping[str, Any], *, key: str) -> None:
    """Adds a measured value once (see ``add_incident`` for ``key``)."""
    connection.execute(
        """
        INSERT INTO governance.metric (name, value, labels, op_id) VALUES (%s, %s, %s, %s)
        ON CONFLICT (op_id) DO NOTHING
        """,
        (name, value, Jsonb(dict(labels)), op_id(key)),
    )
