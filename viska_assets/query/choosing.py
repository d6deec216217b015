"""Which answerer the settings name; the same one answers from pages and from passages."""

from typing import TYPE_CHECKING

from viska_assets.store.settings import Settings

if TYPE_CHECKING:
    from viska_assets.query.answerer import Answerer


def answerer_of(settings: Settings) -> "Answerer | None":
    """The answerer by ``VISKA_ANSWERER``: None for the extractive one.

    Raises:
        SettingError: where a model is chosen without an endpoint.
    """
    if settings.answerer != "llm":
        return None
    from viska_assets.maintain.choosing import chat_model
    from viska_assets.query.model_answerer import ModelAnswerer

    return ModelAnswerer(chat_model(settings.llm, "VISKA_ANSWERER=llm"))
