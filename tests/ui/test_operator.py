"""What an operator sees in the real Dagster UI after the sample feed has been ingested."""

from pathlib import Path

import pytest

from tests.ui.conftest import Running, wait_for

pytestmark = pytest.mark.browser
ASSETS = {
    "raw_sources",
    "source_chunks",
    "source_incidents",
    "calculations",
    "chunk_embeddings",
    "concept_drafts",
    "concept_pages",
    "bundle_index",
    "knowledge_graph",
    "quarantine_queue",
    "lint_report",
    "eval_set",
    "parity_eval",
}
FABRICATED = "$99,247 million"
TRUE_NUMBER = "$96,169"


def open_page(page, url: str, text: str) -> None:
    page.goto(url, wait_until="domcontentloaded")
    page.wait_for_function("text => document.body.innerText.includes(text)", arg=text)
    page.wait_for_timeout(3_000)


def test_the_lineage_shows_every_asset(running: Running, page, shots: Path) -> None:
    # the graph draws what is in view: a window large enough for all groups at full size
    page.set_viewport_size({"width": 5000, "height": 6000})
    open_page(page, f"{running.url}/asset-groups", "retrieval")
    page.keyboard.press("Alt+e")
    page.wait_for_timeout(8_000)
    shown = page.locator("body").inner_text()
    page.set_viewport_size({"width": 2400, "height": 1560})
    page.wait_for_timeout(2_000)
    page.screenshot(path=str(shots / "lineage.png"))
    page.set_viewport_size({"width": 1600, "height": 1000})
    assert {name for name in ASSETS if name in shown} == ASSETS


def test_the_fabricated_number_is_red_with_its_page_and_nearest_evidence(running: Running, page, shots: Path) -> None:
    url = f"{running.url}/assets/concept_drafts?view=checks&checkDetail=p2_grounded_number"
    open_page(page, url, "p2_grounded_number")
    page.screenshot(path=str(shots / "failed_check.png"))
    shown = page.locator("body").inner_text()
    assert FABRICATED in shown
    assert TRUE_NUMBER in shown
    assert "theses/apple-fjordland-research-example.md" in shown


def test_the_pages_themselves_hold(running: Running, page, shots: Path) -> None:
    open_page(page, f"{running.url}/assets/concept_pages?view=checks", "p4_well_formed_concept")
    page.screenshot(path=str(shots / "pages_hold.png"))
    shown = page.locator("body").inner_text()
    assert shown.count("Succeeded") == 4
    assert "Failed" not in shown


def test_the_quarantine_says_how_to_clear_it(running: Running, page, shots: Path) -> None:
    open_page(page, f"{running.url}/assets/quarantine_queue?view=overview", "how_to_clear")
    page.screenshot(path=str(shots / "quarantine.png"))


def test_sensors_and_schedules_are_on(running: Running) -> None:
    data = running.graphql(
        """{sensorsOrError(repositorySelector:{repositoryName:"__repository__",repositoryLocationName:"viska"})
        {... on Sensors{results{name sensorState{status}}}}
        schedulesOrError(repositorySelector:{repositoryName:"__repository__",repositoryLocationName:"viska"})
        {... on Schedules{results{name scheduleState{status}}}}}"""
    )
    states = {s["name"]: s["sensorState"]["status"] for s in data["sensorsOrError"]["results"]}
    states |= {s["name"]: s["scheduleState"]["status"] for s in data["schedulesOrError"]["results"]}
    sensors = ("new_documents", "contradicting_sources", "changed_vaults", "parity_follows_engine")
    governing = ("governance_daemon", "approved_feed", "spooled_writes", "digest_of_the_day", "slack_health")
    loop = ("nous_ticks", "plutus_reviews", "daily_reviews", "audit_sealing")
    assert states == dict.fromkeys((*sensors, *governing, *loop, "nightly_lint", "nightly_parity"), "RUNNING")


def test_a_dropped_file_is_ingested_by_the_sensor(running: Running) -> None:
    text = "COPENHAGEN, November 13, 2024 (Sample Wire) - Apple Inc. (AAPL) said net sales were $391.0 billion.\n"
    scratch = running.home / "dropped.txt"
    scratch.write_text(text)
    scratch.replace(running.home / "drop" / "dropped-news.txt")

    def ingested() -> bool:
        runs = running.graphql("{runsOrError(limit:5){... on Runs{results{jobName status tags{key value}}}}}")
        found = [
            run
            for run in runs["runsOrError"]["results"]
            if run["jobName"] == "ingest_documents" and any(t["key"] == "viska/files" for t in run["tags"])
        ]
        return any(run["status"] == "SUCCESS" for run in found)

    wait_for(ingested, 180)
    pages = list((running.home / "bundle" / "sources").glob("dropped-news*.md"))
    assert len(pages) == 1
