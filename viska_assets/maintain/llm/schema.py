"""What a model may answer: statements and figures by section of the handed-in concepts, each with its citations."""

import copy
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from viska_assets.model.delta import SectionName
from viska_assets.model.page import ConceptType

MOST_STATEMENTS = 40
MOST_FIGURES = 400
LONGEST_TEXT = 600

SECTIONS: dict[ConceptType, tuple[SectionName, ...]] = {
    ConceptType.ISSUER: (SectionName.KEY_FIGURES, SectionName.SEGMENTS, SectionName.GUIDANCE),
    ConceptType.EVENT: (SectionName.SUMMARY,),
    ConceptType.THESIS: (SectionName.VIEW, SectionName.ARGUMENTS, SectionName.RISKS, SectionName.REPORTED),
}
"""The sections that a model may fill, by the type of page; code writes all others."""

Text = Annotated[str, Field(min_length=1, max_length=LONGEST_TEXT)]


class AnswerError(ValueError):
    """An answer that is not of the schema; the message names the first faults."""


class Strict(BaseModel):
    """A part of an answer: no coercion, no unknown key."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")


class AnswerCitation(Strict):
    """A place in the document: a verbatim ``quote`` of a line, or the ``row`` and ``column`` of a table."""

    chunk: Text
    quote: Text | None = None
    row: Text | None = None
    column: Text | None = None


class AnswerStatement(Strict):
    """One sentence; ``{0}`` in ``text`` follows the figure that ``citations[0]`` states."""

    section: SectionName
    text: Text
    citations: Annotated[tuple[AnswerCitation, ...], Field(strict=False, max_length=8)]


class AnswerFigure(Strict):
    """One cell of a figure table."""

    section: SectionName
    table: Text
    label: Text
    column: Text
    figure: Annotated[str, Field(min_length=1, max_length=60)]
    citation: AnswerCitation


class AnswerConcept(Strict):
    """What the document adds to one of the concepts that were handed in."""

    concept: Text
    statements: Annotated[tuple[AnswerStatement, ...], Field(strict=False, max_length=MOST_STATEMENTS)] = ()
    figures: Annotated[tuple[AnswerFigure, ...], Field(strict=False, max_length=MOST_FIGURES)] = ()


class Answer(Strict):
    """A model's whole answer about one document."""

    concepts: Annotated[tuple[AnswerConcept, ...], Field(strict=False, max_length=8)]


def read_answer(text: str) -> Answer:
    """The answer in a model's text.

    Raises:
        AnswerError: where the text is no JSON of the schema.
    """
    try:
        return Answer.model_validate_json(text)
    except ValidationError as error:
        faults = [f"{'.'.join(map(str, e['loc'])) or 'the answer'}: {e['msg']}" for e in error.errors()[:5]]
        raise AnswerError("; ".join(faults)) from error


def answer_schema() -> dict[str, Any]:
    """The JSON schema that is sent, every key required and none more allowed, as strict structured output asks."""
    schema: dict[str, Any] = copy.deepcopy(Answer.model_json_schema())
    for part in [schema, *schema.get("$defs", {}).values()]:
        if part.get("type") == "object":
            part["required"] = list(part["properties"])
            part["additionalProperties"] = False
    return schema
