"""The closed list of finding codes: predicate, severity, what each means and how to mend it."""

from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class CodeInfo:
    """What a code means (``says``), and what a writer does about it (``mend``)."""

    code: Code
    predicate: Predicate
    severity: Severity
    says: str
    mend: str


_H, _W = Severity.HARD, Severity.WARNING
_P1, _P2, _P3, _P4 = Predicate.P1, Predicate.P2, Predicate.P3, Predicate.P4

_TABLE: tuple[tuple[Code, Predicate, Severity, str, str], ...] = (
    (
        Code.NO_CITATION,
        _P1,
        _H,
        "A sentence, list item or figure cell carries no citation.",
        "Add a `[^id]` mark whose source states it, or declare the block a `> [!judgement]`.",
    ),
    (
        Code.DANGLING_CITATION,
        _P1,
        _H,
        "A mark names no source of the page, or its source names no stored chunk.",
        "Use an id of the page's `sources` and a chunk that the retrieval tier holds.",
    ),
    (
        Code.CHUNK_CHANGED,
        _P1,
        _H,
        "The cited chunk's text is no longer the text that was cited.",
        "Re-draft from the document's present text.",
    ),
    (
        Code.HASH_MISSING,
        _P1,
        _W,
        "A citation does not pin the text of its chunk.",
        "Write the chunk's `content_sha256` into the source entry.",
    ),
    (
        Code.SOURCE_WITHDRAWN,
        _P1,
        _H,
        "The cited document was withdrawn or superseded as a whole.",
        "Cite the document that replaced it.",
    ),
    (
        Code.SOURCE_UNAUTHENTICATED,
        _P1,
        _W,
        "The cited document's sender was not authenticated.",
        "Confirm the claim with an authenticated source.",
    ),
    (
        Code.QUOTE_NOT_FOUND,
        _P1,
        _H,
        "The quote of a locator does not stand in the cited chunk (fabricated).",
        "Quote 15 to 300 characters verbatim from the chunk.",
    ),
    (
        Code.QUOTE_STITCHED,
        _P1,
        _H,
        "The quote joins pieces that are apart in the chunk (stitched).",
        "Quote one contiguous piece, or cite each piece on its own.",
    ),
    (
        Code.QUOTE_LENGTH,
        _P1,
        _H,
        "The quote is shorter than 15 or longer than 300 characters.",
        "Choose a longer or shorter contiguous piece around the number.",
    ),
    (
        Code.MISATTRIBUTED,
        _P1,
        _H,
        "The quote stands in another cited chunk, or the entry names another document than its chunk.",
        "Cite the chunk and Source page that hold the quote.",
    ),
    (
        Code.LOCATOR_NOT_FOUND,
        _P1,
        _H,
        "The row, column or cell of a locator is not in the cited chunk.",
        "Use the labels as the table prints them, or their path joined by ` / `.",
    ),
    (
        Code.UNGROUNDED,
        _P2,
        _H,
        "No number at the cited place equals the figure or rounds to it.",
        "Print what the source prints, or round it correctly; a computed figure needs a computation entry.",
    ),
    (
        Code.SCALE_MISMATCH,
        _P2,
        _H,
        "The digits agree but the scale is off by a power of a thousand.",
        "Apply the table's scale (thousands, millions, billions).",
    ),
    (
        Code.SCALE_UNKNOWN,
        _P2,
        _H,
        "The source states no scale, so a scaled figure cannot be proven.",
        "Re-chunk the document so that its scale statement is carried, or print the unscaled number.",
    ),
    (
        Code.UNIT_MISMATCH,
        _P2,
        _H,
        "The figure's unit differs from the source's (money, percent, points, ratio, per share, shares, count).",
        "Use the source's unit; a conversion is a derivation and needs a computation entry.",
    ),
    (
        Code.CCY_MISMATCH,
        _P2,
        _H,
        "The figure's currency differs from the source's.",
        "Print the source's currency; a conversion needs a cited rate and a computation entry.",
    ),
    (
        Code.SIGN_FLIP,
        _P2,
        _H,
        "The figure says up or positive where the source says down or negative, or the reverse.",
        "Take the sign, bracket or direction word from the source.",
    ),
    (
        Code.PERIOD_MISMATCH,
        _P2,
        _H,
        "A period or date of the sentence is not that of the cited number, or stands nowhere in the source.",
        "Name the period of the cited column or sentence.",
    ),
    (
        Code.LABEL_CONFLICT,
        _P2,
        _H,
        "The sentence names another row, column or metric than the one it cites.",
        "Cite the row that the sentence names.",
    ),
    (
        Code.ENTITY_MISMATCH,
        _P2,
        _H,
        "The sentence names a company that the cited source is not about and does not name.",
        "Cite a document of that company.",
    ),
    (
        Code.BASIS_MISMATCH,
        _P2,
        _H,
        "An adjusted figure is claimed on a reported one, or the reverse.",
        "Say the basis that the source says.",
    ),
    (
        Code.SCENARIO_MISMATCH,
        _P2,
        _H,
        "Guidance, consensus or an estimate is claimed as an actual, or the reverse.",
        "Say whether it happened or is expected.",
    ),
    (
        Code.AMBIGUOUS_EVIDENCE,
        _P2,
        _H,
        "Several different numbers at the cited place fit the figure or the locator.",
        "Add a locator that names one cell, or a quote.",
    ),
    (
        Code.LOW_ENTROPY,
        _P2,
        _H,
        "A figure of fewer than three significant digits cites a bare chunk; it would match by chance.",
        "Add a cell, row or quote locator.",
    ),
    (
        Code.NAME_NOT_FOUND,
        _P2,
        _H,
        "An identifier, ordinal or numbered label of the sentence does not stand in the source.",
        "Copy it exactly from the source.",
    ),
    (
        Code.MALFORMED_NUMBER,
        _P2,
        _H,
        "The number is not well formed (group signs, reversed range); it is never repaired.",
        "Write English numerals: `1,234.5`.",
    ),
    (
        Code.DERIVED_NO_RECORD,
        _P2,
        _H,
        "The figure is computed from cited numbers but carries no computation.",
        "Add a computation entry with its expression and operands and cite it.",
    ),
    (
        Code.DERIVED_MISMATCH,
        _P2,
        _H,
        "The computation does not give the printed figure.",
        "Print the recomputed value at the figure's precision.",
    ),
    (
        Code.DERIVED_INVALID,
        _P2,
        _H,
        "The computation cannot be evaluated (syntax, unknown operand, dimensions, division by zero).",
        "Use + - * / ( ) min max sum avg over at most eight cited operands of fitting units.",
    ),
    (
        Code.FALSE_PRECISION,
        _P2,
        _W,
        "The figure prints more digits than the source, with an equal value.",
        "Print the source's precision.",
    ),
    (Code.SIGN_UNVERIFIED, _P2, _W, "The source does not say which sign the metric has.", "Check the direction word."),
    (Code.CCY_UNVERIFIED, _P2, _W, "Currency is stated on one side only.", "State the currency."),
    (Code.PERIOD_UNVERIFIED, _P2, _W, "The evidence does not say its period.", "Check the period by hand."),
    (Code.LABEL_UNVERIFIED, _P2, _W, "The sentence does not name the cited row.", "Name the row or metric."),
    (
        Code.BOUND_UNSTATED,
        _P2,
        _W,
        "The source bounds or approximates the number (about, over, up to) and the page drops it.",
        "Keep the source's bound word.",
    ),
    (
        Code.ROUNDING_SPREAD,
        _P2,
        _W,
        "The figure fits the rounding spread of the operands but not the displayed values.",
        "Compute from unrounded operands or print fewer digits.",
    ),
    (
        Code.CONTRADICTION,
        _P3,
        _H,
        "An accepted claim or another claim of the page with the same key says something else.",
        "If the newer document restates or corrects it, declare `supersedes` with the claim, the source and a reason.",
    ),
    (
        Code.SUPERSEDES_UNKNOWN,
        _P3,
        _H,
        "`supersedes` names a claim or source that does not exist.",
        "Use the id of an accepted claim and of a source of the page.",
    ),
    (
        Code.SUPERSEDES_OTHER_KEY,
        _P3,
        _H,
        "`supersedes` names a claim about something else.",
        "Supersede only a claim of the same entity, metric, period, basis and scenario.",
    ),
    (
        Code.SUPERSEDES_NOT_NEWER,
        _P3,
        _H,
        "The superseding source is not newer than the superseded one.",
        "Supersede with a later document only.",
    ),
    (
        Code.SUPERSEDES_CYCLE,
        _P3,
        _H,
        "The chain of superseded claims comes back to itself.",
        "Remove the entry that closes the circle.",
    ),
    (
        Code.DISAGREEMENT,
        _P3,
        _W,
        "Another asserter says something else of the same matter.",
        "Show both; neither is resolved automatically.",
    ),
    (
        Code.EVIDENCE_NOT_UNANIMOUS,
        _P3,
        _W,
        "Cited chunks print different numbers for the same key.",
        "Cite the most precise one and say so.",
    ),
    (
        Code.HIDDEN_OR_CONFUSABLE,
        _P4,
        _H,
        "The page holds a hidden character, a non-ASCII digit or a letter that looks like a digit.",
        "Retype the number or word in plain characters.",
    ),
    (
        Code.AMBIGUOUS_DATE,
        _P4,
        _H,
        "A numeric date can be read as two dates.",
        "Write `2026-07-06` or the month as a word.",
    ),
    (
        Code.HEADING_FIGURE,
        _P4,
        _H,
        "A heading holds a figure; headings carry no citation.",
        "Move the figure into a sentence or table.",
    ),
    (
        Code.BROKEN_LINK,
        _P4,
        _W,
        "A link leads to no page of the bundle.",
        "Link to an existing page, or write the name without a link.",
    ),
    (
        Code.UNREADABLE_PAGE,
        _P4,
        _H,
        "The page cannot be parsed (frontmatter, YAML, model).",
        "Mend the place that the message names.",
    ),
    (Code.FORM, _P4, _H, "The page breaks a rule of the bundle's form (OKF).", "See the hint of the finding."),
)

CODES: dict[Code, CodeInfo] = {row[0]: CodeInfo(*row) for row in _TABLE}


def explain(code: str) -> str:
    """What a code means and how to mend it, as text for ``viska gate --explain``.

    Raises:
        KeyError: The code is not one of the gate's.
    """
    info = CODES[Code(code)]
    return f"{info.code} ({info.predicate}, {info.severity})\n{info.says}\nMend: {info.mend}"


def codes_as_markdown() -> str:
    """The table of codes for the documentation, by predicate."""
    lines = ["| Code | Predicate | Severity | What it says | How to mend it |", "| --- | --- | --- | --- | --- |"]
    for info in CODES.values():
        lines.append(f"| `{info.code}` | {info.predicate[:2].upper()} | {info.severity} | {info.says} | {info.mend} |")
    return "\n".join(lines) + "\n"
