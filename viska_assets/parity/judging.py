"""A model's opinion on the correctness of an answer: recorded beside the grade, and never a part of the verdict."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import files
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from viska_assets.engines.llm import ChatModel, LlmError, Message, Role
from viska_assets.parity.eval_set import NumberAnswer, Question
from viska_assets.query.answers import Answer


@dataclass(frozen=True)
class Judgement:
    """What a judge said. ``grade`` is 0 to 2, or None where it gave no usable answer, and ``reason`` then says why."""

    judge: str
    grade: int | None
    reason: str


Judge = Callable[[Question, Answer], Judgement]


class _Said(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    grade: Annotated[int, Field(ge=0, le=2)]
    reason: Annotated[str, Field(max_length=600)]


class ModelJudge:
    """Asks a model to grade. A failure is recorded and counted as no judgement, never as a grade.

    Args:
        model: asked for JSON, with no tools.
    """

    def __init__(self, model: ChatModel) -> None:
        self._model = model
        self._instructions = files("viska_assets.parity").joinpath("judge_prompt.md").read_text(encoding="utf-8")

    def __call__(self, question: Question, answer: Answer) -> Judgement:
        """The judgement of one answer."""
        said = answer.text or f"(no answer: {answer.reason})"
        messages = (
            Message(Role.SYSTEM, self._instructions),
            Message(
                Role.USER, f"Question: {question.question}\n\nGold answer: {_gold(question)}\n\nAnswer:\n{said[:4000]}"
            ),
        )
        try:
            judged = _Said.model_validate_json(self._model.complete(messages, _Said.model_json_schema()).text)
        except LlmError as error:
            return Judgement(self._model.model, None, f"{error.kind}: {error}")
        except ValidationError as error:
            return Judgement(self._model.model, None, f"the judge's answer is not of the schema: {error}")
        return Judgement(self._model.model, judged.grade, judged.reason)


def _gold(question: Question) -> str:
    gold = question.gold
    if isinstance(gold, NumberAnswer):
        period = f", period ending {gold.period_end}" if gold.period_end else ""
        return f"{gold.value} {gold.currency or ''} ({gold.unit.value}{period})"
    return "; ".join(gold.facts)
