"""The settings of the LLM drafter: which endpoint and model, and what one document and one run may use."""

from decimal import Decimal

from pydantic import Field, SecretStr, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict


class LlmSettings(BaseSettings):
    """Each field ``name`` is read from ``VISKA_LLM_NAME``.

    ``url`` is the base of an OpenAI-compatible API (``https://host/v1``); ``model`` the exact id its responses carry.
    Prices are per million tokens. ``token_budget`` holds for one run (0: no limit), ``seconds`` for one document with
    all its tries and drafts, ``attempts`` for the requests of one answer, ``drafts`` for how often a document is asked
    about before its drafts go to quarantine.
    """

    model_config = SettingsConfigDict(env_prefix="VISKA_LLM_", frozen=True)

    url: str = ""
    model: str = ""
    key: SecretStr = SecretStr("")
    prompt_price: Decimal = Field(default=Decimal(0), ge=0)
    completion_price: Decimal = Field(default=Decimal(0), ge=0)
    token_budget: int = Field(default=5_000_000, ge=0)
    max_tokens: int = Field(default=8192, gt=0)
    seconds: float = Field(default=300.0, gt=0)
    request_seconds: float = Field(default=120.0, gt=0)
    attempts: int = Field(default=4, ge=1)
    drafts: int = Field(default=2, ge=1)
    body_bytes: int = Field(default=4 * 1024 * 1024, gt=0)
    document_characters: int = Field(default=60_000, gt=0)

    @field_validator("url")
    @classmethod
    def _url_is_of_http(cls, value: str) -> str:
        if value and not value.startswith(("http://", "https://")):
            raise ValueError("VISKA_LLM_URL is the base of an API, such as https://host/v1")
        return value
