"""Hits of several sources as one list: what says the same stands once, with its independent origins counted."""

import hashlib
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from viska_assets.query.results import FoundIn, Hit
from viska_assets.retrieval.near_duplicates import digits_of, say_the_same

# What stands first of several places with the same text: the desk's own before code before the web.
_FIRST = {FoundIn.VAULT: 0, FoundIn.REPOSITORY: 1, FoundIn.WEB: 2}
CORROBORATION = 0.25


@dataclass(frozen=True, slots=True)
class Merged:
    """A hit with the independent origins that say the same; its factor of corroboration is theirs."""

    hit: Hit
    origins: tuple[str, ...]

    @property
    def score(self) -> float:
        """The product by which merged hits are ordered."""
        return self.hit.score


def corroboration(origins: int) -> float:
    """The factor for independent origins, ``1 + 0.25 · log2(origins)``; 1 for a single one, and for none."""
    return 1 + CORROBORATION * math.log2(max(1, origins))


def content_hash(text: str) -> str:
    """The hash of a text's words, white space and case left out."""
    return hashlib.sha256(re.sub(r"\s+", " ", text).strip().lower().encode()).hexdigest()


def origin_of(hit: Hit) -> str:
    """Who says it, for counting: what one sender says in several places is said once."""
    return f"{hit.found_in.value}:{hit.contributor.strip().lower()}"


def merge_hits(hits: Sequence[Hit], private: Sequence[str] = ()) -> tuple[Merged, ...]:
    """The hits, best first, each text once.

    Texts are the same where their hash is, or where they are near-duplicates with the same numbers, directions and
    negations; other numbers are another statement. The one of the highest authority is shown, the others are its
    ``also_at``. The order of the arguments has no influence.

    Args:
        hits: of all sources.
        private: namespaces whose hits count for nobody's corroboration.
    """
    ordered = sorted(hits, key=lambda hit: (_FIRST[hit.found_in], -hit.factors.confidence, -hit.score, hit.id))
    groups: list[list[Hit]] = []
    exact: dict[str, list[Hit]] = {}
    alike: dict[tuple[int, ...], list[list[Hit]]] = {}
    for hit in ordered:
        digest, digits = content_hash(hit.text), digits_of(hit.text)
        group = exact.get(digest) or next(
            (known for known in alike.get(digits, ()) if say_the_same(known[0].text, hit.text)), None
        )
        if group is None:
            group = []
            groups.append(group)
            alike.setdefault(digits, []).append(group)
        group.append(hit)
        exact.setdefault(digest, group)
    merged = [_merged(group, private) for group in groups]
    return tuple(sorted(merged, key=lambda found: (-found.score, found.hit.id)))


def _merged(group: Sequence[Hit], private: Sequence[str]) -> Merged:
    first, *others = group
    origins = dict.fromkeys(origin_of(hit) for hit in group if hit.where.namespace not in private)
    places = dict.fromkeys([*first.also_at, *(place for hit in others for place in (hit.where, *hit.also_at))])
    factors = replace(first.factors, corroboration=corroboration(len(origins)))
    return Merged(replace(first, also_at=tuple(places), factors=factors), tuple(sorted(origins)))
