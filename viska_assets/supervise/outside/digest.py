"""The daily digest: what plutus approved, what it turned away and why, what went wrong. Plain lines, no judgement."""

from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, date, datetime

from viska_assets.store.database import Database
from viska_assets.store.policy_governance import SpoolSection
from viska_assets.store.supervised.incidents import op_id
from viska_assets.store.supervised.matrix import Writer
from viska_assets.store.supervised.report_rows import Day, read_day
from viska_assets.store.supervised.spooled_rows import Write
from viska_assets.supervise.outside.wording import shorten
from viska_assets.supervise.spool.files import Spool
from viska_assets.supervise.spool.writing import Became, write_or_spool

MOST_NAMED = 40


def lines_of(day: Day) -> Iterator[str]:
    """The digest, line by line."""
    reviewed = day.outcomes.get("approved", 0) + day.outcomes.get("rejected", 0)
    yield (
        f"Reviewed {reviewed}, approved {day.outcomes.get('approved', 0)}, rejected {day.outcomes.get('rejected', 0)}"
        f"{_listed(day.causes)}, expired {day.outcomes.get('expired', 0)}; {day.pending} wait."
    )
    for signal in day.signals[:MOST_NAMED]:
        yield (
            f"• {signal.severity} signal {signal.artifact_id}, {signal.concept_id}, {signal.direction}: "
            f"{shorten(signal.headline, 200)}"
        )
    for strategy in day.strategies[:MOST_NAMED]:
        yield f"• strategy {strategy.artifact_id}, {strategy.risk_class} risk: {shorten(strategy.title, 200)}"
    if more := max(0, len(day.signals) - MOST_NAMED) + max(0, len(day.strategies) - MOST_NAMED):
        yield f"• and {more} more"
    if not day.signals and not day.strategies:
        yield "Nothing was approved."
    yield f"Incidents: {sum(day.incidents.values())}{_listed(day.incidents)}."


def write_digest(
    open_database: Callable[[], Database],
    spool: Spool,
    day: date,
    policy: SpoolSection,
    *,
    alert: Callable[[], None] = lambda: None,
) -> Became:
    """Writes the digest of a day once, as plutus; asked for again, it adds nothing.

    Args:
        open_database: gives plutus's database.
        spool: plutus's spool, for a database that goes away between reading and writing.
        day: a day in UTC.
        policy: how often the write is tried.
        alert: see ``write_or_spool``.
    """
    with open_database().transaction() as connection:
        found = read_day(connection, day)
    row = {
        "kind": "daily_digest",
        "day": day.isoformat(),
        "title": f"Digest of {day.isoformat()}",
        "body": "\n".join(lines_of(found)),
        "artifacts": [one.artifact_id for one in found.signals] + [one.artifact_id for one in found.strategies],
    }
    write = Write(Writer.PLUTUS, "reports.report", row, op_id(f"daily_digest:{day}"), datetime.now(tz=UTC))
    return write_or_spool(open_database, spool, write, policy, alert=alert)


def _listed(counts: Mapping[str, int]) -> str:
    return f" ({', '.join(f'{name} {count}' for name, count in counts.items())})" if counts else ""
