"""The settings of the LLM drafter: what must be named, and what never shows."""

import pytest
from pydantic import ValidationError

from viska_assets.maintain.choosing import llm_drafter
from viska_assets.store.settings import SettingError, Settings


def test_the_extractive_drafter_is_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VISKA_DRAFTER", raising=False)
    assert Settings().drafter == "extractive"


def test_an_unknown_drafter_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VISKA_DRAFTER", "gpt")
    with pytest.raises(ValidationError, match="extractive or llm"):
        Settings()


@pytest.mark.parametrize("missing", ["VISKA_LLM_URL", "VISKA_LLM_MODEL"])
def test_an_endpoint_and_a_model_must_be_named(monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    monkeypatch.setenv("VISKA_LLM_URL", "https://llm.example/v1")
    monkeypatch.setenv("VISKA_LLM_MODEL", "m-1")
    assert llm_drafter(Settings().llm).signature == "viska-llm/1 m-1"
    monkeypatch.delenv(missing)
    with pytest.raises(SettingError, match=missing):
        llm_drafter(Settings().llm)


def test_the_key_is_never_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VISKA_LLM_KEY", "sk-secret")
    assert "sk-secret" not in repr(Settings()) + str(Settings().model_dump())
    assert hash(Settings())


@pytest.mark.parametrize("url", ["file:///etc/passwd", "llm.example/v1"])
def test_an_address_that_is_not_of_http_is_refused(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setenv("VISKA_LLM_URL", url)
    with pytest.raises(ValidationError, match="VISKA_LLM_URL"):
        Settings()
