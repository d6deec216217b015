"""The names of lint's rules and how grave each may be: what the desk's policy and the rules must agree on."""

from enum import StrEnum


class RuleName(StrEnum):
    """A lint rule, by the name of its asset check."""

    PROVENANCE = "provenance"
    CONTRADICTION = "contradiction"
    BROKEN_CITATION = "broken_citation"
    SUPERSESSION = "supersession"
    MALFORMED_PAGE = "malformed_page"
    MALFORMED_INDEX_OR_LOG = "malformed_index_or_log"
    BROKEN_LINK = "broken_link"
    ORPHAN = "orphan"
    INDEX_DRIFT = "index_drift"
    STALE = "stale"
    DUPLICATE_CONCEPT = "duplicate_concept"
    MISSING_SECTION = "missing_section"
    COVERAGE_GAP = "coverage_gap"
    UNLINKED_MENTION = "unlinked_mention"
    UNDEFINED_ABBREVIATION = "undefined_abbreviation"
    AGED_QUARANTINE = "aged_quarantine"


class Gravity(StrEnum):
    """What a rule's findings bring about: the page is withheld, the report says so, or the rule does not run."""

    HARD = "hard"
    WARNING = "warning"
    OFF = "off"
