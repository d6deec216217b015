"""Sanity: a completed trace, a plausible confidence, words that mean something and fit the direction, said once."""

import re
from dataclasses import dataclass

from viska_assets.store.policy_loop import ReviewSection
from viska_assets.store.supervised.incidents import IncidentKind
from viska_assets.store.supervised.review_rows import Artifact
from viska_assets.store.supervised.verdicts import ArtifactKind, Cause, CheckName
from viska_assets.supervise.review.gibberish import gibberish_in
from viska_assets.supervise.review.outcome import CheckOutcome
from viska_assets.supervise.review.tracing import against_trace

_WORDS = r"\b(?:{go}\s+{side}|{side}(?:ing)?\s+the\s+(?:shares|stock)|{deal}(?:ing)?\s+the\s+(?:shares|stock))\b"
_LONG = re.compile(_WORDS.format(go="go(?:ing)?", side="long", deal="buy"), re.IGNORECASE)
_SHORT = re.compile(_WORDS.format(go="go(?:ing)?", side="short", deal="sell"), re.IGNORECASE)
_SIDES = frozenset({"long", "short"})


@dataclass(frozen=True)
class _Fault:
    said: str
    cause: Cause = Cause.SANITY
    incident: IncidentKind | None = None


def check_sanity(artifact: Artifact, policy: ReviewSection, pin: str = "") -> CheckOutcome:
    """The first part of the checklist; a fault of the trace gives the cause before any other."""
    faults: list[_Fault] = []
    if trace := against_trace(artifact.trace, pin):
        cause, said, incident = trace
        faults.append(_Fault(said, cause, incident))
    if why := gibberish_in(f"{artifact.title}. {artifact.body}"):
        faults.append(_Fault(f"no language: {why}", incident=IncidentKind.GIBBERISH))
    if not artifact.body.strip():
        faults.append(_Fault("there is no argument"))
    if artifact.same_before is not None:
        faults.append(_Fault(f"artifact {artifact.same_before} says the same", Cause.DUPLICATE))
    of_kind = _signal if artifact.kind is ArtifactKind.SIGNAL else _strategy
    faults += [_Fault(said) for said in of_kind(artifact, policy)]
    return CheckOutcome(
        CheckName.SANITY,
        tuple(fault.said for fault in faults),
        faults[0].cause if faults else None,
        next((fault.incident for fault in faults if fault.incident), None),
        {"faults": [fault.said for fault in faults]},
    )


def _signal(artifact: Artifact, policy: ReviewSection) -> list[str]:
    found = []
    confidence = artifact.confidence
    if confidence is not None and not policy.least_confidence <= confidence <= policy.most_confidence:
        found.append(f"a confidence of {confidence} is not plausible")
    direction = artifact.rest["direction"]
    against = {"long": _SHORT, "short": _LONG}.get(direction)
    if against is not None and (match := against.search(f"{artifact.title}. {artifact.body}")):
        found.append(f"the direction is {direction}, the words say {match[0]!r}")
    return found


def _strategy(artifact: Artifact, _: ReviewSection) -> list[str]:
    found = []
    if not artifact.legs:
        found.append("a strategy without legs")
    names = [leg.get("instrument") for leg in artifact.legs]
    if any(not isinstance(name, str) or not name for name in names):
        found.append("a leg names no instrument")
    elif len(set(names)) != len(names):
        found.append("an instrument stands in two legs")
    if any(leg.get("side") not in _SIDES for leg in artifact.legs):
        found.append("the side of a leg is neither long nor short")
    return found
