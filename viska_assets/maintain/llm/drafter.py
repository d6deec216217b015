"""One document before a model: ask, convert, let the gate judge, say once what was wrong, and give up in order."""

import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from viska_assets.engines.llm import AnswerFailure, ChatModel, Completion, EndpointFailure, LlmError
from viska_assets.guardrail.codes import Code
from viska_assets.maintain.drafting import draft_id
from viska_assets.maintain.extractive.view import DocumentView
from viska_assets.maintain.gating import Judged, cited_chunk_ids
from viska_assets.maintain.llm.citing import Citer
from viska_assets.maintain.llm.converting import Converted, convert, refuse
from viska_assets.maintain.llm.prompt import Prompt, build_prompt, select_chunks
from viska_assets.maintain.llm.schema import AnswerError, answer_schema, read_answer
from viska_assets.model.delta import ConceptDelta
from viska_assets.model.verdict import Finding, Severity
from viska_assets.store.llm_calls import LlmCall
from viska_assets.store.registry import Draft

FAMILY = "viska-llm/1"


def new_token() -> str:
    """Sixteen random hexadecimal digits."""
    return secrets.token_hex(8)


@dataclass(frozen=True)
class DrafterPolicy:
    """``attempts``: how often a document is asked about; ``seconds``: for all of them together."""

    attempts: int = 2
    seconds: float = 300.0
    document_characters: int = 60_000


@dataclass(frozen=True)
class Outcome:
    """What came of asking about one document. With a ``failure`` there are no drafts: it stays undrafted."""

    drafts: tuple[Draft, ...]
    calls: tuple[LlmCall, ...]
    incidents: tuple[tuple[str, str], ...] = ()
    failure: EndpointFailure | None = None


@dataclass
class _Trail:
    """What has been asked about a document so far."""

    calls: list[LlmCall] = field(default_factory=list)
    incidents: list[tuple[str, str]] = field(default_factory=list)


class LlmDrafter:
    """Drafts what a model says of a document. Identity, links and the Source page are the extractive drafter's.

    Args:
        model: asked for JSON, with no tools.
        policy: attempts and bounds.
        now: monotonic seconds.
        token: random hexadecimal digits for delimiter, canary and marker.
    """

    name = FAMILY

    def __init__(
        self,
        model: ChatModel,
        policy: DrafterPolicy | None = None,
        *,
        now: Callable[[], float] = time.monotonic,
        token: Callable[[], str] = new_token,
    ) -> None:
        self._model, self._policy = model, policy or DrafterPolicy()
        self._now, self._token = now, token

    @property
    def model(self) -> str:
        """The model's id."""
        return self._model.model

    @property
    def signature(self) -> str:
        """Family, version and model: what ``generated.by`` and the drafts say."""
        return f"{FAMILY} {self._model.model}"

    def ask(
        self, view: DocumentView, skeletons: Sequence[ConceptDelta], judge: Callable[[Sequence[Draft]], list[Judged]]
    ) -> Outcome:
        """The drafts of one document.

        Args:
            view: the document.
            skeletons: what code knows of each concept the document touches, with the extractive drafter's content,
                of which only the places count here: they are shown first.
            judge: the gate, over drafts that are not stored yet.
        """
        first = {chunk for delta in skeletons for chunk in cited_chunk_ids(delta)}
        shown = select_chunks(view, first, self._policy.document_characters)
        signed = [delta.model_copy(update={"drafted_by": self.signature}) for delta in skeletons]
        trail, started = _Trail(), self._now()
        previous = ""
        findings: tuple[Finding, ...] = ()
        drafts: tuple[Draft, ...] = ()
        for attempt in range(1, self._policy.attempts + 1):
            prompt = build_prompt(view, shown, signed, self._token, previous=previous, findings=findings)
            left = self._policy.seconds - (self._now() - started)
            try:
                completion = self._model.complete(prompt.messages, answer_schema(), within=left)
            except EndpointFailure as failure:
                self._note(trail, view, attempt, failure)
                return Outcome((), tuple(trail.calls), tuple(trail.incidents), failure)
            except AnswerFailure as failure:
                self._note(trail, view, attempt, failure)
                refused = refuse(signed, Code.UNREADABLE_PAGE, f"{failure.kind}: {failure}", "ask again, or by hand")
                drafts, previous = self._drafts(view, refused), ""
                findings = _findings_of(judge(drafts))
                continue
            if prompt.is_leaked_by(completion.text):
                drafts = self._refuse_leak(trail, view, attempt, signed, completion)
                break
            drafts = self._drafts(view, self._converted(completion, view, signed, prompt))
            findings, previous = _findings_of(judge(drafts)), completion.text
            self._note(trail, view, attempt, completion, _codes(findings))
            if not findings:
                break
        return Outcome(drafts, tuple(trail.calls), tuple(trail.incidents))

    def _converted(
        self, completion: Completion, view: DocumentView, skeletons: Sequence[ConceptDelta], prompt: Prompt
    ) -> list[Converted]:
        try:
            answer = read_answer(completion.text)
        except AnswerError as error:
            return refuse(
                skeletons,
                Code.UNREADABLE_PAGE,
                f"the answer is not of the schema: {error}",
                "answer with JSON of the schema and nothing else",
            )
        chunks = {chunk.chunk_id: chunk for chunk in view.chunks}
        names = tuple(name for chunk in view.chunks[:1] for name in chunk.entity_names)
        return convert(answer, skeletons, Citer(chunks, view.title, prompt.unmarked, names))

    def _refuse_leak(
        self,
        trail: _Trail,
        view: DocumentView,
        attempt: int,
        skeletons: Sequence[ConceptDelta],
        completion: Completion,
    ) -> tuple[Draft, ...]:
        """The answer obeyed somebody else than the instructions: it is not read, nor is the model asked again."""
        detail = f"{self.signature} wrote the secret code of its instructions: the document may hold instructions"
        trail.incidents.append(("llm_canary", detail))
        refused = refuse(skeletons, Code.FORM, "the answer holds the canary", "read the document for instructions")
        self._note(trail, view, attempt, completion, ("canary",))
        return self._drafts(view, refused)

    def _drafts(self, view: DocumentView, converted: Sequence[Converted]) -> tuple[Draft, ...]:
        document = view.stored.document_id
        return tuple(
            Draft(draft_id(c.delta, self.signature, c.findings), document, self.signature, c.delta, findings=c.findings)
            for c in converted
        )

    def _note(
        self,
        trail: _Trail,
        view: DocumentView,
        attempt: int,
        came: Completion | LlmError,
        codes: Sequence[str] = (),
    ) -> None:
        failed = isinstance(came, LlmError)
        spent = came.spent if isinstance(came, LlmError) else came
        trail.calls.append(
            LlmCall(
                document_id=view.stored.document_id,
                drafter=FAMILY,
                model=self._model.model,
                attempt=attempt,
                outcome=came.kind if isinstance(came, LlmError) else "refused" if codes else "passed",
                detail=str(came) if failed else ", ".join(codes),
                requests=came.calls,
                prompt_tokens=spent.prompt_tokens,
                completion_tokens=spent.completion_tokens,
                cost=spent.cost,
                answer=came.answer if isinstance(came, LlmError) else came.text,
            )
        )
        if isinstance(came, LlmError):
            trail.incidents.append((f"llm_{came.kind}", str(came)))


def _findings_of(judged: Sequence[Judged]) -> tuple[Finding, ...]:
    return tuple(f for answer in judged for f in answer.verdict.findings if f.severity is Severity.HARD)


def _codes(findings: Sequence[Finding]) -> tuple[str, ...]:
    return tuple(sorted({finding.code for finding in findings}))
