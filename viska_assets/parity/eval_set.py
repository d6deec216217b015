"""Eval sets: labelled questions as JSON lines, checked against a schema when read."""

import json
from datetime import date
from decimal import Decimal
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, ValidationError

from viska_assets.model.evidence import Unit
from viska_assets.model.page import Frozen
from viska_assets.query.wording import Asking


class EvalSetError(ValueError):
    """An eval set cannot be read; the message names the file, the line and the mend."""


class Shape(StrEnum):
    """What a question asks for, which decides the tier that should answer it."""

    SYNTHESIS = "synthesis"
    RETRIEVAL = "retrieval"
    MIXED = "mixed"


class SourcedBy(StrEnum):
    """Who wrote a question; synthetic ones never count toward the gate."""

    ANALYST = "analyst"
    PUBLIC_BENCHMARK = "public-benchmark"
    SYNTHETIC = "synthetic"


class NumberAnswer(Frozen):
    """A gold number in whole units (percent as printed), with its period.

    ``rounded_to`` is the step to which the gold value itself is rounded: 1000000 for a figure given in millions. Not
    given, it is that of the last printed digit after the point, and none for whole numbers.
    """

    kind: Literal["number"] = "number"
    value: Decimal
    unit: Unit
    currency: str | None = None
    period_start: date | None = None
    period_end: date | None = None
    rounded_to: Decimal | None = Field(default=None, ge=0)

    @property
    def quantum(self) -> Decimal:
        """The step to which the value is rounded; 0 for an exact whole number."""
        if self.rounded_to is not None:
            return self.rounded_to
        exponent = self.value.as_tuple().exponent
        return Decimal(1).scaleb(exponent) if isinstance(exponent, int) and exponent < 0 else Decimal(0)


class TextAnswer(Frozen):
    """Gold words: every one of these facts must occur in the answer."""

    kind: Literal["text"] = "text"
    facts: tuple[str, ...] = Field(min_length=1)


class Question(Frozen):
    """One labelled question. ``issuer`` scopes it to a concept; ``as_of`` is when it was asked."""

    id: str
    question: str
    shape: Shape
    gold: Annotated[NumberAnswer | TextAnswer, Field(discriminator="kind")]
    evidence: tuple[str, ...] = ()
    sourced_by: SourcedBy
    as_of: date
    issuer: str | None = None

    @property
    def asking(self) -> Asking:
        """What the paths are told: the words, the scope and the day, and nothing of the gold answer."""
        return Asking(self.question, self.issuer, self.as_of)


def read_eval_set(path: Path) -> tuple[Question, ...]:
    """The questions of a JSON-lines file, in its order.

    Raises:
        EvalSetError: for a line that is no JSON, that does not fit the schema, or whose id occurs twice.
    """
    questions: dict[str, Question] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.strip():
            continue
        place = f"{path.name}:{number}"
        try:
            question = Question.model_validate(json.loads(line, parse_float=Decimal))
        except json.JSONDecodeError as error:
            raise EvalSetError(f"{place}: no JSON object ({error}); write one question a line") from error
        except ValidationError as error:
            raise EvalSetError(f"{place}: {error.error_count()} fields do not fit: {error}") from error
        if question.id in questions:
            raise EvalSetError(f"{place}: the id {question.id!r} occurs twice; give each question its own")
        questions[question.id] = question
    return tuple(questions.values())
