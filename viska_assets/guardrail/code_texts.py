"""What each finding code says and how a writer mends it: for messages, ``viska gate --explain`` and the documents."""

from dataclasses import dataclass

from viska_assets.guardrail.codes import Code, predicate_of, severity_of
from viska_assets.model.verdict import Predicate, Severity


@dataclass(frozen=True, slots=True)
class CodeInfo:
    """What a code means (``says``), and what a writer does about it (``mend``)."""

    code: Code
    predicate: Predicate
    severity: Severity
    says: str
    mend: str


_TEXTS: dict[Code, tuple[str, str]] = {
    Code.NO_CITATION: (
        "A sentence, list item or figure cell carries no citation.",
        "Add a `[^id]` mark whose source states it, or declare the block a `> [!judgement]`.",
    ),
    Code.DANGLING_CITATION: (
        "A mark names no source of the page, or its source names no stored chunk.",
        "Use an id of the page's `sources` and a chunk that the retrieval tier holds.",
    ),
    Code.CHUNK_CHANGED: (
        "The cited chunk's text is no longer the text that was cited.",
        "Re-draft from the document's present text.",
    ),
    Code.HASH_MISSING: (
        "A citation does not pin the text of its chunk.",
        "Write the chunk's `content_sha256` into the source entry.",
    ),
    Code.SOURCE_WITHDRAWN: (
        "The cited document was withdrawn or superseded as a whole.",
        "Cite the document that replaced it.",
    ),
    Code.SOURCE_UNAUTHENTICATED: (
        "The cited document's sender was not authenticated.",
        "Confirm the claim with an authenticated source.",
    ),
    Code.QUOTE_NOT_FOUND: (
        "The quote of a locator does not stand in the cited chunk (fabricated).",
        "Quote 15 to 300 characters verbatim from the chunk.",
    ),
    Code.QUOTE_STITCHED: (
        "The quote joins pieces that are apart in the chunk (stitched).",
        "Quote one contiguous piece, or cite each piece on its own.",
    ),
    Code.QUOTE_LENGTH: (
        "The quote is shorter than 15 or longer than 300 characters.",
        "Choose a longer or shorter contiguous piece around the number.",
    ),
    Code.MISATTRIBUTED: (
        "The quote stands in another cited chunk, or the entry names another document than its chunk.",
        "Cite the chunk and Source page that hold the quote.",
    ),
    Code.LOCATOR_NOT_FOUND: (
        "The row, column or cell of a locator is not in the cited chunk.",
        "Use the labels as the table prints them, or their path joined by ` / `.",
    ),
    Code.UNGROUNDED: (
        "No number at the cited place equals the figure or rounds to it.",
        "Print what the source prints, or round it correctly; a computed figure needs a computation entry.",
    ),
    Code.SCALE_MISMATCH: (
        "The digits agree but the scale is off by a power of a thousand.",
        "Apply the table's scale (thousands, millions, billions).",
    ),
    Code.SCALE_UNKNOWN: (
        "The source states no scale, so a scaled figure cannot be proven.",
        "Re-chunk the document so that its scale statement is carried, or print the unscaled number.",
    ),
    Code.UNIT_MISMATCH: (
        "The figure's unit differs from the source's (money, percent, points, ratio, per share, shares, count).",
        "Use the source's unit; a conversion is a derivation and needs a computation entry.",
    ),
    Code.CCY_MISMATCH: (
        "The figure's currency differs from the source's.",
        "Print the source's currency; a conversion needs a cited rate and a computation entry.",
    ),
    Code.SIGN_FLIP: (
        "The figure says up or positive where the source says down or negative, or the reverse.",
        "Take the sign, bracket or direction word from the source.",
    ),
    Code.PERIOD_MISMATCH: (
        "A period or date of the sentence is not that of the cited number, or stands nowhere in the source.",
        "Name the period of the cited column or sentence.",
    ),
    Code.LABEL_CONFLICT: (
        "The sentence names another row, column or metric than the one it cites.",
        "Cite the row that the sentence names.",
    ),
    Code.ENTITY_MISMATCH: (
        "The sentence names a company that the cited source is not about and does not name.",
        "Cite a document of that company.",
    ),
    Code.BASIS_MISMATCH: (
        "An adjusted figure is claimed on a reported one, or the reverse.",
        "Say the basis that the source says.",
    ),
    Code.SCENARIO_MISMATCH: (
        "Guidance, consensus or an estimate is claimed as an actual, or the reverse.",
        "Say whether it happened or is expected.",
    ),
    Code.AMBIGUOUS_EVIDENCE: (
        "Several different numbers at the cited place fit the figure or the locator.",
        "Add a locator that names one cell, or a quote.",
    ),
    Code.LOW_ENTROPY: (
        "A figure of so few digits would match by chance: fewer than three in a bare chunk, a bare one in a quote.",
        "Add a cell, row or quote locator, and name the metric or what is counted.",
    ),
    Code.NAME_NOT_FOUND: (
        "An identifier, ordinal or numbered label of the sentence does not stand in the source.",
        "Copy it exactly from the source.",
    ),
    Code.MALFORMED_NUMBER: (
        "The number is not well formed (group signs, reversed range); it is never repaired.",
        "Write English numerals: `1,234.5`.",
    ),
    Code.DERIVED_NO_RECORD: (
        "The figure is computed from cited numbers but carries no computation.",
        "Add a computation entry with its expression and operands and cite it.",
    ),
    Code.DERIVED_MISMATCH: (
        "The computation does not give the printed figure.",
        "Print the recomputed value at the figure's precision.",
    ),
    Code.DERIVED_INVALID: (
        "The computation cannot be evaluated (syntax, unknown operand, dimensions, division by zero).",
        "Use + - * / ( ) min max sum avg over at most eight cited operands of fitting units.",
    ),
    Code.FALSE_PRECISION: (
        "The figure prints more digits than the source, with an equal value.",
        "Print the source's precision.",
    ),
    Code.SIGN_UNVERIFIED: (
        "The source does not say which sign the metric has.",
        "Check the direction word.",
    ),
    Code.CCY_UNVERIFIED: (
        "Currency is stated on one side only.",
        "State the currency.",
    ),
    Code.PERIOD_UNVERIFIED: (
        "The evidence does not say its period.",
        "Check the period by hand.",
    ),
    Code.LABEL_UNVERIFIED: (
        "The sentence does not name the cited row.",
        "Name the row or metric.",
    ),
    Code.BOUND_UNSTATED: (
        "The source bounds or approximates the number (about, over, up to) and the page drops it.",
        "Keep the source's bound word.",
    ),
    Code.ROUNDING_SPREAD: (
        "The figure fits the rounding spread of the operands but not the displayed values.",
        "Compute from unrounded operands or print fewer digits.",
    ),
    Code.CONTRADICTION: (
        "An accepted claim or another claim of the page with the same key says something else.",
        "If the newer document restates or corrects it, declare `supersedes` with the claim, the source and a reason.",
    ),
    Code.SUPERSEDES_UNKNOWN: (
        "`supersedes` names a claim or source that does not exist.",
        "Use the id of an accepted claim and of a source of the page.",
    ),
    Code.SUPERSEDES_OTHER_KEY: (
        "`supersedes` names a claim about something else.",
        "Supersede only a claim of the same entity, metric, period, basis and scenario.",
    ),
    Code.SUPERSEDES_NOT_NEWER: (
        "The superseding source is not newer than the superseded one.",
        "Supersede with a later document only.",
    ),
    Code.SUPERSEDES_CYCLE: (
        "The chain of superseded claims comes back to itself.",
        "Remove the entry that closes the circle.",
    ),
    Code.DISAGREEMENT: (
        "Another asserter says something else of the same matter.",
        "Show both; neither is resolved automatically.",
    ),
    Code.EVIDENCE_NOT_UNANIMOUS: (
        "Cited chunks print different numbers for the same key.",
        "Cite the most precise one and say so.",
    ),
    Code.HIDDEN_OR_CONFUSABLE: (
        "The page holds a hidden character, a non-ASCII digit or a letter that looks like a digit.",
        "Retype the number or word in plain characters.",
    ),
    Code.AMBIGUOUS_DATE: (
        "A numeric date can be read as two dates.",
        "Write `2026-07-06` or the month as a word.",
    ),
    Code.HEADING_FIGURE: (
        "A heading holds a figure; headings carry no citation.",
        "Move the figure into a sentence or table.",
    ),
    Code.BROKEN_LINK: (
        "A link leads to no page of the bundle.",
        "Link to an existing page, or write the name without a link.",
    ),
    Code.UNREADABLE_PAGE: (
        "The page cannot be parsed (frontmatter, YAML, model).",
        "Mend the place that the message names.",
    ),
    Code.FORM: (
        "The page breaks a rule of the bundle's form (OKF).",
        "See the hint of the finding.",
    ),
}

CODES: dict[Code, CodeInfo] = {
    code: CodeInfo(code, predicate_of(code), severity_of(code), *texts) for code, texts in _TEXTS.items()
}


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
