"""Measures the maintainer over a pack: drafts through the gate, what reaches the pages, and that order changes nothing.

Run as ``python bench/maintain.py --pack P``. Coverage is the share of the filers' own tagged facts (a fixed list of
us-gaap concepts, undimensioned, by document, concept and period) whose value an Issuer page claims for that period.
"""

import argparse
import json
import os
import platform
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.maintain_llm import llm_drafting
from bench.maintain_orders import order_independence
from bench.maintainer import maintain, receive
from bench.packs import read_lines
from viska_assets.maintain.engine_version import engine_of
from viska_assets.model.claim import Claim
from viska_assets.model.page import Page
from viska_assets.okf.page import parse_page
from viska_assets.store.blobs import content_hash
from viska_assets.store.home import Home
from viska_assets.store.registry import live_claims, live_pages
from viska_assets.store.server import EmbeddedServer
from viska_assets.store.settings import Settings
from viska_assets.text.metrics import metric_of

CONCEPTS = (
    "Revenues",
    "RevenueFromContractWithCustomerExcludingAssessedTax",
    "CostOfRevenue",
    "CostOfGoodsAndServicesSold",
    "GrossProfit",
    "ResearchAndDevelopmentExpense",
    "SellingGeneralAndAdministrativeExpense",
    "OperatingExpenses",
    "OperatingIncomeLoss",
    "InterestExpense",
    "IncomeLossFromContinuingOperationsBeforeIncomeTaxesExtraordinaryItemsNoncontrollingInterest",
    "IncomeTaxExpenseBenefit",
    "NetIncomeLoss",
    "EarningsPerShareBasic",
    "EarningsPerShareDiluted",
    "CashAndCashEquivalentsAtCarryingValue",
    "AccountsReceivableNetCurrent",
    "InventoryNet",
    "AssetsCurrent",
    "Goodwill",
    "Assets",
    "AccountsPayableCurrent",
    "LiabilitiesCurrent",
    "LongTermDebtNoncurrent",
    "Liabilities",
    "StockholdersEquity",
    "NetCashProvidedByUsedInOperatingActivities",
    "NetCashProvidedByUsedInInvestingActivities",
    "NetCashProvidedByUsedInFinancingActivities",
    "PaymentsToAcquirePropertyPlantAndEquipment",
)
# Filers print payments and taxes in brackets under labels of either direction; the tag's sign is the concept's own.
PRINTED_NEGATED = ("capex", "tax_expense", "interest_expense", "cost_of_revenue")


@dataclass(frozen=True)
class Fact:
    """A tagged value of the issuer as a whole."""

    doc_id: str
    concept: str
    start: date | None
    end: date
    value: Decimal


def facts_of(pack: Path) -> list[Fact]:
    """The undimensioned, visible facts of the listed concepts, each document, concept and period once."""
    wanted = {f"us-gaap:{name}" for name in CONCEPTS}
    found: dict[tuple[str, str, str | None, str], Fact] = {}
    for line in read_lines(pack / "ixbrl_facts.jsonl"):
        if line["concept"] in wanted and not line["dims"] and not line["hidden"]:
            start = date.fromisoformat(line["period_start"]) if line["period_start"] else None
            end = date.fromisoformat(line["period_end"])
            key = (line["doc_id"], line["concept"], line["period_start"], line["period_end"])
            found.setdefault(key, Fact(line["doc_id"], line["concept"], start, end, Decimal(line["value"])))
    return list(found.values())


def is_claimed(fact: Fact, claims: Sequence[Claim]) -> bool:
    """Whether a claim of the issuer's page states the fact: same metric and period, value in its interval."""
    metric = metric_of(fact.concept)
    for claim in claims:
        period = claim.key.period
        if claim.key.metric not in (metric, fact.concept.lower()) or period is None or claim.key.segment:
            continue
        if period.end != fact.end or (period.start or None) != (fact.start if not period.is_instant else None):
            continue
        if claim.low is None or claim.high is None:
            continue
        values = {fact.value, -fact.value} if metric in PRINTED_NEGATED else {fact.value}
        if any(claim.low <= value <= claim.high for value in values):
            return True
    return False


def coverage(pack: Path, home: Home) -> dict[str, Any]:
    """The share of facts that reach the issuer's page, and by concept the shares below one."""
    entries = {entry["doc_id"]: entry for entry in read_lines(pack / "manifest.jsonl")}
    with home.database.transaction() as connection:
        owners = dict(connection.execute("SELECT document_id, entity FROM raw.document").fetchall())
        claims: dict[str, list[Claim]] = {}
        for claim in live_claims(connection):
            claims.setdefault(claim.concept_id, []).append(claim)
    hits: Counter[str] = Counter()
    total: Counter[str] = Counter()
    missed: list[dict[str, str]] = []
    for fact in facts_of(pack):
        entry = entries.get(fact.doc_id)
        if entry is None:
            continue
        issuer = owners.get(content_hash((pack / entry["path"]).read_bytes()))
        total[fact.concept] += 1
        if is_claimed(fact, claims.get(issuer or "", ())):
            hits[fact.concept] += 1
        else:
            period = f"{fact.start or ''}/{fact.end}"
            missed.append({"doc": fact.doc_id, "concept": fact.concept, "period": period, "value": str(fact.value)})
    share = sum(hits.values()) / max(1, sum(total.values()))
    return {
        "share": round(share, 4),
        "facts": sum(total.values()),
        "below_one": {c: f"{hits[c]}/{n}" for c, n in sorted(total.items()) if hits[c] < n},
        "missed": missed[:200],
    }


def locators(pages: Sequence[Page]) -> dict[str, int]:
    """Figures' citations of the pages by kind of locator; a citation without one would be ``none``."""
    found: Counter[str] = Counter()
    for page in pages:
        for entry in page.head.sources:
            if entry.chunk:
                found[entry.locator.kind if entry.locator else "none"] += 1
    return dict(sorted(found.items()))


def run(pack: Path, home: Home, orders: int, llm_documents: int) -> dict[str, Any]:
    entries = read_lines(pack / "manifest.jsonl")
    paths = [pack / entry["path"] for entry in entries]
    started = time.monotonic()
    receive(home, paths)
    read = time.monotonic()
    first = maintain(home)
    ended = time.monotonic()
    before = home.bundle.files()
    second = maintain(home)
    after = home.bundle.files()
    changed = sum(len(after[path].encode()) for path in after if before.get(path) != after[path])
    judged = first["judged"]
    passed = sum(1 for answer in judged if answer.verdict.passed)
    with home.database.transaction() as connection:
        live = live_pages(connection)
    pages = [parse_page(page.text, f"{page.concept_id}.md").page for page in live]
    covered = coverage(pack, home)
    return {
        "documents_per_min": round(60 * len(entries) / (ended - started), 1),
        "maintain_documents_per_min": round(60 * len(entries) / (ended - read), 1),
        "pages_by_type": dict(sorted(Counter(page.type for page in live).items())),
        "drafts": len(judged),
        "gate_pass_rate": round(passed / max(1, len(judged)), 4),
        "quarantined_by_code": dict(
            Counter(code for a in judged if not a.verdict.passed for code in a.verdict.codes).most_common()
        ),
        "citations_by_locator": locators(pages),
        "key_fact_coverage": covered["share"],
        "key_facts": covered,
        "second_run_bytes_changed": changed,
        "second_run_pages_written": second["pages_written"],
        **order_independence(pack, entries, orders),
        **llm_drafting(pack, llm_documents),
        "engine_version": engine_of(home.settings),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}",
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pack", type=Path, required=True)
    parser.add_argument("--orders", type=int, default=3, help="in how many orders the core documents are delivered")
    parser.add_argument("--llm-documents", type=int, default=50, help="how many documents the LLM drafter is tried on")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        home = Home(Settings(home=Path(scratch)))
        result = run(arguments.pack, home, arguments.orders, arguments.llm_documents)
        home.close()
        EmbeddedServer(Path(scratch)).stop()
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
