"""A thousand generated answers over the sample: markers that resolve to no source, and sources that quote no text."""

import itertools
import time
from typing import Any

from viska_assets.query.answer import answer, markers_in
from viska_assets.query.library import Library
from viska_assets.query.results import Tier
from viska_assets.query.wording import Asking
from viska_assets.store.document_places import text_window
from viska_assets.store.home import Home

COMPANIES = ("Apple", "NVDA", "Amazon", "Procter & Gamble", "Tesla", "the portfolio", "")
METRICS = (
    "revenue", "net income", "gross profit", "diluted EPS", "total assets", "inventories", "capex", "operating income",
    "price target", "rating", "thesis", "risks",
)  # fmt: skip
TIMES = ("in fiscal 2024", "in 2023", "in Q2 2025", "at September 28, 2024", "", "[3] as of today")


def answers(home: Home) -> dict[str, Any]:
    """Both tiers on every combination."""
    library = Library(home)
    unresolved = wrong_quotes = answered = asked = 0
    milliseconds: dict[str, list[float]] = {tier.value: [] for tier in (Tier.SYNTHESIS, Tier.RETRIEVAL)}
    for company, metric, when in itertools.product(COMPANIES, METRICS, TIMES):
        for tier in (Tier.SYNTHESIS, Tier.RETRIEVAL):
            with library.reader() as reader:
                started = time.process_time()
                reply = answer(reader, Asking(f"What is {company}'s {metric} {when}?"), tier=tier)
                milliseconds[tier.value].append((time.process_time() - started) * 1000)
                known = {source.marker for source in reply.sources}
                unresolved += sum(1 for marker in markers_in(reply.text) if marker not in known)
                unresolved += sum(1 for statement in reply.statements if not statement.markers)
                for source in reply.sources:
                    if source.where.span is not None:
                        said = text_window(reader.connection, source.where.document_id, source.where.span)
                        wrong_quotes += said != source.quoted
            asked += 1
            answered += reply.answers
    return {
        "unresolved_markers": unresolved,
        "answers_asked": asked,
        "answers_given": answered,
        "sources_that_quote_no_text": wrong_quotes,
        "answer_cpu_ms_p95": {name: round(sorted(v)[int(0.95 * len(v))], 1) for name, v in milliseconds.items()},
    }
