"""Each predicate is proven to block, and to let a good page pass."""

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest
from support import NOW, Bundle, Store, page_text, source, table_chunk, verdict_of

from viska_assets.guardrail.gate import GatePolicy, claims_of_page, judge
from viska_assets.guardrail.report import as_github, as_lines, as_sarif, verdict_json
from viska_assets.model.evidence import Unit
from viska_assets.model.page import Computation, QuoteLocator, SourceEntry, Supersession
from viska_assets.model.span import Span
from viska_assets.model.verdict import Predicate
from viska_assets.okf.page import parse_page

GOOD = "Net sales were $5,127 million in FY2025[^c1]."


def test_good_page_passes() -> None:
    verdict = verdict_of(GOOD)
    assert verdict.passed and not verdict.codes


@pytest.mark.parametrize(
    ("predicate", "body", "code"),
    [
        (Predicate.P1, "Net sales were $5,127 million in FY2025.", "NO_CITATION"),
        (Predicate.P1, "Net sales rose sharply.", "NO_CITATION"),
        (Predicate.P1, "Net sales were $5,127 million[^c9].", "DANGLING_CITATION"),
        (Predicate.P2, "Net sales were $5,227 million in FY2025[^c1].", "UNGROUNDED"),
        (Predicate.P2, "Net sales were $5,127 billion in FY2025[^c1].", "SCALE_MISMATCH"),
        (Predicate.P2, "Net sales were 5,127,000,000% in FY2025[^c1].", "UNIT_MISMATCH"),
        (Predicate.P2, "Net sales were €5,127 million in FY2025[^c1].", "CCY_MISMATCH"),
        (Predicate.P2, "Net sales were $5,127 million in FY2024[^c1].", "PERIOD_MISMATCH"),
        (Predicate.P2, "Operating income was $5,127 million in FY2025[^c1].", "LABEL_CONFLICT"),
        (Predicate.P2, "Beta Corp net sales were $5,127 million in FY2025[^c1].", "ENTITY_MISMATCH"),
        (Predicate.P2, "Adjusted net sales were $5,127 million in FY2025[^c1].", "BASIS_MISMATCH"),
        (Predicate.P2, "Net sales guidance is $5,127 million for FY2025[^c1].", "SCENARIO_MISMATCH"),
        (Predicate.P2, "Net sales were $51,27 million in FY2025[^c1].", "MALFORMED_NUMBER"),
        (Predicate.P2, "Net sales doubled[^c1].", "DERIVED_NO_RECORD"),
        (Predicate.P2, "Net sales grew 6.8%[^c1].", "DERIVED_NO_RECORD"),
        (Predicate.P2, "Phase 3 started[^c1].", "NAME_NOT_FOUND"),
        (Predicate.P4, "Net sales were $5,1\u200b27 million[^c1].", "HIDDEN_OR_CONFUSABLE"),
        (Predicate.P4, "Net sales were $5,l27 million[^c1].", "HIDDEN_OR_CONFUSABLE"),
        (Predicate.P4, "Net sales were $５,127 million[^c1].", "HIDDEN_OR_CONFUSABLE"),
        (Predicate.P4, "On 06/07/2026 net sales were $5,127 million[^c1].", "AMBIGUOUS_DATE"),
        (Predicate.P4, f"<b>bold</b>\n\n{GOOD}", "RAW_HTML"),
        (Predicate.P4, f"## Sales of $5 million\n\n{GOOD}", "HEADING_FIGURE"),
    ],
)
def test_predicate_blocks(predicate: Predicate, body: str, code: str) -> None:
    verdict = verdict_of(body)
    assert not verdict.passed
    assert code in {f.code for f in verdict.findings if f.predicate is predicate}, verdict.findings


def test_sign_flip_and_direction_word() -> None:
    cited = [source(row="Operating income", column="FY2024")]
    assert "SIGN_FLIP" in verdict_of("Operating income was $62 million in FY2024[^c1].", cited).codes
    assert verdict_of("The operating loss was $62 million in FY2024[^c1].", cited).passed


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"content_sha256": "other"}, "CHUNK_CHANGED"),
        ({"chunk": "gone"}, "DANGLING_CITATION"),
        ({"resource": "/sources/beta.md"}, "MISATTRIBUTED"),
        ({"locator": QuoteLocator(quote="Net sales were about 5,127 that year")}, "QUOTE_NOT_FOUND"),
        ({"locator": QuoteLocator(quote="Net sales | 5,127 | 4,800 ... | 938 | (62)")}, "QUOTE_STITCHED"),
        ({"locator": QuoteLocator(quote="5,127")}, "QUOTE_LENGTH"),
    ],
)
def test_citation_that_does_not_resolve(changes: dict, code: str) -> None:
    assert code in verdict_of(GOOD, [source(**changes)]).codes


def test_quote_of_another_cited_chunk_is_misattributed() -> None:
    other = table_chunk("k2", {"Gross profit": ("1,000", "900")})
    cited = [source(locator=QuoteLocator(quote="Gross profit | 1,000 | 900")), source("c2", "Gross profit", chunk="k2")]
    verdict = verdict_of("Gross profit was $1,000 million[^c1] in FY2025[^c2].", cited, table_chunk(), other)
    assert "MISATTRIBUTED" in verdict.codes


def test_withdrawn_source_blocks() -> None:
    assert "SOURCE_WITHDRAWN" in verdict_of(GOOD, None, table_chunk(withdrawn=True)).codes


def test_unknown_row_blocks() -> None:
    assert "LOCATOR_NOT_FOUND" in verdict_of(GOOD, [source(row="Net turnover of moons")]).codes


@pytest.mark.parametrize(
    ("figure", "code"), [("$5,127 million", None), ("$5.1 billion", "LOW_ENTROPY"), ("$938 million", None)]
)
def test_bare_chunk_needs_three_digits(figure: str, code: str | None) -> None:
    label = "Operating income" if "938" in figure else "Net sales"
    verdict = verdict_of(f"{label}: {figure} in FY2025[^c1].", [source(locator=None)])
    assert (code in verdict.codes) if code else verdict.passed


@pytest.mark.parametrize(
    ("sentence", "passes"),
    [
        ("The provision that Alpha booked was 7", False),
        ("Operating income was 7", True),
        ("The provision that Alpha booked was $7", True),
        ("Alpha opened 7 plants", True),
        ("In all, Alpha opened 7", False),
        ("They paid 7, and more", False),
        ("It was 7, and more", True),
        ("The provision that Alpha booked was 7.0", True),
    ],
)
def test_a_bare_digit_needs_its_metric_named_even_with_a_quote(sentence: str, passes: bool) -> None:
    quote = "Operating income was $ 7, and Alpha opened 7 plants."
    text, spans = quote, [(quote.index("7"), Unit.MONEY, "USD"), (quote.rindex("7"), Unit.COUNT, None)]
    evidence = tuple(
        replace(
            table_chunk().evidence[0],
            span=Span(at, at + 1),
            printed="7",
            value=Decimal(7),
            quantum=Decimal(1),
            unit=unit,
            currency=currency,
            scale=0,
            row_path=(),
            column_path=(),
            cell=None,
        )
        for at, unit, currency in spans
    )
    chunk = replace(table_chunk(), text=text, span=Span(0, len(text)), evidence=evidence)
    verdict = verdict_of(f"{sentence}[^c1].", [source(locator=QuoteLocator(quote=quote))], chunk)
    assert ("LOW_ENTROPY" not in verdict.codes) is passes, verdict.findings


def test_computed_figure() -> None:
    def judged(body: str, expression: str) -> tuple[str, ...]:
        computation = SourceEntry(
            id="d1",
            resource="computed",
            computation=Computation(expression=expression, operands={"a": "c1", "b": "c2"}),
        )
        return verdict_of(body, [source(), source("c2", column="FY2024"), computation]).codes

    assert judged("Net sales grew 6.8%[^d1].", "(a - b) / b * 100") == ()
    assert judged("Net sales grew 7.5%[^d1].", "(a - b) / b * 100") == ("DERIVED_MISMATCH",)
    assert judged("Net sales fell 6.8%[^d1].", "(a - b) / b * 100") == ("SIGN_FLIP",)
    assert judged("Net sales rose by $327 million[^d1].", "a - b") == ()
    assert judged("Net sales grew 6.8%[^d1].", "(a - b) / (b - b)") == ("DERIVED_INVALID",)
    assert judged("Net sales grew 6.8%[^d1].", "a - c") == ("DERIVED_INVALID",)
    assert judged("Net sales grew 6.8%[^d1].", "__import__('os')") == ("DERIVED_INVALID",)


def _restated(value: str = "5,300", days: int = 90, asserter: str = "Alpha Inc."):
    later = NOW + timedelta(days=days)
    return table_chunk("k2", {"Net sales": (value, "4,800")}, known_at=later, asserter=asserter)


def _accepted():
    text = page_text(GOOD, [source()])
    return claims_of_page(parse_page(text, "issuers/alpha.md"), Store({"k1": table_chunk()}))


def test_claim_ids_are_stable_and_keyed_by_evidence() -> None:
    first, second = _accepted(), _accepted()
    assert first == second and len(first) == 1
    assert (first[0].key.metric, first[0].key.entity, first[0].key.asserter) == (
        "revenue",
        "issuers/alpha",
        "Alpha Inc.",
    )


def test_contradiction_blocks_and_supersession_frees() -> None:
    body = "Net sales were $5,300 million in FY2025[^c1]."
    cited = [source(chunk="k2")]
    bundle = Bundle(list(_accepted()))
    verdict = verdict_of(body, cited, _restated(), bundle=bundle)
    assert verdict.codes == ("CONTRADICTION",)
    entry = Supersession(claim=bundle.accepted[0].claim_id, by="c1", reason="restatement")
    assert verdict_of(body, cited, _restated(), bundle=bundle, supersedes=(entry,)).passed
    older = verdict_of(body, cited, _restated(days=-90), bundle=bundle, supersedes=(entry,))
    assert older.codes == ("SUPERSEDES_NOT_NEWER",)
    unknown = Supersession(claim="nothing", by="c1", reason="restatement")
    assert "SUPERSEDES_UNKNOWN" in verdict_of(body, cited, _restated(), bundle=bundle, supersedes=(unknown,)).codes


def test_overlapping_intervals_agree() -> None:
    bundle = Bundle(list(_accepted()))
    assert verdict_of(
        "Net sales were $5,127 million in FY2025[^c1].", [source(chunk="k2")], _restated("5,127"), bundle=bundle
    ).passed


def test_other_asserter_is_a_disagreement_and_no_contradiction() -> None:
    chunk = _restated("5,300", asserter="House / Analyst")
    verdict = verdict_of(
        "Net sales were $5,300 million in FY2025[^c1].", [source(chunk="k2")], chunk, bundle=Bundle(list(_accepted()))
    )
    assert verdict.passed
    assert "DISAGREEMENT" in {f.code for f in verdict.findings}


def test_two_values_on_one_page_contradict() -> None:
    body = "Net sales were $5,127 million in FY2025[^c1].\n\nNet sales were $5,300 million in FY2025[^c2]."
    verdict = verdict_of(body, [source(), source("c2", chunk="k2")], table_chunk(), _restated(days=0))
    assert "CONTRADICTION" in verdict.codes


def test_functional_fact_contradicts() -> None:
    cited = [source(locator=None)]
    text = page_text("CEO: Jane Roe[^c1].", cited)
    view = Store({"k1": table_chunk()})
    accepted = claims_of_page(parse_page(text, "issuers/alpha.md"), view)
    assert [c.key.metric for c in accepted] == ["chief_executive"]
    verdict = verdict_of("CEO: John Doe[^c1].", cited, bundle=Bundle(list(accepted)))
    assert "CONTRADICTION" in verdict.codes


def test_table_cell_takes_its_labels_as_context() -> None:
    table = "| Metric | FY2025 (USD million) |\n| --- | --- |\n| Net sales | 5,127[^c1] |"
    assert verdict_of(table).passed
    assert "PERIOD_MISMATCH" in verdict_of(table.replace("FY2025", "FY2024")).codes
    assert "SCALE_MISMATCH" in verdict_of(table.replace("million", "billion")).codes


def test_judgement_callout_needs_no_citation_but_its_figures_do() -> None:
    assert verdict_of(f"{GOOD}\n\n> [!judgement]\n> The shares look dear.").passed
    assert "UNGROUNDED" in verdict_of(f"{GOOD}\n\n> [!judgement]\n> Fair value is $900 million.").codes


def test_unreadable_page_is_a_finding() -> None:
    verdict = judge("---\ntype: [\n---\n", "issuers/alpha.md", Bundle(), Store({}))
    assert verdict.codes == ("UNREADABLE_PAGE",)


def test_predicates_can_be_chosen_and_warnings_made_fatal() -> None:
    text = page_text("Net sales were $5,127,000,000 in FY2025[^c1].", [source()])
    view = Store({"k1": table_chunk()})
    assert judge(text, "issuers/alpha.md", Bundle(), view, predicates=frozenset({Predicate.P1})).passed
    strict = judge(text, "issuers/alpha.md", Bundle(), view, policy=GatePolicy(fatal=frozenset({"FALSE_PRECISION"})))
    assert strict.codes == ("FALSE_PRECISION",)


def test_findings_show_place_nearest_evidence_and_mend() -> None:
    verdict = verdict_of("Net sales were $5,227 million in FY2025[^c1].")
    finding = next(f for f in verdict.findings if f.code == "UNGROUNDED")
    assert finding.nearest[0].printed == "5,127" and finding.hint
    assert f"{finding.path}:{finding.line}:{finding.column}: error UNGROUNDED" in as_lines([verdict])
    assert "::error file=issuers/alpha.md" in as_github([verdict])
    assert '"ruleId": "UNGROUNDED"' in as_sarif([verdict])
    assert '"passed": false' in verdict_json(verdict)


def test_supersession_of_another_matter_or_in_a_circle_is_refused() -> None:
    body = "Net sales were $5,300 million in FY2025[^c1]."
    cited = [source(chunk="k2")]
    accepted = _accepted()[0]
    elsewhere = replace(accepted, claim_id="other", key=replace(accepted.key, metric="gross_profit"))
    entry = Supersession(claim="other", by="c1", reason="revision")
    verdict = verdict_of(body, cited, _restated(), bundle=Bundle([elsewhere]), supersedes=(entry,))
    assert verdict.codes == ("SUPERSEDES_OTHER_KEY",)
    one = replace(accepted, claim_id="one", superseded_by="two")
    two = replace(accepted, claim_id="two", superseded_by="one")
    entry = Supersession(claim="one", by="c1", reason="revision")
    verdict = verdict_of(body, cited, _restated(), bundle=Bundle([one, two]), supersedes=(entry,))
    assert verdict.codes == ("SUPERSEDES_CYCLE",)
    straight = [
        replace(accepted, claim_id="one", superseded_by="two"),
        replace(accepted, claim_id="two", superseded_by=None),
    ]
    entries = tuple(Supersession(claim=name, by="c1", reason="revision") for name in ("one", "two"))
    assert verdict_of(body, cited, _restated(), bundle=Bundle(straight), supersedes=entries).passed


def test_superseded_claims_no_longer_contradict() -> None:
    accepted = replace(_accepted()[0], superseded_by="newer")
    verdict = verdict_of(
        "Net sales were $5,300 million in FY2025[^c1].", [source(chunk="k2")], _restated(), bundle=Bundle([accepted])
    )
    assert verdict.passed


def test_a_correction_need_not_be_newer() -> None:
    bundle = Bundle(list(_accepted()))
    entry = Supersession(claim=bundle.accepted[0].claim_id, by="c1", reason="correction")
    body = "Net sales were $5,300 million in FY2025[^c1]."
    assert verdict_of(body, [source(chunk="k2")], _restated(days=0), bundle=bundle, supersedes=(entry,)).passed


def test_restatement_on_one_page_needs_its_declaration() -> None:
    body = "Net sales were $5,127 million in FY2025[^c1].\n\nNet sales were later $5,300 million for FY2025[^c2]."
    cited = [source(), source("c2", chunk="k2")]
    assert "CONTRADICTION" in verdict_of(body, cited, table_chunk(), _restated()).codes
    entry = Supersession(claim=_accepted()[0].claim_id, by="c2", reason="restatement")
    assert verdict_of(body, cited, table_chunk(), _restated(), supersedes=(entry,)).passed


def test_evidence_that_disagrees_is_shown() -> None:
    cited = [source(), source("c2", "Operating income", chunk="k2")]
    other = table_chunk("k2", {"Net sales": ("5,200", "4,800"), "Operating income": ("938", "(62)")})
    body = "Net sales were $5,127 million in FY2025[^c1].\n\nOperating income was $938 million in FY2025[^c2]."
    verdict = verdict_of(body, cited, table_chunk(), other)
    assert verdict.passed
    assert [f.figure for f in verdict.findings if f.code == "EVIDENCE_NOT_UNANIMOUS"] == ["5,127"]


def test_documents_that_agree_stand_side_by_side() -> None:
    body = "Net sales were $5,127 million in FY2025[^c1].\n\nNet sales were again $5,127 million for FY2025[^c2]."
    assert verdict_of(body, [source(), source("c2", chunk="k2")], table_chunk(), _restated("5,127")).passed


def test_a_revision_of_the_same_moment_is_not_newer() -> None:
    bundle = Bundle(list(_accepted()))
    entry = Supersession(claim=bundle.accepted[0].claim_id, by="c1", reason="revision")
    body = "Net sales were $5,300 million in FY2025[^c1]."
    verdict = verdict_of(body, [source(chunk="k2")], _restated(days=0), bundle=bundle, supersedes=(entry,))
    assert verdict.codes == ("SUPERSEDES_NOT_NEWER",)


def test_asserters_who_agree_are_no_disagreement() -> None:
    chunk = _restated("5,127", asserter="House / Analyst")
    body = "Net sales were $5,127 million in FY2025[^c1]."
    verdict = verdict_of(body, [source(chunk="k2")], chunk, bundle=Bundle(list(_accepted())))
    assert "DISAGREEMENT" not in {f.code for f in verdict.findings}
    silenced = Bundle([replace(_accepted()[0], superseded_by="newer")])
    other = verdict_of(
        body.replace("5,127", "5,300"),
        [source(chunk="k2")],
        _restated("5,300", asserter="House / Analyst"),
        bundle=silenced,
    )
    assert "DISAGREEMENT" not in {f.code for f in other.findings}


def test_contradiction_stands_on_its_own_line_with_its_mend() -> None:
    body = "Operating income was $938 million in FY2025[^c2].\n\nNet sales were $5,300 million in FY2025[^c1]."
    cited = [source(chunk="k2"), source("c2", "Operating income")]
    bundle = Bundle(list(_accepted()))
    verdict = verdict_of(body, cited, _restated(), table_chunk(), bundle=bundle)
    finding = next(f for f in verdict.findings if f.code == "CONTRADICTION")
    text = page_text(body, cited)
    assert text[finding.span.start : finding.span.end] == "$5,300 million"
    assert bundle.accepted[0].claim_id in finding.hint and "(restatement)" in finding.hint
