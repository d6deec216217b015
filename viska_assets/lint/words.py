"""Rules on words: companies that a page names without a link between the two, and abbreviations it does not explain."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from viska_assets.lint.bundle import Bundle
from viska_assets.lint.findings import LintFinding
from viska_assets.lint.summary import PageSummary
from viska_assets.model.page import ConceptType

_WORD = re.compile(r"[^\W_]+(?:[.&'’-][^\W_]+)*\.?")
_SHORTEST_NAME = 4
_ABBREVIATION = re.compile(r"(?<![\w&/.-])[A-Z][A-Z&]{1,5}(?![\w&/-])")
_EXPLAINED = re.compile(r"\(([A-Z][A-Z&]{1,5})s?\)|\b([A-Z][A-Z&]{1,5}) \((?=[a-z ]+\))")

# currencies, markets, statement lines, roles and places that every reader of the desk knows
_KNOWN = """
USD EUR GBP JPY CHF DKK SEK NOK CNY RMB INR CAD AUD HKD NYSE NASDAQ SEC FASB GAAP IFRS XBRL ISIN CIK LEI EPS EBIT EBITDA
DCF FCF PE EV NAV ROE ROIC ROCE CAGR IPO ETF ADR REIT ESG FX VAT CEO CFO COO CTO US USA UK EU UN AG SA SE NV AB PLC LLC
LP INC CO II III IV AI IT PC TV HR CSV PDF HTML FY YTD TTM LTM BPS R&D SG&A S&P M&A P&L
"""
KNOWN_ABBREVIATIONS = frozenset(_KNOWN.split())


def unlinked_mentions(bundle: Bundle) -> Iterator[LintFinding]:
    """Pages that name an issuer of the bundle while neither page links to the other."""
    names = _names(bundle)
    for concept_id, (summary, _) in bundle.heads.items():
        linked = {link.concept_id for link in (*summary.links, *summary.cited)}
        near = linked | bundle.linked_by.get(concept_id, set()) | {concept_id}
        for text, line in summary.prose:
            for name, issuer in _mentions(text, names):
                if issuer not in near:
                    near.add(issuer)
                    message = f"{name} is named and not linked"
                    hint = f"link it: [{name}](/{issuer}.md)"
                    yield LintFinding(summary.path, line, 1, "unlinked_mention", "UNLINKED_MENTION", message, hint=hint)


@dataclass(frozen=True, slots=True)
class _Names:
    """The names of issuers, and for each first word how many words the names that begin with it have, most first."""

    issuer_of: dict[str, str]
    lengths: dict[str, tuple[int, ...]]


def _names(bundle: Bundle) -> _Names:
    issuer_of: dict[str, str] = {}
    lengths: dict[str, set[int]] = {}
    for concept_id, (_, head) in sorted(bundle.heads.items()):
        if head.type is not ConceptType.ISSUER:
            continue
        for name in (head.title, *head.aliases):
            words = _WORD.findall(name)
            if words and len(name) >= _SHORTEST_NAME and not name.islower():
                issuer_of.setdefault(name.rstrip("."), concept_id)
                lengths.setdefault(words[0].rstrip("."), set()).add(len(words))
    return _Names(issuer_of, {word: tuple(sorted(found, reverse=True)) for word, found in lengths.items()})


def _mentions(text: str, names: _Names) -> Iterator[tuple[str, str]]:
    """The names in a text with their issuers, the longest name at each place."""
    words = list(_WORD.finditer(text))
    for at, word in enumerate(words):
        for length in names.lengths.get(word[0].rstrip("."), ()):
            if at + length > len(words):
                continue
            name = text[word.start() : words[at + length - 1].end()].rstrip(".")
            issuer = names.issuer_of.get(name)
            if issuer is not None:
                yield name, issuer
                break


def undefined_abbreviations(bundle: Bundle) -> Iterator[LintFinding]:
    """Abbreviations that the page does not explain in brackets and the desk does not list as known."""
    tickers = {head.identifiers.get("ticker", "") for _, head in bundle.heads.values()}
    known = KNOWN_ABBREVIATIONS | bundle.policy.known_abbreviations | tickers
    for summary, head in bundle.heads.values():
        if head.type is ConceptType.SOURCE:
            continue
        explained = set(known) | _explained(summary)
        explained.update(_ABBREVIATION.findall(" ".join((head.title, *head.aliases))))
        for text, line in summary.prose:
            if text.isupper():
                continue
            for found in _ABBREVIATION.findall(text):
                if found not in explained:
                    explained.add(found)
                    message = f"{found} is not explained on the page"
                    hint = "write it out once, with the abbreviation in brackets, or list it as known"
                    yield LintFinding(
                        summary.path, line, 1, "undefined_abbreviation", "UNDEFINED_ABBREVIATION", message, hint=hint
                    )


def _explained(summary: PageSummary) -> set[str]:
    return {one or other for text, _ in summary.prose for one, other in _EXPLAINED.findall(text)}
