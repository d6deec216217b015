"""The bundle as it stands while drafts are judged one after another: accepted deltas, pages and claims."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from viska_assets.maintain.compose import Composed, Related, compose_page
from viska_assets.maintain.editing import with_edits
from viska_assets.maintain.identity import AliasTable, name_of, with_names
from viska_assets.model.claim import Claim, ClaimKey
from viska_assets.model.delta import ConceptDelta, Statement
from viska_assets.store.aliases import aliases
from viska_assets.store.database import Connection
from viska_assets.store.edits import HumanEdit, kept_edits
from viska_assets.store.registry import accepted_deltas, live_claims

PRODUCER = "viska-extractive/1"


@dataclass
class ClaimIndex:
    """Accepted claims by id, by key, and by key without the asserter."""

    by_id: dict[str, Claim] = field(default_factory=dict)
    by_concept: dict[str, list[Claim]] = field(default_factory=dict)
    by_key: dict[ClaimKey, list[Claim]] = field(default_factory=dict)
    by_subject: dict[ClaimKey, list[Claim]] = field(default_factory=dict)

    def replace_concept(self, concept_id: str, claims: Iterable[Claim]) -> None:
        """Makes ``claims`` all the claims of one concept."""
        for claim in self.by_concept.pop(concept_id, []):
            self.by_id.pop(claim.claim_id, None)
            self.by_key[claim.key].remove(claim)
            self.by_subject[_subject(claim.key)].remove(claim)
        for claim in claims:
            self.add(claim)

    def add(self, claim: Claim) -> None:
        """Adds one claim."""
        self.by_id[claim.claim_id] = claim
        self.by_concept.setdefault(claim.concept_id, []).append(claim)
        self.by_key.setdefault(claim.key, []).append(claim)
        self.by_subject.setdefault(_subject(claim.key), []).append(claim)


def _subject(key: ClaimKey) -> ClaimKey:
    return replace(key, asserter="")


class World:
    """What the gate sees of the bundle; grows as drafts are accepted.

    Args:
        deltas: by concept, the accepted deltas.
        claims: the accepted claims.
        names: the printed names of issuers by concept.
        edits: by concept, the edits of people that stand.
    """

    def __init__(
        self,
        deltas: dict[str, list[ConceptDelta]],
        claims: Iterable[Claim],
        names: Mapping[str, str],
        edits: Mapping[str, Sequence[HumanEdit]],
    ) -> None:
        self.deltas = deltas
        self.names = names
        self.edits = edits
        self._about: dict[str, set[str]] = {}
        for standing in deltas.values():
            for delta in standing:
                self._about.setdefault(delta.about, set()).add(delta.concept_id)
        self._claims = ClaimIndex()
        for claim in claims:
            self._claims.add(claim)

    def has_page(self, concept_id: str) -> bool:
        """Whether the bundle holds a page of this concept."""
        return concept_id in self.deltas

    def claims(self, key: ClaimKey) -> Sequence[Claim]:
        """The accepted claims with exactly this key."""
        return self._claims.by_key.get(key, ())

    def claim(self, claim_id: str) -> Claim | None:
        """One accepted claim by id."""
        return self._claims.by_id.get(claim_id)

    def disagreeing(self, key: ClaimKey) -> Iterable[Claim]:
        """Accepted claims equal in all of the key but the asserter."""
        found = self._claims.by_subject.get(_subject(key), ())
        return [claim for claim in found if claim.key.asserter != key.asserter]

    def page(self, concept_id: str, *more: ConceptDelta) -> Composed:
        """The concept's page as it stands, with further deltas that are being judged."""
        deltas = [*self.deltas.get(concept_id, ()), *more]
        composed = compose_page(concept_id, deltas, self._related(concept_id), self.names, producer=PRODUCER)
        edits = self.edits.get(concept_id, ())
        if not edits:
            return composed
        page, left_out = with_edits(composed.page, edits)
        return replace(composed, page=page, left_out=left_out)

    def naming(self, concept_id: str) -> set[str]:
        """The concepts whose pages print the name of this one."""
        mark = name_of(concept_id)
        return {c for c, deltas in self.deltas.items() if any(mark in _named_parts(delta) for delta in deltas)}

    def accept(self, delta: ConceptDelta, claims: Iterable[Claim]) -> None:
        """Takes a delta into the bundle; ``claims`` are all claims of the page that it makes."""
        self.deltas.setdefault(delta.concept_id, []).append(delta)
        self._about.setdefault(delta.about, set()).add(delta.concept_id)
        self._claims.replace_concept(delta.concept_id, claims)

    def replace_claims(self, concept_id: str, claims: Iterable[Claim]) -> None:
        """Makes ``claims`` all the claims of one concept."""
        self._claims.replace_concept(concept_id, claims)

    def _related(self, concept_id: str) -> list[Related]:
        return [self._as_related(other) for other in sorted(self._about.get(concept_id, ()))]

    def _as_related(self, concept_id: str) -> Related:
        deltas = sorted(self.deltas[concept_id], key=lambda delta: (delta.known_at, delta.document_id))
        title = with_names(deltas[-1].title, self.names)
        return Related(concept_id, deltas[-1].type, title, deltas[0].known_at.date().isoformat())


def _named_parts(delta: ConceptDelta) -> str:
    texts = (
        b.text for section in delta.sections for b in section.blocks if isinstance(b, Statement) and not b.supports
    )
    return "\n".join((delta.title, delta.description, *texts))


def load_world(connection: Connection) -> World:
    """The bundle as the registry has it, before any draft of it is judged again."""
    names = AliasTable(aliases(connection)).printed_names()
    return World(accepted_deltas(connection), live_claims(connection), names, kept_edits(connection))
