"""Any LLM of llama-index-core as a chat model, held to the same checks as the HTTP client's."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from viska_assets.engines.llm import (
    Completion,
    Message,
    Prices,
    TimedOut,
    TokenBudget,
    Unreachable,
    estimated_tokens,
)
from viska_assets.engines.llm_response import checked_completion, read_response


class LlamaIndexLlm(Protocol):
    """The one method that is asked of ``llama_index.core.llms.LLM``."""

    def chat(self, messages: Sequence[Any], **kwargs: Any) -> Any:
        """A ``ChatResponse`` whose ``raw`` is the provider's own response."""
        ...


class LlamaIndexChatModel:
    """A llama-index LLM as a ``ChatModel``.

    The provider's own response (``ChatResponse.raw``) must name the model and say why it ended; an integration that
    does not keep it cannot be used, for nothing would show that another model answered.

    Args:
        llm: the LLM, with its own settings for time and tries.
        model: the exact id that responses must carry.
        prices: per million tokens.
        budget: the tokens of the run.
    """

    def __init__(
        self, llm: LlamaIndexLlm, model: str, *, prices: Prices | None = None, budget: TokenBudget | None = None
    ) -> None:
        self._llm, self._model = llm, model
        self._prices, self._budget = prices or Prices(), budget or TokenBudget()

    @property
    def model(self) -> str:
        """The id that every response must carry."""
        return self._model

    def complete(
        self, messages: Sequence[Message], schema: Mapping[str, Any], *, within: float | None = None
    ) -> Completion:
        """The answer.

        Args:
            messages: instructions first, the document in a message of its own.
            schema: the JSON schema of the answer.
            within: seconds that are left for it; None for the model's own limit.

        Raises:
            EndpointFailure: there was no answer.
            AnswerFailure: there was one, and it must not be used.
        """
        from llama_index.core.base.llms.types import ChatMessage, MessageRole

        if within is not None and within <= 0:
            raise TimedOut(f"llama-index {type(self._llm).__name__}: no time is left: raise VISKA_LLM_SECONDS", calls=0)
        sent = list(messages)
        self._budget.require(sum(estimated_tokens(m.content) for m in sent))
        form = {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": dict(schema)}}
        place = f"llama-index {type(self._llm).__name__}"
        try:
            reply = self._llm.chat(
                [ChatMessage(role=MessageRole(m.role.value), content=m.content) for m in sent], response_format=form
            )
        except Exception as error:
            raise Unreachable(f"{place}: {type(error).__name__}: {error}: see the integration's settings") from error
        return checked_completion(
            read_response(_raw_json(reply), place),
            wanted=self._model,
            place=place,
            messages=sent,
            prices=self._prices,
            budget=self._budget,
            calls=1,
        )


def _raw_json(reply: Any) -> str:
    raw = getattr(reply, "raw", None)
    dump = getattr(raw, "model_dump", None)
    raw = dump(mode="json") if dump else raw
    return json.dumps(raw if isinstance(raw, dict) else {}, default=str)
