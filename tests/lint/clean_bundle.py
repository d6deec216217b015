"""A small bundle without a defect: four issuers, each with an event, a source, a thesis and a position."""

from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from decimal import Decimal
from hashlib import sha256

from viska_assets.guardrail.gate import claims_of_page, judge_page
from viska_assets.lint.bundle import BundleSnapshot
from viska_assets.model.claim import Claim, ClaimKey
from viska_assets.model.evidence import Evidence, Period, ScaleSource, Scenario, Unit
from viska_assets.model.page import (
    CellLocator,
    ConceptType,
    Frontmatter,
    Generated,
    Locator,
    Page,
    QuoteLocator,
    SourceEntry,
)
from viska_assets.model.span import Span
from viska_assets.model.views import CitedChunk
from viska_assets.okf.index import render_indexes
from viska_assets.okf.page import parse_page, render_page

AS_OF = datetime(2026, 3, 1, tzinfo=UTC)
WRITTEN = datetime(2026, 1, 5, tzinfo=UTC)
NAMES = ("Alder", "Birch", "Cedar", "Downy Oak")
QUOTE = "We rate the shares a buy for the coming year."


@dataclass
class FakeEvidence:
    """The retrieval tier in memory."""

    chunks: dict[str, CitedChunk] = field(default_factory=dict)

    def chunk(self, chunk_id: str) -> CitedChunk | None:
        return self.chunks.get(chunk_id)


@dataclass
class FakeBundle:
    """The pages and claims that the gate may ask for."""

    concepts: set[str]
    accepted: tuple[Claim, ...] = ()

    def has_page(self, concept_id: str) -> bool:
        return concept_id in self.concepts

    def claims(self, key: ClaimKey) -> list[Claim]:
        return [claim for claim in self.accepted if claim.key == key]

    def claim(self, claim_id: str) -> Claim | None:
        return next((claim for claim in self.accepted if claim.claim_id == claim_id), None)

    def disagreeing(self, key: ClaimKey) -> list[Claim]:
        same = [claim for claim in self.accepted if replace(claim.key, asserter=key.asserter) == key]
        return [claim for claim in same if claim.key.asserter != key.asserter]


def slug(name: str) -> str:
    return name.lower().replace(" ", "-")


def table_chunk(number: int) -> CitedChunk:
    """The table chunk of the filing of one issuer, with one evidence."""
    printed = f"4,{number}20"
    text = f"(in millions) | Fiscal 2025\nRevenue | {printed}"
    at = text.index(printed)
    evidence = Evidence(
        chunk_id=f"table{number}",
        span=Span(at, at + len(printed)),
        printed=printed,
        value=Decimal(printed.replace(",", "")) * 1_000_000,
        quantum=Decimal(1_000_000),
        unit=Unit.MONEY,
        currency="USD",
        scale=6,
        scale_source=ScaleSource.CAPTION,
        row_path=("Revenue",),
        column_path=("Fiscal 2025",),
        period=Period(date(2025, 12, 31), date(2025, 1, 1)),
        entity=f"issuers/{slug(NAMES[number - 1])}",
        scenario=Scenario.ACTUAL,
    )
    return chunk_of(f"table{number}", text, number, (evidence,), table=True)


def chunk_of(
    chunk_id: str, text: str, number: int, evidence: tuple[Evidence, ...] = (), table: bool = False
) -> CitedChunk:
    name = NAMES[number - 1]
    return CitedChunk(
        chunk_id=chunk_id,
        document_id=f"document{number}",
        text=text,
        content_sha256=sha256(text.encode()).hexdigest(),
        span=Span(0, len(text)),
        source_concept=f"sources/{slug(name)}-10-k",
        entity=f"issuers/{slug(name)}",
        entity_names=(name,),
        asserter=name,
        fiscal_year_end=(12, 31),
        known_at=WRITTEN,
        table=table,
        evidence=evidence,
    )


def head(kind: ConceptType, title: str, **values: object) -> Frontmatter:
    return Frontmatter.model_validate(
        {
            "type": kind,
            "title": title,
            "description": f"About {title}.",
            "generated": Generated(by="viska/1", at=WRITTEN),
            "timestamp": WRITTEN,
            **values,
        }
    )


def cite(source_id: str, name: str, chunk: CitedChunk, locator: Locator) -> SourceEntry:
    return SourceEntry(
        id=source_id,
        resource=f"/sources/{slug(name)}-10-k.md",
        title=f"{name} 10-K",
        chunk=chunk.chunk_id,
        locator=locator,
        content_sha256=chunk.content_sha256,
    )


def pages_of(number: int, evidence: FakeEvidence) -> list[Page]:
    """The five pages of one issuer."""
    name = NAMES[number - 1]
    issuer = slug(name)
    table = table_chunk(number)
    note = chunk_of(f"note{number}", f"Rating. {QUOTE}", number)
    evidence.chunks |= {table.chunk_id: table, note.chunk_id: note}
    figure = cite("c1", name, table, CellLocator(row="Revenue", column="Fiscal 2025"))
    quote = cite("c1", name, note, QuoteLocator(quote=QUOTE))
    cell = f"${table.evidence[0].printed} million[^c1]"
    links = f"* [{name} results](/events/{issuer}-10-k.md)\n\n## Open theses\n\n* [{name} thesis](/theses/{issuer}.md)"
    return [
        Page(
            concept_id=f"issuers/{issuer}",
            head=head(ConceptType.ISSUER, name, sources=(figure,), identifiers={"cik": f"000{number}"}),
            body=f"# {name}\n\n## Key figures\n\n| Metric | Fiscal 2025 |\n| --- | --- |\n| Revenue | {cell} |\n\n"
            f"## Recent events\n\n{links}\n\n## Holdings\n\n* [{name} position](/holdings/{issuer}.md)",
        ),
        Page(
            concept_id=f"events/{issuer}-10-k",
            head=head(ConceptType.EVENT, f"{name} results"),
            body=f"# {name} results\n\n## Document\n\n* [{name} 10-K](/sources/{issuer}-10-k.md)",
        ),
        Page(
            concept_id=f"sources/{issuer}-10-k",
            head=head(ConceptType.SOURCE, f"{name} 10-K"),
            body=f"# {name} 10-K\n\n## Document\n\n* [{name}](/issuers/{issuer}.md)",
        ),
        Page(
            concept_id=f"theses/{issuer}",
            head=head(ConceptType.THESIS, f"{name} thesis", sources=(quote,)),
            body=f"# {name} thesis\n\n## View\n\n* “{QUOTE}”[^c1]\n\n## Document\n\n* [{name}](/issuers/{issuer}.md)",
        ),
        Page(
            concept_id=f"holdings/{issuer}",
            head=head(ConceptType.HOLDING, f"{name} position", stale_after=datetime(2027, 1, 1, tzinfo=UTC)),
            body=f"# {name} position\n\n## Position\n\n* [{name}](/issuers/{issuer}.md)",
        ),
    ]


def clean_pages() -> tuple[dict[str, Page], FakeEvidence]:
    """The pages by concept id and their evidence."""
    evidence = FakeEvidence()
    pages = [page for number in range(1, len(NAMES) + 1) for page in pages_of(number, evidence)]
    return {page.concept_id: page for page in pages}, evidence


def files_of(pages: dict[str, Page]) -> dict[str, str]:
    """The bundle's files, indexes included."""
    return {page.path: render_page(page) for page in pages.values()} | render_indexes(pages.values())


def snapshot(
    files: dict[str, str], evidence: FakeEvidence, *, claims: tuple[Claim, ...] = (), gate: bool = True
) -> BundleSnapshot:
    """The files with the gate bound to them."""
    known = FakeBundle({path.removesuffix(".md") for path in files}, claims)
    judge = (lambda parsed: judge_page(parsed, known, evidence)) if gate else None
    return BundleSnapshot(files, claims=claims, evidence=evidence, judge=judge)


def accepted_claims(files: dict[str, str], evidence: FakeEvidence) -> tuple[Claim, ...]:
    """The claims of all pages, as the registry would hold them."""
    pages = [parse_page(text, path) for path, text in files.items() if not path.endswith("index.md")]
    return tuple(claim for page in pages for claim in claims_of_page(page, evidence))
