"""The desk's policy file: YAML with one section a subject, checked as a whole before anything runs."""

from pathlib import Path
from typing import Annotated

import yaml
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from viska_assets.store.settings import SettingError, Settings

IssuerId = Annotated[str, StringConstraints(pattern=r"^issuers/[a-z0-9]+(?:-[a-z0-9]+)*$")]


class Section(BaseModel):
    """A part of the policy: immutable, and refusing keys it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class IssuerNames(Section):
    """The names that the desk itself gives an issuer; they win over learned ones."""

    names: tuple[str, ...] = ()
    tickers: tuple[str, ...] = ()
    isin: tuple[str, ...] = ()
    lei: tuple[str, ...] = ()
    cik: tuple[str, ...] = ()


class MailPolicy(Section):
    """Whose word is taken on forwarded mail: domains whose ARC chain may vouch for a sender. None by default."""

    trusted_forwarders: tuple[str, ...] = ()


class Policy(Section):
    """Everything a desk may set; without a file, the defaults."""

    mail: MailPolicy = MailPolicy()
    issuers: dict[IssuerId, IssuerNames] = Field(default_factory=dict)


def load_policy(settings: Settings) -> Policy:
    """The policy that ``VISKA_POLICY`` names, or the defaults.

    Raises:
        SettingError: naming the file, the place and the mend.
    """
    path = settings.policy
    if path is None:
        return Policy()
    try:
        return parse_policy(settings.policy_text(), path)
    except FileNotFoundError as error:
        raise SettingError(f"VISKA_POLICY: there is no file {path}") from error


def parse_policy(text: str, path: Path) -> Policy:
    """A policy from its text (see ``load_policy``)."""
    try:
        content = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise SettingError(f"{path}: no YAML: {error}") from error
    try:
        return Policy.model_validate(content or {})
    except ValidationError as error:
        places = "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors())
        raise SettingError(f"{path}: {places}") from error
