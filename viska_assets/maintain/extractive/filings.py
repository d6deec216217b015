"""What a filing or a press release adds: its issuer's figures and the event that it is."""

from datetime import timedelta

from viska_assets.maintain.extractive.events import event_of
from viska_assets.maintain.extractive.figures import (
    PAGE_LABELS,
    ReportedFigure,
    change_table,
    figure_tables,
    print_metric,
    reported_figures,
)
from viska_assets.maintain.extractive.guidance import guidance_statements
from viska_assets.maintain.extractive.segments import segment_tables
from viska_assets.maintain.extractive.view import DocumentView
from viska_assets.model.delta import ConceptDelta, FigureTable, Section, SectionName, Statement
from viska_assets.model.page import ConceptType

HEADLINE_METRICS = ("revenue", "operating_income", "net_income", "eps_diluted")
ISSUER_FRESHNESS = timedelta(days=120)


def draft_filing(view: DocumentView) -> list[ConceptDelta]:
    """The Issuer and Event deltas of a filing; none where the issuer is not known."""
    if view.issuer is None:
        return []
    figures = reported_figures(view)
    return [_issuer(view, figures), event_of(view, _headlines(figures))]


def _issuer(view: DocumentView, figures: list[ReportedFigure]) -> ConceptDelta:
    cover = view.stored.cover
    tables: list[FigureTable] = figure_tables(figures)
    change = change_table(figures)
    sections = (
        Section(name=SectionName.KEY_FIGURES, blocks=(*tables, *([change] if change else []))),
        Section(name=SectionName.SEGMENTS, blocks=tuple(segment_tables(view))),
        Section(name=SectionName.GUIDANCE, blocks=tuple(guidance_statements(view))),
    )
    identifiers = {"cik": cover.cik, "ticker": cover.ticker}
    assert view.issuer is not None
    return ConceptDelta(
        concept_id=view.issuer,
        type=ConceptType.ISSUER,
        title=view.issuer_name,
        description=f"Key figures of {view.issuer_name} as filed, with events, theses and holdings.",
        document_id=view.stored.document_id,
        known_at=view.stored.known_at,
        resource=f"cik:{cover.cik}" if cover.cik else "",
        identifiers={key: value for key, value in identifiers.items() if value},
        aliases=(cover.issuer,) if cover.issuer else (),
        currency=_currency(figures),
        sections=tuple(section for section in sections if section.blocks),
        stale_after=view.stored.known_at + ISSUER_FRESHNESS,
    )


def _currency(figures: list[ReportedFigure]) -> str:
    return next((figure.evidence.currency for figure in figures if figure.evidence.currency), "")


def _headlines(figures: list[ReportedFigure]) -> list[Statement]:
    flows = [figure for figure in figures if not figure.period.is_instant and figure.metric in HEADLINE_METRICS]
    if not flows:
        return []
    newest = max(figure.period.end for figure in flows)
    shortest = min(figure.period.days for figure in flows if figure.period.end == newest)
    chosen = [f for f in flows if f.period.end == newest and f.period.days == shortest]
    chosen.sort(key=lambda figure: HEADLINE_METRICS.index(figure.metric))
    return [
        Statement(
            text=f"{PAGE_LABELS[f.metric]} was {print_metric(f.metric, f.evidence)}[@0] in the {_in_words(f)}.",
            supports=(f.citation,),
        )
        for f in chosen
    ]


def _in_words(figure: ReportedFigure) -> str:
    return figure.column[0].lower() + figure.column[1:]
