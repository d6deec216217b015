"""Rows of ``registry.llm_call``: what each question to a language model cost and came to. Only ever added."""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from viska_assets.store.database import Connection

LONGEST_ANSWER = 200_000


@dataclass(frozen=True)
class LlmCall:
    """One question about a document; ``outcome`` is ``passed``, ``refused``, or the kind of failure."""

    document_id: str
    drafter: str
    model: str
    attempt: int
    outcome: str
    detail: str
    requests: int
    prompt_tokens: int
    completion_tokens: int
    cost: Decimal
    answer: str = ""


def add_llm_calls(connection: Connection, calls: Iterable[LlmCall]) -> None:
    """Records questions, in the caller's transaction."""
    with connection.cursor() as cursor:
        cursor.executemany(
            """
            INSERT INTO registry.llm_call (document_id, drafter, model, attempt, outcome, detail, requests,
                prompt_tokens, completion_tokens, cost, answer)
            VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
            """,
            [
                (
                    call.document_id,
                    call.drafter,
                    call.model,
                    call.attempt,
                    call.outcome,
                    call.detail.replace("\0", ""),
                    call.requests,
                    call.prompt_tokens,
                    call.completion_tokens,
                    call.cost,
                    call.answer[:LONGEST_ANSWER].replace("\0", ""),
                )
                for call in calls
            ],
        )


def llm_calls(connection: Connection, document_id: str | None = None) -> list[LlmCall]:
    """The questions asked about one document, or all, oldest first."""
    rows = connection.execute(
        """
        SELECT document_id, drafter, model, attempt, outcome, detail, requests, prompt_tokens, completion_tokens,
            cost, answer
        FROM registry.llm_call WHERE %(document)s::text IS NULL OR document_id = %(document)s ORDER BY call_no
        """,
        {"document": document_id},
    )
    return [LlmCall(*row) for row in rows]
