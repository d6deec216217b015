"""One issuer however it is spelled: names normalised, aliases learned from filings, nothing forked in silence."""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from viska_assets.model.document import Cover
from viska_assets.model.page import ConceptType
from viska_assets.okf.slugs import concept_id

_LEGAL_FORM_WORDS = (
    "inc incorporated corp corporation co company companies ltd limited plc llc llp lp ag sa se nv bv as asa ab oyj "
    "gmbh kgaa spa srl holdings holding group the sab pte pty kk"
)
LEGAL_FORMS = frozenset(_LEGAL_FORM_WORDS.split())
_SHORTEST_NAME_IN_TEXT = 3


class AliasKind(StrEnum):
    """What sort of name an alias is, strongest first. A printed name is for display and resolves nothing."""

    CIK = "cik"
    LEI = "lei"
    ISIN = "isin"
    TICKER = "ticker"
    NAME = "name"
    PRINTED = "printed"


@dataclass(frozen=True)
class Resolved:
    """A concept and how it was found; ``conflict`` says why none was, where names pointed at several."""

    concept_id: str | None
    by: str = ""
    conflict: str = ""


def normalise_name(name: str) -> str:
    """A company's name without case, accents, punctuation and legal forms: ``The Acme Corp.`` is ``acme``."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    words = re.sub(r"[^a-z0-9&]+", " ", plain.lower().replace("'", "").replace(".com", " com")).split()
    kept = [word for word in words if word not in LEGAL_FORMS]
    return " ".join(kept or words)


def issuer_concept(name: str) -> str:
    """The concept id of an issuer that is met for the first time."""
    return concept_id(ConceptType.ISSUER, normalise_name(name))


def aliases_of_cover(cover: Cover) -> list[tuple[str, AliasKind]]:
    """The names that a filing's cover gives its issuer, strongest first."""
    found = []
    if cover.cik:
        found.append((cover.cik.lstrip("0"), AliasKind.CIK))
    if cover.ticker:
        found.append((cover.ticker.upper(), AliasKind.TICKER))
    if cover.issuer:
        found += [(normalise_name(cover.issuer), AliasKind.NAME), (cover.issuer, AliasKind.PRINTED)]
    return [(alias, kind) for alias, kind in found if alias]


class AliasTable:
    """Names to concepts.

    Args:
        rows: (alias, kind, concept id).
    """

    def __init__(self, rows: Iterable[tuple[str, str, str]]) -> None:
        self._concepts = {(alias, AliasKind(kind)): concept for alias, kind, concept in rows}

    def __len__(self) -> int:
        """How many names are known."""
        return len(self._concepts)

    def learn(self, aliases: Iterable[tuple[str, AliasKind]], concept: str) -> None:
        """Adds names of a concept; a name that belongs to another stays with it."""
        for alias, kind in aliases:
            self._concepts.setdefault((alias, kind), concept)

    def resolve(self, aliases: Iterable[tuple[str, AliasKind]]) -> Resolved:
        """The concept that the names point at; names that point at different ones are a conflict."""
        found = {
            (alias, kind): self._concepts[alias, kind]
            for alias, kind in aliases
            if kind is not AliasKind.PRINTED and (alias, kind) in self._concepts
        }
        concepts = sorted(set(found.values()))
        if not concepts:
            return Resolved(None)
        (alias, kind), concept = min(found.items(), key=lambda item: list(AliasKind).index(item[0][1]))
        if len(concepts) > 1 and kind is not AliasKind.CIK:
            named = ", ".join(f"{k.value} {a} → {c}" for (a, k), c in sorted(found.items()))
            return Resolved(None, conflict=f"the names point at different concepts: {named}")
        return Resolved(concept, f"{kind.value} {alias}")

    def mentioned(self, text: str) -> Resolved:
        """The concept that a text names most often, by name or ticker; a tie is a conflict."""
        counts: Counter[str] = Counter()
        folded = f" {re.sub(r'[^a-z0-9&]+', ' ', text.lower())} "
        for (alias, kind), concept in self._concepts.items():
            if kind is AliasKind.NAME and len(alias) >= _SHORTEST_NAME_IN_TEXT:
                counts[concept] += folded.count(f" {alias} ")
            elif kind is AliasKind.TICKER and len(alias) > 1:
                counts[concept] += len(re.findall(rf"(?<![A-Z0-9]){re.escape(alias)}(?![A-Za-z0-9])", text))
        ranked = [(concept, count) for concept, count in counts.most_common() if count]
        if not ranked:
            return Resolved(None)
        if len(ranked) > 1 and ranked[0][1] == ranked[1][1]:
            tied = ", ".join(sorted(concept for concept, count in ranked if count == ranked[0][1]))
            return Resolved(None, conflict=f"the text names several issuers equally often: {tied}")
        return Resolved(ranked[0][0], "named in the text")

    def names_of(self, concept: str) -> tuple[str, ...]:
        """The names and tickers of a concept, sorted."""
        kinds = (AliasKind.NAME, AliasKind.TICKER)
        return tuple(sorted(a for (a, kind), c in self._concepts.items() if c == concept and kind in kinds))

    def printed_names(self) -> dict[str, str]:
        """The shortest printed spelling of each concept's name."""
        found: dict[str, str] = {}
        for (alias, kind), concept in self._concepts.items():
            if kind is AliasKind.PRINTED:
                found[concept] = min(found.get(concept, alias), alias, key=lambda name: (len(name), name))
        return found


_NAME_OF = re.compile(r"\{name of ([a-z]+/[a-z0-9-]+)\}")


def name_of(concept: str) -> str:
    """What stands in a draft for a concept's name: names are learned later, a draft does not change."""
    return f"{{name of {concept}}}"


def with_names(text: str, names: Mapping[str, str], written: Callable[[str], str] = str) -> str:
    """The text with the concepts' printed names; one that was never printed is called by its id.

    Args:
        text: of a draft.
        names: printed names by concept.
        written: how a name is written where it stands, e.g. escaped for markdown.
    """
    return _NAME_OF.sub(lambda match: written(names.get(match[1]) or _titled(match[1])), text)


def _titled(concept: str) -> str:
    return concept.rsplit("/", 1)[-1].replace("-", " ").title()
