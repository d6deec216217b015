"""A document that speaks against a standing page has it linted at once, and once only."""

from pathlib import Path

import dagster as dg
import pytest

from bench.maintainer import maintain, receive
from resources.home import HomeResource
from sensors.contradicting_sources import contradicting_sources, read_cursor
from tests.maintain.filings import Report
from tests.maintain.test_restating import FIRST, ISSUER
from viska_assets.assets.linting import lint_home
from viska_assets.store.home import Home

pytestmark = pytest.mark.database


def tick(cursor: str | None = None) -> dg.SensorResult:
    found = contradicting_sources(dg.build_sensor_context(cursor=cursor), home=HomeResource())
    assert isinstance(found, dg.SensorResult)
    return found


def skipped(found: dg.SensorResult) -> str:
    assert not found.run_requests
    assert found.skip_reason is not None
    return str(found.skip_reason.skip_message)


def take(home: Home, *paths: Path) -> None:
    receive(home, list(paths))
    maintain(home)


def amended(folder: Path) -> Path:
    """Another filing of the same year that gives another net income."""
    report = Report("Acme Tools Inc.", 2023, {**FIRST.rows, "Net income": {2023: 199, 2022: 215}})
    path = folder / "acme-10-k-2024-03-20.html"
    path.write_text(report.html())
    return path


def test_an_empty_home_gives_a_sentence(home: Home) -> None:
    assert skipped(tick()) == "The gate has judged no draft since the last look."


def test_a_first_document_speaks_against_nothing(home: Home, tmp_path: Path) -> None:
    take(home, FIRST.write(tmp_path))
    found = tick()
    assert "speaks against" in skipped(found)
    assert "no draft since" in skipped(tick(found.cursor))


def test_a_contradicting_source_has_its_page_linted_once(home: Home, tmp_path: Path) -> None:
    take(home, FIRST.write(tmp_path))
    lint_home(home, "e")
    before = tick()
    skipped(before)
    take(home, amended(tmp_path))
    found = tick(before.cursor)
    assert found.run_requests is not None
    (request,) = found.run_requests
    paths = request.run_config["ops"]["lint_report"]["config"]["paths"]
    assert f"{ISSUER}.md" in paths
    assert set(paths) <= set(home.bundle.files())
    assert "acme-10-k-2024-03-20.html" in request.tags["viska/documents"]

    linted = lint_home(home, "e", anew=paths)
    codes = {finding.code for finding in linted.report.findings if finding.path == f"{ISSUER}.md"}
    assert "SOURCE_CONTRADICTS" in codes
    skipped(tick(found.cursor))
    assert "no lint has seen" in skipped(tick(None)), "a lost cursor asks for nothing that a lint has seen"


def test_a_cursor_that_cannot_be_read_starts_over() -> None:
    assert [read_cursor(text) for text in (None, "", "x", "12", "-3")] == [0, 0, 0, 12, 0]


def test_evidence_that_is_not_unanimous_counts_although_the_draft_passes(home: Home, tmp_path: Path) -> None:
    take(home, FIRST.write(tmp_path))
    lint_home(home, "e")
    with home.database.transaction() as connection:
        connection.execute(
            """
            INSERT INTO gate.verdict (draft_id, engine, passed, codes, verdict, page_text)
            SELECT draft_id, 'later', true, '{}', jsonb_build_object('findings', jsonb_build_array(
                jsonb_build_object('code', 'EVIDENCE_NOT_UNANIMOUS', 'message', 'cited chunks also print 199'))), ''
            FROM registry.draft WHERE concept_id = %s
            """,
            (ISSUER,),
        )
    requests = tick().run_requests
    assert requests is not None
    assert requests[0].run_config == {"ops": {"lint_report": {"config": {"paths": [f"{ISSUER}.md"]}}}}


def test_the_run_that_is_asked_for_runs(home: Home, tmp_path: Path) -> None:
    from viska_assets.assets.lint import lint_report

    take(home, FIRST.write(tmp_path))
    config = {"ops": {"lint_report": {"config": {"paths": [f"{ISSUER}.md"]}}}}
    with dg.DagsterInstance.ephemeral() as instance:
        definitions = dg.Definitions(assets=[lint_report], resources={"home": HomeResource()})
        done = definitions.resolve_implicit_global_asset_job_def().execute_in_process(
            instance=instance, run_config=config
        )
        assert done.success
        (event,) = done.get_asset_materialization_events()
        assert event.materialization.metadata["pages_asked_for"].value == f"{ISSUER}.md"
