"""Provenance: P1 and P2 of the gate over every sentence, with the citations that the artifact itself gives."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import TypeAdapter, ValidationError

from viska_assets.guardrail.statements import statement_findings
from viska_assets.model.page import Locator, SourceEntry
from viska_assets.model.verdict import Severity
from viska_assets.model.views import EvidenceView
from viska_assets.store.supervised.review_rows import Artifact
from viska_assets.store.supervised.verdicts import ArtifactKind, Cause, CheckName
from viska_assets.supervise.review.outcome import CheckOutcome
from viska_assets.text.sentences import split_sentences

_LOCATOR: TypeAdapter[Locator] = TypeAdapter(Locator)
MOST_CITATIONS = 50


def check_provenance(artifact: Artifact, evidence: EvidenceView, *, own_entity: bool = True) -> CheckOutcome:
    """The third part of the checklist.

    Args:
        artifact: what is proposed.
        evidence: the retrieval tier by chunk id.
        own_entity: whether a signal on an issuer may cite only documents that are about it, or about nobody.
    """
    faults: list[str] = []
    if len(artifact.citations) > MOST_CITATIONS:
        faults.append(f"{len(artifact.citations)} citations, at most {MOST_CITATIONS}")
    entries = []
    for given in artifact.citations[:MOST_CITATIONS]:
        entry = entry_of(given, evidence)
        if entry is None:
            faults.append(f"a citation of {str(given.get('chunk_id'))[:40]} has no locator of a known form")
        else:
            entries.append(entry)
    if own_entity and artifact.kind is ArtifactKind.SIGNAL:
        faults += _of_others(str(artifact.rest["concept_id"]), entries, evidence)
    unique = list({entry.id: entry for entry in entries}.values())
    findings = statement_findings([(text, unique) for text in sentences_of(artifact)], evidence)
    faults += [f"{f.code}: {f.message[:160]}" for f in findings if f.severity is Severity.HARD]
    return CheckOutcome(
        CheckName.PROVENANCE,
        tuple(faults),
        Cause.PROVENANCE if faults else None,
        detail={"faults": faults[:20], "citations": len(unique), "codes": sorted({str(f.code) for f in findings})},
    )


def sentences_of(artifact: Artifact) -> list[str]:
    """Title and body in sentences; each of them is a claim."""
    return [span.of(part).strip() for part in (artifact.title, artifact.body) for span in split_sentences(part) if part]


def entry_of(given: Mapping[str, Any], evidence: EvidenceView) -> SourceEntry | None:
    """A citation ``{chunk_id, locator}`` as the gate reads it; None where the locator has no known form."""
    try:
        locator = _LOCATOR.validate_python(given["locator"])
    except ValidationError:
        return None
    chunk = evidence.chunk(str(given["chunk_id"]))
    key = json.dumps([given["chunk_id"], locator.model_dump()], sort_keys=True)
    return SourceEntry(
        id=f"c{hashlib.sha256(key.encode()).hexdigest()[:9]}",
        resource=f"/{chunk.source_concept}.md" if chunk else "/sources/unknown.md",
        chunk=str(given["chunk_id"]),
        locator=locator,
        content_sha256=str(given.get("content_sha256") or ""),
    )


def _of_others(concept_id: str, entries: Sequence[SourceEntry], evidence: EvidenceView) -> list[str]:
    if not concept_id.startswith("issuers/"):
        return []
    cited = [chunk for entry in entries if entry.chunk and (chunk := evidence.chunk(entry.chunk)) is not None]
    others = sorted({chunk.entity for chunk in cited if chunk.entity and chunk.entity != concept_id})
    return [f"it is about {concept_id} and cites a document about {other}" for other in others]
