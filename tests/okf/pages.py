"""Pages and strategies that the tests of the OKF room share."""

from datetime import UTC, datetime, timedelta, timezone

from hypothesis import strategies as st

from viska_assets.model.page import (
    CellLocator,
    Computation,
    ConceptType,
    Frontmatter,
    Generated,
    GridLocator,
    Page,
    PageStatus,
    QuoteLocator,
    RowLocator,
    SourceEntry,
    Supersession,
)

EXAMPLE = """---
type: Issuer
title: NVIDIA Corporation
description: "US designer of accelerated computing; fiscal year ends on the last Sunday of January."
resource: "cik:0001045810"
tags: [semiconductors, held]
identifiers: {cik: "0001045810", ticker: NVDA}
generated: {by: viska-extractive/1, at: "2025-02-26T21:35:00+00:00"}
timestamp: "2025-02-26T21:35:00+00:00"
status: stable
sources:
  - id: c1
    resource: /sources/nvda-10-k-2025-02-26.md
    title: "NVIDIA 10-K, fiscal 2025"
    chunk: "7f3a9c0e"
    locator: {row: Data Center, column: "Jan 26, 2025"}
    excerpt: "115,186"
    content_sha256: "0b1e6c"
  - id: d1
    resource: computed from c1
    computation: {expression: "a * 2", operands: {a: c1}, unit: percent}
---
# NVIDIA Corporation

## Key figures

| Metric | Fiscal 2025 |
| --- | --- |
| Data Center revenue | $115,186 million[^c1] |

# Citations

[1] [NVIDIA 10-K, fiscal 2025](/sources/nvda-10-k-2025-02-26.md): Data Center × Jan 26, 2025, "115,186"

[2] computed from 1: a * 2

[^c1]: [NVIDIA 10-K, fiscal 2025](/sources/nvda-10-k-2025-02-26.md)
[^d1]: computed from c1
"""


def head(**values: object) -> Frontmatter:
    moment = datetime(2026, 1, 5, tzinfo=UTC)
    return Frontmatter.model_validate(
        {
            "type": ConceptType.ISSUER,
            "title": "Acme",
            "generated": Generated(by="viska/1", at=moment),
            "timestamp": moment,
            **values,
        }
    )


def page_text(body: str, *, sources: str = "", kind: str = "Issuer", more: str = "") -> str:
    """A minimal page file around a body."""
    return (
        f'---\ntype: {kind}\ntitle: Acme\ndescription: A company.\ngenerated: {{by: "viska/1", '
        f'at: "2026-01-05T00:00:00+00:00"}}\ntimestamp: "2026-01-05T00:00:00+00:00"\n{more}{sources}---\n{body}'
    )


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
words = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20)
names = st.from_regex(r"[a-z][a-z0-9]{0,6}", fullmatch=True)
offsets = st.integers(-720, 720).map(lambda minutes: timezone(timedelta(minutes=minutes)))
moments = st.integers(0, 3_000_000_000).flatmap(lambda s: offsets.map(lambda zone: datetime.fromtimestamp(s, zone)))
locators = st.one_of(
    st.builds(CellLocator, row=texts, column=texts),
    st.builds(RowLocator, row=texts),
    st.builds(GridLocator, cell=texts),
    st.builds(QuoteLocator, quote=texts),
)
yaml_keys = words.filter(lambda word: word != "<<")  # YAML's merge key, which reader and writer refuse
yaml_values = st.recursive(
    texts, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(yaml_keys, inner, max_size=3), max_leaves=6
)
extras = st.dictionaries(st.from_regex(r"x-[a-z]{1,8}", fullmatch=True), yaml_values, max_size=3)
actors = st.builds(Generated, by=words, at=moments)
computations = st.builds(
    Computation, expression=texts, operands=st.dictionaries(yaml_keys, names, max_size=3), unit=texts
)
sources = st.builds(
    SourceEntry,
    id=names,
    resource=texts,
    title=texts,
    chunk=st.none() | words,
    locator=st.none() | locators,
    excerpt=texts,
    content_sha256=texts,
    computation=st.none() | computations,
    extra=extras,
)
supersessions = st.builds(
    Supersession, claim=texts, by=texts, reason=st.sampled_from(["restatement", "correction", "revision"])
)
heads = st.builds(
    Frontmatter,
    type=st.sampled_from(ConceptType),
    title=texts,
    description=texts,
    resource=texts,
    tags=st.lists(texts, max_size=3).map(tuple),
    identifiers=st.dictionaries(words, texts, max_size=3),
    aliases=st.lists(texts, max_size=3).map(tuple),
    currency=texts,
    sources=st.lists(sources, max_size=4, unique_by=lambda source: source.id).map(tuple),
    generated=actors,
    verified=st.lists(actors, max_size=2).map(tuple),
    timestamp=moments,
    status=st.sampled_from(PageStatus),
    stale_after=st.none() | moments,
    supersedes=st.lists(supersessions, max_size=2).map(tuple),
    superseded_by=st.lists(texts, max_size=2).map(tuple),
    extra=extras,
)
body_lines = st.one_of(
    st.sampled_from(["# Title", "## Key figures", "* item[^c1]", "| a | b |", "", "> [!judgement]", "> so", "1. one"]),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n`~"), max_size=40),
)
pages = st.builds(
    Page,
    concept_id=names.map(lambda name: f"issuers/{name}"),
    head=heads,
    body=st.lists(body_lines, max_size=8).map("\n".join),
)
