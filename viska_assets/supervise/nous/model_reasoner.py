"""A model as reasoner: one streamed answer within the bounds, its quotes turned into citations by code."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Protocol

from pydantic import ValidationError

from viska_assets.engines.llm import LlmError, TimedOut, WrongModel
from viska_assets.engines.llm_stream import Cancelled, NoSignOfLife, OverBudget, StreamingChat, StreamLimits
from viska_assets.store.chunks import text_hash
from viska_assets.store.llm_settings import LlmSettings
from viska_assets.store.policy_loop import NousSection
from viska_assets.store.supervised.nous_rows import Candidate, ChunkRead, DocumentRead, Run
from viska_assets.supervise.nous.prompting import Answer, AnswerSignal, answer_schema, build_messages
from viska_assets.supervise.nous.reasoning import Bounds, ReasoningError, Thought, TraceOutcome

_OUTCOMES: tuple[tuple[type[LlmError], TraceOutcome], ...] = (
    (WrongModel, TraceOutcome.DRIFTED),
    (OverBudget, TraceOutcome.OVER_BUDGET),
    (TimedOut, TraceOutcome.TIMED_OUT),
    (NoSignOfLife, TraceOutcome.FAILED),
    (Cancelled, TraceOutcome.CANCELLED),
)


class Settled(Protocol):
    """What of the settings names the endpoint."""

    @property
    def llm(self) -> LlmSettings:
        """Which endpoint and model."""
        ...


class ModelReasoner:
    """Asks an OpenAI-compatible endpoint. Its words are candidates like any others: the review judges them."""

    def __init__(self, chat: StreamingChat, policy: NousSection, silence: float = 30.0) -> None:
        self._chat, self._policy, self._silence = chat, policy, silence

    @property
    def engine(self) -> str:
        """Name and version, with the model."""
        return f"viska-nous-model/1 {self._chat.model}"

    @property
    def pin(self) -> str:
        """The exact id that must answer."""
        return self._chat.model

    def reason(self, run: Run, documents: Sequence[DocumentRead], bounds: Bounds) -> Thought:
        """The model's signals, those that it can quote for."""
        policy = self._policy
        messages, shown = build_messages(
            run, documents, characters=policy.document_characters, most=policy.most_candidates
        )
        limits = StreamLimits(bounds.tokens, bounds.seconds, self._silence)
        try:
            got = self._chat.answer(messages, answer_schema(), limits, bounds.is_cancelled)
        except LlmError as error:
            outcome = next((outcome for kind, outcome in _OUTCOMES if isinstance(error, kind)), TraceOutcome.FAILED)
            tokens = (error.spent.prompt_tokens, error.spent.completion_tokens)
            answered = error.model_answered if isinstance(error, WrongModel) else ""
            thought = Thought(reasoning=error.answer, model=answered, tokens=tokens, detail={"kind": error.kind})
            raise ReasoningError(outcome, str(error), thought) from error
        tokens = (got.spent.prompt_tokens, got.spent.completion_tokens)
        try:
            answer = Answer.model_validate_json(got.text)
        except ValidationError as error:
            thought = Thought(reasoning=got.text, model=got.model, tokens=tokens)
            said = f"the answer is not of the schema: {error.error_count()} faults"
            raise ReasoningError(TraceOutcome.FAILED, said, thought) from error
        about = _about(run, documents)
        made = [candidate for s in answer.signals if (candidate := _candidate(s, shown, documents, about))]
        dropped = len(answer.signals) - len(made)
        return Thought(made, (), answer.reasoning, got.model, tokens, {"dropped_without_quote": dropped})


def reasoner_pin(policy: NousSection, settings: Settled) -> str:
    """The model id that must answer: the policy's, else the configured one; empty where no endpoint is set."""
    return (policy.model or settings.llm.model) if settings.llm.url else ""


def model_reasoner(policy: NousSection, settings: Settled) -> ModelReasoner:
    """The reasoner of the configured endpoint (``VISKA_LLM_URL``, ``VISKA_LLM_MODEL``, ``VISKA_LLM_KEY``)."""
    llm = settings.llm
    chat = StreamingChat(llm.url, reasoner_pin(policy, settings), key=llm.key.get_secret_value())
    return ModelReasoner(chat, policy, llm.request_seconds)


def _about(run: Run, documents: Sequence[DocumentRead]) -> str:
    if "/" in run.subject:
        return run.subject
    return next((document.entity for document in documents if document.entity), "") or f"sources/{run.subject[:20]}"


def _candidate(
    signal: AnswerSignal, shown: Sequence[ChunkRead], documents: Sequence[DocumentRead], about: str
) -> Candidate | None:
    """A candidate with a citation for each quote; None where a quote stands in no passage that was shown."""
    citations = []
    domain = ""
    for given in signal.quotes:
        chunk = shown[given.passage - 1] if 1 <= given.passage <= len(shown) else None
        if chunk is None or given.quote not in chunk.text:
            return None
        document = next(d for d in documents if chunk in d.chunks)
        domain = domain or document.source_domain
        locator = {"kind": "quote", "quote": given.quote}
        citations.append({"chunk_id": chunk.chunk_id, "locator": locator, "content_sha256": text_hash(chunk.text)})
    return Candidate(
        kind="model_signal",
        concept_id=about,
        direction=signal.direction,
        severity=signal.severity,
        headline=signal.headline,
        rationale=signal.rationale,
        citations=citations,
        confidence=Decimal(str(signal.confidence)),
        horizon_days=signal.horizon_days,
        source_domain=domain,
    )
