"""The synthesis path: read the index, open one or two pages, answer from their cited claims."""

from viska_assets.model.claim_unit import ClaimUnit, UnitKind
from viska_assets.model.evidence import Unit
from viska_assets.model.page import Page, SourceEntry
from viska_assets.okf.claims import claim_units
from viska_assets.okf.page import ParsedPage, parse_page
from viska_assets.query.answers import Answer
from viska_assets.query.wording import Asked, Asking
from viska_assets.store.database import Connection
from viska_assets.store.registry import LivePage, live_pages
from viska_assets.text.metrics import METRICS, label_class, metric_of
from viska_assets.text.periods import parse_period
from viska_assets.text.quantities import read_quantities
from viska_assets.text.quantity import Role

PAGES = 2
LEAST_FIT = 0.25


def answer_from_pages(connection: Connection, question: Asking) -> Answer:
    """The answer of the synthesis tier alone."""
    pages = [parse_page(page.text, f"{page.concept_id}.md") for page in _chosen(connection, question)]
    opened = tuple(parsed.path for parsed in pages)
    if not pages:
        return Answer(reason="the index lists no page that fits")
    asked = Asked(question.text)
    scored = [
        (_fit(asked, unit) - 0.05 * rank, parsed, unit)
        for rank, parsed in enumerate(pages)
        for unit in claim_units(parsed)
        if unit.marks and not unit.exempt
    ]
    if not scored:
        return Answer(reason="the pages hold no cited claim", pages_opened=opened)
    fit, parsed, unit = max(scored, key=lambda item: (item[0], item[1].path, -item[2].span.start))
    if fit < LEAST_FIT:
        return Answer(reason=f"the best claim fits the question by {fit:.2f} only", pages_opened=opened)
    return _answer(asked, parsed, unit, opened)


def _chosen(connection: Connection, question: Asking) -> list[LivePage]:
    """The pages whose index entry fits best; pages of sources are pointers and never answer."""
    asked = Asked(question.text)
    pages = [page for page in live_pages(connection) if page.type != "Source"]
    slug = question.issuer.rsplit("/", 1)[-1] if question.issuer else None
    ranked = sorted(pages, key=lambda page: (-_index_fit(asked, page, slug), page.concept_id))
    return [page for page in ranked[:PAGES] if _index_fit(asked, page, slug) > 0]


def _index_fit(asked: Asked, page: LivePage, slug: str | None) -> float:
    fit = asked.overlap(f"{page.title} {page.description}")
    name = page.concept_id.rsplit("/", 1)[-1]
    if slug and slug in name:
        fit += 0.5
    wants_view = bool(asked.terms & {"thesis", "view", "rating", "rates", "target", "recommend", "risk", "risks"})
    wants_position = bool(asked.terms & {"holding", "position", "hold", "own", "quantity", "shares", "cost"})
    if page.type == "Thesis":
        fit += 0.4 if wants_view else -0.2
    if page.type == "Holding":
        fit += 0.4 if wants_position else -0.2
    if page.type == "Issuer" and asked.metrics and not (wants_view or wants_position):
        fit += 0.3
    return fit


def _fit(asked: Asked, unit: ClaimUnit) -> float:
    if unit.kind is not UnitKind.CELL:
        return asked.overlap(f"{unit.section} {unit.text}")
    fit = asked.overlap(f"{unit.row_label} {unit.column_label} {unit.text}")
    if asked.metrics:
        metric = metric_of(unit.row_label)
        fits = metric in asked.metrics and _is_of_class(unit.text, METRICS[metric].unit)
        fit += 0.6 if fits else -0.3
    return fit + 0.5 * asked.fits_period(parse_period(unit.column_label, None))


def _is_of_class(printed: str, wanted: Unit) -> bool:
    """Whether a printed figure is a percentage exactly where the metric is one (a change is not the metric)."""
    return printed.rstrip().endswith("%") == (wanted is Unit.PERCENT)


def _answer(asked: Asked, parsed: ParsedPage, unit: ClaimUnit, opened: tuple[str, ...]) -> Answer:
    sources = _cited(parsed.page, unit)
    text = f"{unit.row_label}, {unit.column_label}: {unit.text}" if unit.kind is UnitKind.CELL else unit.text
    if not asked.wants_number:
        return Answer(text=text, sources=sources, pages_opened=opened)
    figures = [q for q in read_quantities(unit.text) if q.role is Role.FIGURE]
    if not figures:
        return Answer(reason="the best claim holds no number", pages_opened=opened)
    figure = figures[0]
    return Answer(
        text=text,
        value=figure.value,
        quantum=figure.quantum,
        unit=Unit.PER_SHARE if label_class(unit.row_label) is Unit.PER_SHARE else figure.unit,
        currency=figure.currency or parsed.page.head.currency or None,
        period=parse_period(unit.column_label, None),
        sources=sources,
        pages_opened=opened,
    )


def _cited(page: Page, unit: ClaimUnit) -> tuple[SourceEntry, ...]:
    """The entries that a unit's marks name, with the operands of those that are computed."""
    entries = {entry.id: entry for entry in page.head.sources}
    wanted = list(dict.fromkeys(mark.source_id for mark in unit.marks))
    found: list[SourceEntry] = []
    while wanted:
        entry = entries.get(wanted.pop(0))
        if entry and entry not in found:
            found.append(entry)
            wanted += list(entry.computation.operands.values()) if entry.computation else []
    return tuple(found)
