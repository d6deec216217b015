"""Injection: no word of a candidate may speak to a machine, hide characters, fake a marker or lead out of the desk."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from viska_assets.store.supervised.incidents import IncidentKind
from viska_assets.store.supervised.review_rows import Artifact
from viska_assets.store.supervised.verdicts import Cause, CheckName
from viska_assets.supervise.review.outcome import CheckOutcome
from viska_assets.text.folding import folded_characters, hidden_message
from viska_assets.text.instructions import find_instructions

_MARKER = re.compile(
    r"(?:[<\[{(=#*~_|\-]{2,}|<\s*/?)\s*(?:end|begin|start|close|stop)?[\s_-]*(?:of)?[\s_-]*(?:the)?[\s_-]*"
    r"(?:untrusted|document|source|data|content|context|instructions?|system|user|assistant)\b"
    r"[\s_\-a-z]{0,30}(?:[>\]})=#*~|\-]{2,}|>)|\b(?:document|viska)-[0-9a-f]{8,}"
)
_LEADS_OUT = re.compile(
    r"\b[a-z][a-z0-9+.-]{1,20}://|\bwww\.|\b(?:mailto|javascript|data|file):\S|\]\(|!\[|<\s*/?\s*(?:img|script|iframe|a|svg)\b"
)


def check_injection(artifact: Artifact) -> CheckOutcome:
    """The last part of the checklist: over every string of the artifact, wherever it stands."""
    found = []
    for place, text in strings_of(artifact):
        if hidden := hidden_message(text):
            found.append(f"{place}: hidden characters: {hidden[:80]}")
        fold = folded_characters(text)
        if match := _MARKER.search(fold):
            found.append(f"{place}: a marker look-alike {match[0][:60]!r}")
        if spoken := find_instructions(text) or find_instructions(fold):
            found.append(f"{place}: speaks to a machine: {spoken[0][:100]!r}")
        if match := _LEADS_OUT.search(fold):
            found.append(f"{place}: an address or markup {match[0][:40]!r}")
    return CheckOutcome(
        CheckName.INJECTION,
        tuple(found),
        Cause.INJECTION if found else None,
        IncidentKind.INJECTION if found else None,
        {"faults": found[:20]},
    )


def strings_of(artifact: Artifact) -> Iterator[tuple[str, str]]:
    """Every string of the artifact with its place; what stands in quotes of citations too."""
    yield "title", artifact.title
    yield "body", artifact.body
    yield from _inside("citations", artifact.citations)
    yield from _inside("legs", artifact.legs)
    yield from _inside("", artifact.rest)


def _inside(place: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield place, str(key)
            yield from _inside(f"{place}.{key}".lstrip("."), inner)
    elif isinstance(value, Sequence):
        for inner in value:
            yield from _inside(place, inner)
