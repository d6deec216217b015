"""An answerer that asks a language model, over the same citable statements for pages and for passages."""

import secrets
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from viska_assets.engines.llm import AnswerFailure, ChatModel, Message, Role
from viska_assets.query.answerer import Material
from viska_assets.query.answers import AnswerClaim
from viska_assets.query.citable import citable_claims
from viska_assets.query.wording import Asking
from viska_assets.text.quantities import read_quantities

STATEMENTS = 80
CLAIMS = 6


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")


class _Claim(_Strict):
    text: Annotated[str, Field(min_length=1, max_length=600)]
    uses: Annotated[tuple[int, ...], Field(strict=False, min_length=1, max_length=8)]


class _Said(_Strict):
    claims: Annotated[tuple[_Claim, ...], Field(strict=False, max_length=CLAIMS)]


class ModelAnswerer:
    """Writes answers by a model. What it says is shown only where P1 and P2 hold, as with any answerer.

    Args:
        model: asked for JSON, with no tools.
        token: random hexadecimal digits for the delimiter.
    """

    def __init__(self, model: ChatModel, *, token: Callable[[], str] = lambda: secrets.token_hex(8)) -> None:
        self._model, self._token = model, token

    @property
    def name(self) -> str:
        """Family and model."""
        return f"llm:{self._model.model}"

    def __call__(self, question: Asking, material: Material) -> Sequence[AnswerClaim]:
        """Claims with the citations of the statements that they name; none where the answer cannot be used.

        Raises:
            EndpointFailure: where the endpoint gave no answer.
        """
        statements = citable_claims(question, material, STATEMENTS)
        if not statements:
            return []
        try:
            completion = self._model.complete(self._messages(question, statements), answer_schema())
            said = _Said.model_validate_json(completion.text)
        except (AnswerFailure, ValidationError):
            return []
        return [claim for each in said.claims if (claim := _claim(each, statements)) is not None]

    def _messages(self, question: Asking, statements: Sequence[AnswerClaim]) -> tuple[Message, ...]:
        fence = f"==== {self._token()} ===="
        lines = [f"{number}. {' '.join(claim.text.split())}" for number, claim in enumerate(statements, start=1)]
        return (
            Message(Role.SYSTEM, instructions()),
            Message(Role.USER, "\n".join((fence, *lines, fence))),
            Message(Role.USER, f"The question: {question.text}"),
        )


@cache
def instructions() -> str:
    """The text of ``answerer_prompt.md``."""
    return files("viska_assets.query").joinpath("answerer_prompt.md").read_text(encoding="utf-8")


def answer_schema() -> Mapping[str, Any]:
    """The JSON schema of an answer."""
    return _Said.model_json_schema()


def _claim(said: _Claim, statements: Sequence[AnswerClaim]) -> AnswerClaim | None:
    """What a model said as a claim; None where it names a statement that does not exist.

    The figure is that of the first used statement whose figure the text prints.
    """
    if not all(1 <= number <= len(statements) for number in said.uses):
        return None
    used = [statements[number - 1] for number in dict.fromkeys(said.uses)]
    sources = {entry.id: entry for claim in used for entry in claim.sources}
    printed = [quantity.value for quantity in read_quantities(said.text)]
    figure = next((c for c in used if c.value is not None and c.value in printed), None)
    plain = AnswerClaim(said.text, tuple(sources.values()), 1.0, used[0].page)
    if figure is None:
        return plain
    return AnswerClaim(
        plain.text, plain.sources, plain.fit, plain.page,
        figure.value, figure.quantum, figure.unit, figure.currency, figure.period,
    )  # fmt: skip
