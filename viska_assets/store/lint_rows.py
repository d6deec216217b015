"""Rows of ``lint``: what each night found by rule, and what the next night need not read or judge again."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from psycopg.types.json import Jsonb

from viska_assets.model.lint import Gravity
from viska_assets.store.codec import from_json, to_jsonb
from viska_assets.store.database import Connection


@dataclass(frozen=True, slots=True)
class RuleCount:
    """How many findings a rule made in one night; None where it did not run."""

    rule: str
    gravity: Gravity
    findings: int | None


@dataclass(frozen=True)
class Night:
    """One lint run as stored: ``waiting_days`` holds the age of every draft in quarantine, in whole days."""

    report_id: int
    bundle_commit: str
    engine: str
    as_of: datetime
    pages: int
    rules: tuple[RuleCount, ...]
    findings: list[dict[str, Any]]
    waiting_days: tuple[int, ...] = ()

    @property
    def counts(self) -> dict[str, int]:
        """The number of findings by rule, rules without any left out."""
        return {count.rule: count.findings for count in self.rules if count.findings}

    @property
    def hard(self) -> int:
        """How many findings are hard."""
        return sum(finding["severity"] == Gravity.HARD.value for finding in self.findings)


@dataclass(frozen=True, slots=True)
class PageState:
    """What a page was found to be under one version of code and rules: JSON of lint's summary and of the verdict."""

    path: str
    version: str
    summary: str
    verdict_key: tuple[str, ...] | None
    verdict: str | None


def add_lint_report(
    connection: Connection,
    *,
    engine: str,
    bundle_commit: str,
    as_of: datetime,
    pages: int,
    rules: Sequence[RuleCount],
    findings: list[dict[str, Any]],
    waiting_days: Sequence[int],
) -> int:
    """Stores a report and returns its number."""
    row = connection.execute(
        """
        INSERT INTO lint.report (bundle_commit, engine, as_of, pages, rules, findings, waiting_days)
        VALUES (%s, %s, %s, %s, %s, %s, %s) RETURNING report_id
        """,
        (
            bundle_commit,
            engine,
            as_of,
            pages,
            to_jsonb(tuple[RuleCount, ...], tuple(rules)),
            Jsonb(findings),
            list(waiting_days),
        ),
    ).fetchone()
    assert row is not None
    return int(row[0])


def lint_nights(connection: Connection, limit: int = 30) -> list[Night]:
    """The last reports, newest first."""
    rows = connection.execute(
        """
        SELECT report_id, bundle_commit, engine, as_of, pages, rules, findings, waiting_days
        FROM lint.report ORDER BY report_id DESC LIMIT %s
        """,
        (limit,),
    )
    return [_night(row) for row in rows]


def _night(row: tuple[Any, ...]) -> Night:
    report_id, commit, engine, as_of, pages, rules, findings, waiting = row
    counts: tuple[RuleCount, ...] = from_json(tuple[RuleCount, ...], rules)
    return Night(report_id, commit, engine, as_of, pages, counts, findings, tuple(waiting))


def page_states(connection: Connection) -> list[PageState]:
    """The state of every page that the last run saw."""
    rows = connection.execute("SELECT path, version, summary, verdict_key, verdict FROM lint.page_state ORDER BY path")
    return [PageState(row[0], row[1], row[2], tuple(row[3]) if row[3] else None, row[4]) for row in rows]


def keep_page_states(connection: Connection, changed: Sequence[PageState], paths: Sequence[str]) -> None:
    """Stores the states of changed pages and forgets those of pages that are not among ``paths``."""
    with connection.cursor() as cursor:
        cursor.executemany(
            """
            INSERT INTO lint.page_state (path, version, summary, verdict_key, verdict) VALUES (%s, %s, %s, %s, %s)
            ON CONFLICT (path) DO UPDATE SET version = EXCLUDED.version, summary = EXCLUDED.summary,
                verdict_key = EXCLUDED.verdict_key, verdict = EXCLUDED.verdict
            """,
            [
                (s.path, s.version, s.summary, list(s.verdict_key) if s.verdict_key else None, s.verdict)
                for s in changed
            ],
        )
    connection.execute("DELETE FROM lint.page_state WHERE path <> ALL(%s)", (list(paths),))
