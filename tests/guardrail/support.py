"""Small fakes for the gate's tests: a bundle, an evidence view, chunks and pages."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from decimal import Decimal

from viska_assets.guardrail.gate import judge
from viska_assets.model.claim import Claim, ClaimKey
from viska_assets.model.evidence import Basis, Evidence, Period, ScaleSource, Scenario, Unit
from viska_assets.model.page import CellLocator, ConceptType, Frontmatter, Generated, Page, SourceEntry, Supersession
from viska_assets.model.span import Span
from viska_assets.model.verdict import Verdict
from viska_assets.model.views import CitedChunk
from viska_assets.okf.page import render_page

NOW = datetime(2026, 2, 1, tzinfo=UTC)
FY2025 = Period(date(2025, 12, 31), date(2025, 1, 1))
FY2024 = Period(date(2024, 12, 31), date(2024, 1, 1))


@dataclass
class Bundle:
    """A bundle of accepted claims."""

    accepted: list[Claim] = field(default_factory=list)
    pages: set[str] = field(default_factory=set)

    def has_page(self, concept_id: str) -> bool:
        return concept_id in self.pages

    def claims(self, key: ClaimKey) -> list[Claim]:
        return [c for c in self.accepted if c.key == key]

    def claim(self, claim_id: str) -> Claim | None:
        return next((c for c in self.accepted if c.claim_id == claim_id), None)

    def disagreeing(self, key: ClaimKey) -> Iterable[Claim]:
        return [c for c in self.accepted if c.key != key and replace(c.key, asserter=key.asserter) == key]


@dataclass
class Store:
    """An evidence view over a few chunks."""

    chunks: dict[str, CitedChunk]

    def chunk(self, chunk_id: str) -> CitedChunk | None:
        return self.chunks.get(chunk_id)


def table_chunk(
    chunk_id: str = "k1",
    rows: dict[str, tuple[str, str]] | None = None,
    *,
    asserter: str = "Alpha Inc.",
    known_at: datetime = NOW,
    withdrawn: bool = False,
    scenario: Scenario | None = None,
) -> CitedChunk:
    """A chunk with a table of money in USD millions for FY2025 and FY2024."""
    rows = rows or {"Net sales": ("5,127", "4,800"), "Operating income": ("938", "(62)")}
    text, evidence = "| | FY2025 | FY2024 |\n", []
    for label, printed in rows.items():
        text += f"{label}"
        for column, number, period in zip(("FY2025", "FY2024"), printed, (FY2025, FY2024), strict=True):
            text += " | "
            digits = Decimal(number.strip("()").replace(",", ""))
            sign = -1 if number.startswith("(") else 1
            evidence.append(
                Evidence(
                    chunk_id=chunk_id,
                    span=Span(len(text), len(text) + len(number)),
                    printed=number,
                    value=sign * digits.scaleb(6),
                    quantum=Decimal(10**6),
                    unit=Unit.MONEY,
                    currency="USD",
                    scale=6,
                    scale_source=ScaleSource.CAPTION,
                    sign=sign,
                    row_path=(label,),
                    column_path=(column,),
                    cell=f"{'B' if column == 'FY2025' else 'C'}{list(rows).index(label) + 2}",
                    period=period,
                    entity="issuers/alpha",
                    basis=Basis.GAAP,
                    scenario=scenario or Scenario.ACTUAL,
                )
            )
            text += number
        text += "\n"
    return CitedChunk(
        chunk_id=chunk_id,
        document_id=f"doc-{chunk_id}",
        text=text,
        content_sha256=f"sha-{chunk_id}",
        span=Span(0, len(text)),
        source_concept="sources/alpha",
        entity="issuers/alpha",
        entity_names=("Alpha Inc.", "Alpha"),
        asserter=asserter,
        fiscal_year_end=(12, 31),
        currency="USD",
        known_at=known_at,
        withdrawn=withdrawn,
        table=True,
        evidence=tuple(evidence),
    )


def source(
    source_id: str = "c1", row: str = "Net sales", column: str = "FY2025", chunk: str = "k1", **changes: object
) -> SourceEntry:
    """A source entry that cites one cell."""
    entry = SourceEntry(
        id=source_id,
        resource="/sources/alpha.md",
        title="Alpha 10-K",
        chunk=chunk,
        locator=CellLocator(row=row, column=column),
        excerpt="",
        content_sha256=f"sha-{chunk}",
    )
    return entry.model_copy(update=changes)


def page_text(
    body: str, sources: list[SourceEntry], supersedes: tuple[Supersession, ...] = (), **changes: object
) -> str:
    """A page file with a title and a body."""
    head = Frontmatter(
        type=ConceptType.ISSUER,
        title="Alpha",
        description="A maker of things.",
        sources=tuple(sources),
        generated=Generated(by="human:test", at=NOW),
        timestamp=NOW,
        supersedes=supersedes,
    ).model_copy(update=changes)
    return render_page(Page(concept_id="issuers/alpha", head=head, body=f"# Alpha\n\n{body}"))


def verdict_of(
    body: str,
    sources: list[SourceEntry] | None = None,
    *chunks: CitedChunk,
    bundle: Bundle | None = None,
    **changes: object,
) -> Verdict:
    """The gate's verdict of a page."""
    held = chunks or (table_chunk(),)
    text = page_text(body, [source()] if sources is None else sources, **changes)  # type: ignore[arg-type]
    return judge(text, "issuers/alpha.md", bundle or Bundle(), Store({c.chunk_id: c for c in held}))
