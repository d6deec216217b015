"""The closed list of finding codes, by predicate, and which of them only warn. Their words are in ``code_texts``."""

from enum import StrEnum

from viska_assets.model.verdict import Predicate, Severity


class Code(StrEnum):
    """Every code the gate can report. The form codes of OKF (P4) are passed through under ``FORM``'s predicate."""

    NO_CITATION = "NO_CITATION"
    DANGLING_CITATION = "DANGLING_CITATION"
    CHUNK_CHANGED = "CHUNK_CHANGED"
    HASH_MISSING = "HASH_MISSING"
    SOURCE_WITHDRAWN = "SOURCE_WITHDRAWN"
    SOURCE_UNAUTHENTICATED = "SOURCE_UNAUTHENTICATED"
    QUOTE_NOT_FOUND = "QUOTE_NOT_FOUND"
    QUOTE_STITCHED = "QUOTE_STITCHED"
    QUOTE_LENGTH = "QUOTE_LENGTH"
    MISATTRIBUTED = "MISATTRIBUTED"
    LOCATOR_NOT_FOUND = "LOCATOR_NOT_FOUND"
    UNGROUNDED = "UNGROUNDED"
    SCALE_MISMATCH = "SCALE_MISMATCH"
    SCALE_UNKNOWN = "SCALE_UNKNOWN"
    UNIT_MISMATCH = "UNIT_MISMATCH"
    CCY_MISMATCH = "CCY_MISMATCH"
    SIGN_FLIP = "SIGN_FLIP"
    PERIOD_MISMATCH = "PERIOD_MISMATCH"
    LABEL_CONFLICT = "LABEL_CONFLICT"
    ENTITY_MISMATCH = "ENTITY_MISMATCH"
    BASIS_MISMATCH = "BASIS_MISMATCH"
    SCENARIO_MISMATCH = "SCENARIO_MISMATCH"
    AMBIGUOUS_EVIDENCE = "AMBIGUOUS_EVIDENCE"
    LOW_ENTROPY = "LOW_ENTROPY"
    NAME_NOT_FOUND = "NAME_NOT_FOUND"
    MALFORMED_NUMBER = "MALFORMED_NUMBER"
    DERIVED_NO_RECORD = "DERIVED_NO_RECORD"
    DERIVED_MISMATCH = "DERIVED_MISMATCH"
    DERIVED_INVALID = "DERIVED_INVALID"
    FALSE_PRECISION = "FALSE_PRECISION"
    SIGN_UNVERIFIED = "SIGN_UNVERIFIED"
    CCY_UNVERIFIED = "CCY_UNVERIFIED"
    PERIOD_UNVERIFIED = "PERIOD_UNVERIFIED"
    LABEL_UNVERIFIED = "LABEL_UNVERIFIED"
    BOUND_UNSTATED = "BOUND_UNSTATED"
    ROUNDING_SPREAD = "ROUNDING_SPREAD"
    CONTRADICTION = "CONTRADICTION"
    SUPERSEDES_UNKNOWN = "SUPERSEDES_UNKNOWN"
    SUPERSEDES_OTHER_KEY = "SUPERSEDES_OTHER_KEY"
    SUPERSEDES_NOT_NEWER = "SUPERSEDES_NOT_NEWER"
    SUPERSEDES_CYCLE = "SUPERSEDES_CYCLE"
    DISAGREEMENT = "DISAGREEMENT"
    EVIDENCE_NOT_UNANIMOUS = "EVIDENCE_NOT_UNANIMOUS"
    HIDDEN_OR_CONFUSABLE = "HIDDEN_OR_CONFUSABLE"
    AMBIGUOUS_DATE = "AMBIGUOUS_DATE"
    HEADING_FIGURE = "HEADING_FIGURE"
    BROKEN_LINK = "BROKEN_LINK"
    UNREADABLE_PAGE = "UNREADABLE_PAGE"
    FORM = "FORM"


_ORDER = {code: place for place, code in enumerate(Code)}
_FIRST: tuple[tuple[Code, Predicate], ...] = (
    (Code.NO_CITATION, Predicate.P1),
    (Code.UNGROUNDED, Predicate.P2),
    (Code.CONTRADICTION, Predicate.P3),
    (Code.HIDDEN_OR_CONFUSABLE, Predicate.P4),
)
"""The first code of each predicate: the list above is in that order."""

WARNINGS = frozenset(
    {
        Code.HASH_MISSING,
        Code.SOURCE_UNAUTHENTICATED,
        Code.FALSE_PRECISION,
        Code.SIGN_UNVERIFIED,
        Code.CCY_UNVERIFIED,
        Code.PERIOD_UNVERIFIED,
        Code.LABEL_UNVERIFIED,
        Code.BOUND_UNSTATED,
        Code.ROUNDING_SPREAD,
        Code.DISAGREEMENT,
        Code.EVIDENCE_NOT_UNANIMOUS,
        Code.BROKEN_LINK,
    }
)
"""The codes that do not quarantine."""


def predicate_of(code: Code) -> Predicate:
    """The predicate that a code belongs to."""
    place = _ORDER[code]
    return [predicate for first, predicate in _FIRST if _ORDER[first] <= place][-1]


def severity_of(code: Code) -> Severity:
    """Whether a code quarantines or warns."""
    return Severity.WARNING if code in WARNINGS else Severity.HARD
