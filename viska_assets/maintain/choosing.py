"""Which drafter the settings name, and the first half of the maintainer pass with it."""

from collections.abc import Callable

from viska_assets.engines.llm import ChatModel, Prices, TokenBudget
from viska_assets.maintain.drafting import draft_documents
from viska_assets.maintain.extractive.drafter import ExtractiveDrafter
from viska_assets.maintain.extractive.identification import identify_documents
from viska_assets.maintain.llm.drafter import DrafterPolicy, LlmDrafter
from viska_assets.maintain.llm.drafting import Drafted, draft_documents_by_model
from viska_assets.store.home import Home
from viska_assets.store.llm_settings import LlmSettings
from viska_assets.store.settings import SettingError


def draft_new_documents(
    home: Home,
    *,
    by_model: LlmDrafter | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> Drafted:
    """Says of every new document what it is about and drafts it, by the drafter that the settings name.

    Args:
        home: with the ingested documents; its settings name the drafter.
        by_model: an LLM drafter that takes the place of the settings' own.
        progress: is told each document's id.

    Raises:
        SettingError: where the LLM drafter is chosen without an endpoint or a model.
    """
    if by_model is None and home.settings.drafter == "llm":
        by_model = llm_drafter(home.settings.llm)
    if by_model is not None:
        identify_documents(home.database, by_model.name, home.policy)
        return draft_documents_by_model(home.database, by_model, progress=progress)
    drafter = ExtractiveDrafter()
    identify_documents(home.database, drafter.name, home.policy)
    return Drafted(draft_documents(home.database, drafter, progress=progress))


def llm_drafter(settings: LlmSettings) -> LlmDrafter:
    """The LLM drafter with a client and a token budget of its own, one a run.

    Raises:
        SettingError: where no endpoint or no model is named.
    """
    policy = DrafterPolicy(settings.drafts, settings.seconds, settings.document_characters)
    return LlmDrafter(chat_model(settings, "VISKA_DRAFTER=llm"), policy)


def chat_model(settings: LlmSettings, needed_by: str) -> ChatModel:
    """A client of the endpoint that the settings name, with a token budget of its own.

    Args:
        settings: where the endpoint is and what one answer may use.
        needed_by: the setting that asks for a model, for the message.

    Raises:
        SettingError: where no endpoint or no model is named.
    """
    from viska_assets.engines.llm_http import HttpChatModel, Limits

    if not settings.url or not settings.model:
        raise SettingError(
            f"{needed_by} needs VISKA_LLM_URL (the base of an OpenAI-compatible API) and VISKA_LLM_MODEL"
        )
    return HttpChatModel(
        settings.url,
        settings.model,
        key=settings.key.get_secret_value(),
        limits=Limits(
            seconds=settings.seconds,
            request_seconds=settings.request_seconds,
            attempts=settings.attempts,
            body_bytes=settings.body_bytes,
            answer_tokens=settings.max_tokens,
        ),
        prices=Prices(settings.prompt_price, settings.completion_price),
        budget=TokenBudget(settings.token_budget),
    )
