"""Rules on the set of concepts: one page for one thing, and a view and events where positions need them."""

import re
from collections.abc import Iterator

from viska_assets.lint.bundle import Bundle
from viska_assets.lint.findings import LintFinding
from viska_assets.lint.summary import PageSummary
from viska_assets.model.page import ConceptType, Frontmatter

_LEGAL_FORMS = re.compile(
    r"\b(?:incorporated|inc|corporation|corp|company|co|limited|ltd|plc|llc|lp|ag|se|sa|nv|ab|asa|as|a s|group"
    r"|holdings?|the)\b"
)
_UNIQUE_IDENTIFIERS = ("cik", "lei", "isin", "figi")


def normal_name(name: str) -> str:
    """A name without case, punctuation and legal form; the name itself where nothing else is left."""
    words = re.sub(r"[^\w&]+", " ", name.casefold()).strip()
    return re.sub(r"\s+", " ", _LEGAL_FORMS.sub(" ", words)).strip() or words


def duplicate_concepts(bundle: Bundle) -> Iterator[LintFinding]:
    """Pages of one type that share a name, an alias or an identifier."""
    owners: dict[tuple[str, str, str], str] = {}
    for concept_id, (summary, head) in sorted(bundle.heads.items()):
        clashes: dict[str, str] = {}
        for key in _keys(head):
            owner = owners.setdefault(key, concept_id)
            if owner != concept_id:
                clashes.setdefault(owner, f"{key[1]} {key[2]!r}")
        for owner, shared in sorted(clashes.items()):
            message = f"shares the {shared} with {owner}"
            hint = "merge the two pages and keep the other name as an alias"
            yield LintFinding(
                summary.path, summary.key_line("title"), 1, "duplicate_concept", "DUPLICATE", message, hint=hint
            )


def _keys(head: Frontmatter) -> set[tuple[str, str, str]]:
    kind = head.type.value
    dated = head.type in {ConceptType.EVENT, ConceptType.SOURCE}
    title = f"{normal_name(head.title)} {head.timestamp.isoformat()} {head.resource}" if dated else head.title
    keys = {(kind, "name", title if dated else normal_name(name)) for name in (title, *head.aliases)}
    if head.type is ConceptType.ISSUER:
        for name in _UNIQUE_IDENTIFIERS:
            if head.identifiers.get(name):
                keys.add((kind, name, head.identifiers[name].casefold().lstrip("0")))
    return keys


def coverage_gaps(bundle: Bundle) -> Iterator[LintFinding]:
    """Holdings on whose issuer nobody has a view, and issuers of which no event is known."""
    for concept_id, (summary, head) in sorted(bundle.heads.items()):
        if head.type is ConceptType.HOLDING:
            yield from _holding_gap(bundle, summary, concept_id)
        elif head.type is ConceptType.ISSUER and not bundle.linked_from(concept_id, ConceptType.EVENT):
            message = f"no event of {head.title} is known"
            hint = "deliver a filing or a release of the issuer"
            yield LintFinding(summary.path, 1, 1, "coverage_gap", "ISSUER_WITHOUT_EVENT", message, hint=hint)


def _holding_gap(bundle: Bundle, summary: PageSummary, concept_id: str) -> Iterator[LintFinding]:
    issuers = bundle.linked_from(concept_id, ConceptType.ISSUER)
    near = {concept_id, *issuers}
    if not any(bundle.linked_from(name, ConceptType.THESIS) for name in near):
        message = "the position has no thesis"
        hint = "deliver a note on the issuer, or write a thesis"
        yield LintFinding(summary.path, 1, 1, "coverage_gap", "HOLDING_WITHOUT_THESIS", message, hint=hint)
