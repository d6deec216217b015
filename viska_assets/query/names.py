"""Which concepts a question names: the alias table read for many names at once, by name, ticker or number."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from viska_assets.maintain.identity import AliasKind, normalise_name

_WORD = re.compile(r"[a-z0-9&]+")
_LONGEST = 8
_AND = {"and": "&"}
# Words that are also the whole name or ticker of somebody, and mean that only where they are written as such.
_COMMON_WORDS = (
    "a all are be can cash cost go has hold it key low net new now on one open or out so see the two well "
    "what you view target gap block square snap best next"
)
_COMMON = frozenset(_COMMON_WORDS.split())


def _tokens(name: str) -> tuple[str, ...]:
    return tuple(_AND.get(word, word) for word in _WORD.findall(name))


@dataclass(frozen=True, slots=True)
class Named:
    """A concept that a question names, by which of its names and where in the question."""

    concept_id: str
    alias: str
    start: int
    end: int


class NameTable:
    """Names of concepts by their first word.

    Args:
        rows: (alias, kind, concept id), as the alias table holds them.
    """

    def __init__(self, rows: Iterable[tuple[str, str, str]]) -> None:
        self._names: dict[str, list[tuple[tuple[str, ...], str]]] = {}
        self._codes: dict[str, str] = {}
        for alias, kind, concept in rows:
            if kind in (AliasKind.TICKER, AliasKind.ISIN, AliasKind.LEI, AliasKind.CIK):
                self._codes[alias.upper()] = concept
            elif kind == AliasKind.NAME:
                words = _tokens(alias)
                # "Amazon.com" is asked for as Amazon.
                for form in {words, words[:-1] if words[-1:] == ("com",) else words} - {()}:
                    self._names.setdefault(form[0], []).append((form, concept))

    def named_in(self, text: str) -> tuple[Named, ...]:
        """The concepts that a text names, in the order in which they stand, each once; longer names win."""
        found: dict[str, Named] = {}
        plain = text.replace("'s", "  ").replace("’s", "  ").lower()
        tokens = [(_AND.get(m[0], m[0]), m.start(), m.end()) for m in _WORD.finditer(plain)]
        at = 0
        while at < len(tokens):
            best = self._longest_at(tokens, at) or self._code_at(text, tokens, at)
            if best is None:
                at += 1
                continue
            named, length = best
            found.setdefault(named.concept_id, named)
            at += length
        return tuple(found.values())

    def _longest_at(self, tokens: list[tuple[str, int, int]], at: int) -> tuple[Named, int] | None:
        ahead = tuple(token for token, _, _ in tokens[at : at + _LONGEST])
        fitting = [(words, c) for words, c in self._names.get(ahead[0], ()) if ahead[: len(words)] == words]
        if not fitting:
            return None
        words, concept = max(fitting, key=lambda item: (len(item[0]), item[1]))
        if len(words) == 1 and words[0] in _COMMON:
            return None
        return Named(concept, " ".join(words), tokens[at][1], tokens[at + len(words) - 1][2]), len(words)

    def _code_at(self, text: str, tokens: list[tuple[str, int, int]], at: int) -> tuple[Named, int] | None:
        """A ticker, ISIN, LEI or CIK; one of two letters or an everyday word only where it is written in capitals."""
        token, start, end = tokens[at]
        concept = self._codes.get(token.upper())
        if concept is None:
            return None
        written = text[start:end]
        if (len(token) < 3 or token in _COMMON) and not written.isupper():
            return None
        return Named(concept, written, start, end), 1

    def resolve(self, name: str) -> str | None:
        """The concept of one name, ticker or concept id that a caller gives as a filter; None where it names none."""
        if "/" in name:
            return name
        whole = _tokens(normalise_name(name))
        for words, concept in self._names.get(whole[0] if whole else "", ()):
            if words == whole:
                return concept
        if name.strip().upper() in self._codes:
            return self._codes[name.strip().upper()]
        found = self.named_in(name)
        return found[0].concept_id if len(found) == 1 else None
