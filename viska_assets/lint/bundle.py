"""The bundle as the rules see it: files, page summaries, who links to whom, and the gate's answers, read once."""

import hashlib
import posixpath
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Protocol, runtime_checkable

from viska_assets.guardrail.rules import RULES_VERSION
from viska_assets.lint.policy import LintPolicy
from viska_assets.lint.summary import PageSummary, read_page, summarise, text_hash
from viska_assets.model.claim import Claim, ClaimKey
from viska_assets.model.evidence import Evidence
from viska_assets.model.page import ConceptType, Frontmatter
from viska_assets.model.verdict import Verdict
from viska_assets.model.views import EvidenceView
from viska_assets.okf.errors import OkfError
from viska_assets.okf.page import ParsedPage, parse_page
from viska_assets.okf.slugs import RESERVED_NAMES

Judge = Callable[[ParsedPage], Verdict]
"""The gate bound to a bundle and its evidence."""


@runtime_checkable
class Preloading(Protocol):
    """An evidence view that can read many chunks in one round trip."""

    def preload(self, chunk_ids: Iterable[str]) -> None:
        """Read these chunks ahead."""
        ...


@dataclass(frozen=True, slots=True)
class WaitingDraft:
    """A draft in quarantine: the page it would make, since when it waits, why, and the document it comes from."""

    path: str
    since: datetime
    codes: tuple[str, ...] = ()
    document: str = ""


@dataclass(frozen=True)
class BundleSnapshot:
    """A bundle at one moment.

    Attributes:
        files: The text of every ``.md`` file by its path in the bundle, and of the pages that are withheld from it.
        withheld: The paths of those pages. They are judged as if they stood, so that what is wrong with one page
            condemns no other, and no index lists them.
        others: The paths of other files, which links may name.
        claims: The accepted claims, superseded ones included.
        evidence: The retrieval tier; without it citations are only checked inside the bundle.
        judge: The gate; without it the rules that audit provenance and contradiction do not run.
        quarantine: The drafts that wait.
    """

    files: Mapping[str, str]
    others: frozenset[str] = frozenset()
    claims: tuple[Claim, ...] = ()
    evidence: EvidenceView | None = None
    judge: Judge | None = None
    quarantine: tuple[WaitingDraft, ...] = ()
    withheld: frozenset[str] = frozenset()


@dataclass
class LintState:
    """What a run remembers for the next: summaries by path and verdicts by what they depend on."""

    summaries: dict[str, PageSummary] = field(default_factory=dict)
    verdicts: dict[tuple[str, ...], Verdict] = field(default_factory=dict)


class Bundle:
    """A snapshot with all that several rules need, each computed once."""

    def __init__(self, snapshot: BundleSnapshot, as_of: datetime, policy: LintPolicy, before: LintState) -> None:
        self.snapshot = snapshot
        self.as_of = as_of
        self.policy = policy
        self.state = LintState()
        self._before = before
        self.paths = frozenset(snapshot.files) | snapshot.others
        view: object = snapshot.evidence
        self._preloading = view if isinstance(view, Preloading) else None

    @property
    def summaries(self) -> dict[str, PageSummary]:
        """The summary of every concept page by path, those of unchanged pages taken from the run before."""
        return self._read[0]

    @property
    def verdicts(self) -> dict[str, Verdict]:
        """The gate's answer for every readable page; that of a page with nothing changed is taken from before."""
        return self._read[1]

    @cached_property
    def _read(self) -> tuple[dict[str, PageSummary], dict[str, Verdict]]:
        """Every page summarised and judged while it is parsed, so that no page is parsed twice."""
        judge = self.snapshot.judge
        verdicts: dict[str, Verdict] = {}
        for path in sorted(self.snapshot.files):
            if posixpath.basename(path) in RESERVED_NAMES:
                continue
            text = self.snapshot.files[path]
            sha256 = text_hash(text)
            parsed: ParsedPage | OkfError | None = None
            summary = self._before.summaries.get(path)
            if summary is None or summary.sha256 != sha256:
                parsed = read_page(path, text)
                summary = summarise(path, text, parsed)
            self.state.summaries[path] = summary
            if judge is not None and summary.head is not None:
                verdicts[path] = self._verdict(judge, summary, text, parsed)
        return self.state.summaries, verdicts

    def _verdict(self, judge: Judge, summary: PageSummary, text: str, parsed: ParsedPage | OkfError | None) -> Verdict:
        key = self._verdict_key(summary)
        verdict = self._before.verdicts.get(key)
        if verdict is None:
            verdict = judge(parsed if isinstance(parsed, ParsedPage) else parse_page(text, summary.path))
        self.state.verdicts[key] = verdict
        return verdict

    @cached_property
    def heads(self) -> dict[str, tuple[PageSummary, Frontmatter]]:
        """The readable pages by concept id."""
        return {s.concept_id: (s, s.head) for s in self.summaries.values() if s.head is not None}

    @cached_property
    def linked_by(self) -> dict[str, set[str]]:
        """For each concept, the other concepts whose pages link to it or cite it."""
        linked: dict[str, set[str]] = {}
        for summary, _ in self.heads.values():
            for link in (*summary.links, *summary.cited):
                if link.concept_id and link.concept_id != summary.concept_id:
                    linked.setdefault(link.concept_id, set()).add(summary.concept_id)
        return linked

    def linked_from(self, concept_id: str, kind: ConceptType) -> set[str]:
        """The concepts of one type that a page links to, or that link to it."""
        pair = self.heads.get(concept_id)
        outgoing = {link.concept_id for link in pair[0].links} if pair else set()
        near = outgoing | self.linked_by.get(concept_id, set())
        return {name for name in near if name in self.heads and self.heads[name][1].type is kind}

    def exists(self, path: str) -> bool:
        """Whether a bundle path names a file or a folder."""
        if path in self.paths or path == "":
            return True
        return path.rstrip("/") in self._folders

    @cached_property
    def _folders(self) -> frozenset[str]:
        found: set[str] = set()
        for path in self.paths:
            while path := posixpath.dirname(path):
                found.add(path)
        return frozenset(found)

    def _verdict_key(self, summary: PageSummary) -> tuple[str, ...]:
        """All that a verdict depends on: the page, its cited chunks, the claims on its subjects, its link targets."""
        evidence = self.snapshot.evidence
        if summary.head is not None and self._preloading is not None:
            self._preloading.preload(source.chunk for source in summary.head.sources if source.chunk)
        parts: list[str] = []
        for source in summary.head.sources if summary.head else ():
            chunk = evidence.chunk(source.chunk) if evidence and source.chunk else None
            if chunk is not None:
                parts.append(f"{chunk.chunk_id} {chunk.content_sha256} {chunk.withdrawn} {chunk.authenticated}")
                parts.extend(_reading(record) for record in chunk.evidence)
        parts.extend(f"{link.path} {self.exists(link.path)}" for link in (*summary.links, *summary.cited))
        subjects = {_subject(claim.key) for claim in self._claims_of.get(summary.concept_id, ())}
        rivals = [claim for subject in subjects for claim in self._claims_about[subject]]
        parts.extend(sorted(f"{c.claim_id} {c.low} {c.high} {c.value} {c.superseded_by}" for c in rivals))
        digest = hashlib.sha256("\n".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
        return summary.path, summary.sha256, digest, RULES_VERSION

    @cached_property
    def _claims_of(self) -> dict[str, list[Claim]]:
        found: dict[str, list[Claim]] = {}
        for claim in self.snapshot.claims:
            found.setdefault(claim.concept_id, []).append(claim)
        return found

    @cached_property
    def _claims_about(self) -> dict[tuple[object, ...], list[Claim]]:
        found: dict[tuple[object, ...], list[Claim]] = {}
        for claim in self.snapshot.claims:
            found.setdefault(_subject(claim.key), []).append(claim)
        return found


def _reading(record: Evidence) -> str:
    """What the gate compares with a page: a source that is read anew may yield other values for the same text."""
    until = record.period.end if record.period else None
    return (
        f"{record.span.start} {record.value} {record.unit} {record.currency} {record.scale} {until} {record.row_path} "
        f"{record.column_path}"
    )


def _subject(key: ClaimKey) -> tuple[object, ...]:
    """What a claim is about, whoever asserts it."""
    period, unit = key.period, key.unit
    return key.entity, key.metric, period, key.segment, key.basis, key.scenario, key.currency, unit, key.as_of
