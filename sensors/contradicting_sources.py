"""Watches the gate's verdicts: a source that speaks against a standing page has that page linted without delay."""

import dagster as dg

from resources.home import HomeResource
from viska_assets.guardrail.codes import Code
from viska_assets.store.contradicting import contradicted_pages, newest_verdict

AGAINST = (Code.CONTRADICTION.value, Code.EVIDENCE_NOT_UNANIMOUS.value)


def read_cursor(cursor: str | None) -> int:
    """The number of the last verdict that was looked at; a cursor that cannot be read means to start over."""
    return int(cursor) if cursor and cursor.isdecimal() else 0


@dg.sensor(
    target=dg.AssetSelection.assets("lint_report"),
    default_status=dg.DefaultSensorStatus.RUNNING,
    minimum_interval_seconds=60,
)
def contradicting_sources(context: dg.SensorEvaluationContext, home: HomeResource) -> dg.SensorResult:
    """Asks for a lint of the pages that a newly ingested document contradicts, unless a lint has run since."""
    after = read_cursor(context.cursor)
    with home.open().database.transaction() as connection:
        newest = newest_verdict(connection)
        found = contradicted_pages(connection, AGAINST, after)
    if not found:
        return dg.SensorResult(skip_reason=_why_nothing(after, newest), cursor=str(newest))
    paths = sorted({f"{concept}.md" for one in found for concept in one.concepts})
    request = dg.RunRequest(
        run_key=f"contradiction-{found[-1].verdict_no}",
        run_config={"ops": {"lint_report": {"config": {"paths": paths}}}},
        tags={"viska/documents": ", ".join(sorted({one.document for one in found}))[:200]},
    )
    return dg.SensorResult(run_requests=[request], cursor=str(newest))


def _why_nothing(after: int, newest: int) -> str:
    if newest == after:
        return "The gate has judged no draft since the last look."
    return f"No draft judged since verdict {after} speaks against a page that no lint has seen since."
