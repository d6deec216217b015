"""The desk's policy file: YAML with one section a subject, checked as a whole before anything runs."""

from datetime import date
from pathlib import Path
from typing import Annotated
from zoneinfo import available_timezones

import yaml
from pydantic import Field, PositiveInt, StringConstraints, ValidationError, field_validator

from viska_assets.model.lint import Gravity, RuleName
from viska_assets.model.page import ConceptType
from viska_assets.store.policy_governance import GovernanceSection, OutsideSection, SpoolSection
from viska_assets.store.policy_loop import LoopSection
from viska_assets.store.policy_section import Section
from viska_assets.store.settings import SettingError, Settings

IssuerId = Annotated[str, StringConstraints(pattern=r"^issuers/[a-z0-9]+(?:-[a-z0-9]+)*$")]


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


class LintSection(Section):
    """How the nightly lint judges, and when it runs.

    Attributes:
        severity: How grave a rule is, by its name; the others keep their own gravity.
        freshness_days: For how many days a page of a type stays fresh where it does not say so itself.
        patience_days: For how many days a draft may wait in quarantine.
        known_abbreviations: What pages need not explain, beside the common ones.
        time_zone: The zone of ``hour``, by its name in the tz database.
        hour: The hour of the night at which the lint runs.
    """

    severity: dict[RuleName, Gravity] = Field(default_factory=dict)
    freshness_days: dict[ConceptType, PositiveInt] = Field(default_factory=dict)
    patience_days: PositiveInt = 7
    known_abbreviations: tuple[str, ...] = ()
    time_zone: str = "Europe/Copenhagen"
    hour: int = Field(default=2, ge=0, le=23)

    @field_validator("severity", mode="before")
    @classmethod
    def _say_off(cls, value: object) -> object:
        """YAML 1.1 reads a bare ``off`` as false; the desk means the word."""
        if not isinstance(value, dict):
            return value
        return {rule: Gravity.OFF.value if gravity is False else gravity for rule, gravity in value.items()}

    @field_validator("time_zone")
    @classmethod
    def _know_zone(cls, value: str) -> str:
        if value not in available_timezones():
            raise ValueError(f"there is no time zone {value!r}; take a name such as Europe/Copenhagen")
        return value


class RankingSection(Section):
    """How search weighs age and standing (see docs/asking.md).

    Attributes:
        half_life_days: In how many days what is beyond the floor of a document's recency halves.
        floor: What an old document keeps of its recency.
        floor_of_newest: The same for a question that asks for the newest.
        recency_weight: The exponent of recency; 0 leaves it out.
        confidence_weight: The exponent of a sender's standing.
        unauthenticated: The standing of a sender who is not authenticated.
    """

    half_life_days: float = Field(default=365.0, gt=0)
    floor: float = Field(default=0.5, ge=0, le=1)
    floor_of_newest: float = Field(default=0.2, ge=0, le=1)
    recency_weight: float = Field(default=1.0, ge=0)
    confidence_weight: float = Field(default=1.0, ge=0)
    unauthenticated: float = Field(default=0.6, ge=0, le=1)


class BacktestSection(Section):
    """What a backtest must show (see docs/backtest.md).

    Attributes:
        holdout_share: The share of the last days that no try may see.
        least_days: How many days a try needs before the holdout.
        least_deflated_sharpe: The least probability of an edge, given all tries of the family.
        most_overfitting: The greatest probability of overfitting over the family.
        model_knows_until: The training cut-off of the model that proposes strategies; days up to it are contaminated.
    """

    holdout_share: float = Field(default=0.2, gt=0, lt=1)
    least_days: PositiveInt = 252
    least_deflated_sharpe: float = Field(default=0.95, ge=0, le=1)
    most_overfitting: float = Field(default=0.5, ge=0, le=1)
    model_knows_until: date | None = None


class ParitySection(Section):
    """What the synthesis tier must show before it may answer (see docs/parity.md).

    Attributes:
        min_analyst_questions: Fewer questions by analysts than this and a run counts for nothing.
        min_cited: The least share of claims that their citations support.
        most_latency: How often the baseline's p95 the synthesis tier's may be.
        margin: How far below zero the interval of the paired difference in correctness (0 to 2) may reach in a pass.
        repeats: How often each question is asked warm, at least.
        least_timings: How many warm timings a path needs where the run can count.
    """

    min_analyst_questions: PositiveInt = 50
    min_cited: float = Field(default=0.95, ge=0, le=1)
    most_latency: float = Field(default=1.25, gt=0)
    margin: float = Field(default=0.05, ge=0, le=2)
    repeats: PositiveInt = 5
    least_timings: PositiveInt = 500


class RepositorySection(Section):
    """A local git clone that questions may be put to.

    Attributes:
        path: Its folder.
        authority: How much its word counts beside a filing's, from 0 to 1.
        namespace: Whose readers may search it.
    """

    path: Path
    authority: float = Field(default=0.7, ge=0, le=1)
    namespace: str = "default"


class ResearchSection(Section):
    """How several sources are asked (see docs/asking.md).

    Attributes:
        desk_seconds: How long the desk's index and the vaults may take.
        repository_seconds: How long a repository may take.
        web_seconds: How long the web provider may take.
        searxng: The address of a SearXNG server; empty means that the web is never asked.
        web_when_exhausted: Whether the web is asked, without being named, where nothing local is sure enough.
        web_authority: How much a page of the web counts.
        primary_domains: Domains whose pages count as primary or official.
        primary_authority: How much those count.
    """

    desk_seconds: float = Field(default=10.0, gt=0)
    repository_seconds: float = Field(default=10.0, gt=0)
    web_seconds: float = Field(default=5.0, gt=0)
    searxng: str = Field(default="", pattern=r"^(https?://[^\s?#]+)?$")
    web_when_exhausted: bool = False
    web_authority: float = Field(default=0.4, ge=0, le=1)
    primary_domains: tuple[str, ...] = ("sec.gov", "europa.eu", "esma.europa.eu")
    primary_authority: float = Field(default=0.6, ge=0, le=1)


class Policy(Section):
    """Everything a desk may set; without a file, the defaults."""

    mail: MailPolicy = MailPolicy()
    issuers: dict[IssuerId, IssuerNames] = Field(default_factory=dict)
    lint: LintSection = LintSection()
    ranking: RankingSection = RankingSection()
    backtest: BacktestSection = BacktestSection()
    parity: ParitySection = ParitySection()
    repositories: dict[str, RepositorySection] = Field(default_factory=dict)
    research: ResearchSection = ResearchSection()
    loop: LoopSection = LoopSection()
    governance: GovernanceSection = GovernanceSection()
    outside: OutsideSection = OutsideSection()
    spool: SpoolSection = SpoolSection()


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
