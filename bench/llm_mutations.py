"""Fabrications: an honest answer with one figure, scale, unit, period, row or company exchanged, and its gate code."""

import copy
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

_MONEY = re.compile(r"\$[\d,.]+ (?:thousand|million|billion)")
_SCALES = {"thousand": "million", "million": "billion", "billion": "million"}
_YEAR = re.compile(r"(?:19|20)\d{2}")
_NAMES = ("Contoso", "Northwind", "Tailspin", "Fabrikam")


@dataclass(frozen=True)
class Fabrication:
    """A mutated answer, the concept that was hit and the code that the gate owes."""

    kind: str
    answer: dict[str, Any]
    concept: str
    code: str
    before: str
    after: str


Place = tuple[dict[str, Any], str, str]  # the object that holds the text, its key, the concept


def fabricate(answer: dict[str, Any], seed: int, sentence: tuple[str, str]) -> Fabrication:
    """One mutation of an answer; the seed chooses its kind and place.

    Args:
        answer: an honest one.
        seed: of the document and the round.
        sentence: a chunk and a quote of it, to which an answer without figures attaches an invented one.
    """
    kinds = list(_KINDS)
    chooser = random.Random(seed)
    for kind in kinds[seed % len(kinds) :] + kinds[: seed % len(kinds)]:
        changed = copy.deepcopy(answer)
        code, mutate = _KINDS[kind]
        done = mutate(changed, chooser)
        if done:
            return Fabrication(kind, changed, done[0], code, done[1], done[2])
    return _invented(copy.deepcopy(answer), chooser, *sentence)


Done = tuple[str, str, str] | None


def _invented(answer: dict[str, Any], chooser: random.Random, chunk: str, quote: str) -> Fabrication:
    """A figure from nowhere in plain words, cited to a passage that says something else."""
    text = f"The company reported ${chooser.randint(10_000, 99_999):,} million{{0}}."
    event = next(part for part in answer["concepts"] if part["concept"].startswith("events/"))
    citation = {"chunk": chunk, "quote": quote, "row": None, "column": None}
    event["statements"].append({"section": "Summary", "text": text, "citations": [citation]})
    return Fabrication("invented", answer, event["concept"], "UNGROUNDED", "", text)


def _digit(answer: dict[str, Any], chooser: random.Random) -> Done:
    def change(text: str) -> str:
        first = re.search(r"[1-9]", text)
        assert first
        other = chooser.choice([d for d in "123456789" if d != first[0]])
        return text[: first.start()] + other + text[first.end() :]

    return _replace(_money(answer), chooser, change)


def _scale(answer: dict[str, Any], chooser: random.Random) -> Done:
    return _replace(_money(answer), chooser, lambda text: re.sub(r"[a-z]+", lambda m: _SCALES[m[0]], text))


def _unit(answer: dict[str, Any], chooser: random.Random) -> Done:
    return _replace(_money(answer), chooser, lambda text: text.removeprefix("$") + " shares")


def _currency(answer: dict[str, Any], chooser: random.Random) -> Done:
    return _replace(_money(answer), chooser, lambda text: text.replace("$", "€"))


def _period(answer: dict[str, Any], chooser: random.Random) -> Done:
    """Moves a figure to a year that its document does not report."""
    figures = [(figure, "column", name) for name, figure in _figures(answer) if _YEAR.search(figure["column"])]
    return _replace(figures, chooser, lambda text: _YEAR.sub(lambda m: str(int(m[0]) - 7), text), whole=True)


def _row(answer: dict[str, Any], chooser: random.Random) -> Done:
    """Puts the figure and the citation of another row of money behind a label; another unit would be a unit swap."""
    figures = [
        (name, f)
        for name, f in _figures(answer)
        if f["section"] == "Key figures" and f["citation"]["row"] and _MONEY.search(f["figure"])
    ]
    chooser.shuffle(figures)
    for name, figure in figures:
        for other_name, other in figures:
            same = other_name == name and (other["table"], other["column"]) == (figure["table"], figure["column"])
            if same and other["citation"]["row"] != figure["citation"]["row"] and other["figure"] != figure["figure"]:
                before = f"{figure['label']}: {figure['figure']}"
                figure["figure"], figure["citation"] = other["figure"], dict(other["citation"])
                return name, before, f"{figure['label']}: {figure['figure']}"
    return None


def _entity(answer: dict[str, Any], chooser: random.Random) -> Done:
    texts = [
        (statement, "text", part["concept"])
        for part in answer["concepts"]
        for statement in part["statements"]
        if statement["text"][:1].isalpha()
    ]
    name = chooser.choice(_NAMES)
    return _replace(texts, chooser, lambda text: f"{name}'s {text[0].lower()}{text[1:]}", whole=True)


_KINDS: dict[str, tuple[str, Callable[[dict[str, Any], random.Random], Done]]] = {
    "digit": ("UNGROUNDED", _digit),
    "scale": ("SCALE_MISMATCH", _scale),
    "unit": ("UNIT_MISMATCH", _unit),
    "currency": ("CCY_MISMATCH", _currency),
    "period": ("PERIOD_MISMATCH", _period),
    "row": ("LABEL_CONFLICT", _row),
    "entity": ("LABEL_CONFLICT", _entity),
}
"""By kind of fabrication the code that belongs to it, and the mutation."""


def _figures(answer: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for part in answer["concepts"]:
        for figure in part["figures"]:
            yield part["concept"], figure


def _money(answer: dict[str, Any]) -> list[Place]:
    """The amounts of money in figures and in sentences that are no quotes."""
    places = [(figure, "figure", name) for name, figure in _figures(answer) if _MONEY.search(figure["figure"])]
    for part in answer["concepts"]:
        for statement in part["statements"]:
            if _MONEY.search(statement["text"]) and not statement["text"].startswith("“"):
                places.append((statement, "text", part["concept"]))
    return places


def _replace(places: list[Place], chooser: random.Random, change: Callable[[str], str], *, whole: bool = False) -> Done:
    if not places:
        return None
    holder, key, concept = chooser.choice(places)
    before = holder[key]
    holder[key] = change(before) if whole else _MONEY.sub(lambda m: change(m[0]), before, count=1)
    return concept, before, holder[key]
