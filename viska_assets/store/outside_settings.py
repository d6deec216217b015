"""Where Slack and ntfy are, and the secrets for them; each from a variable of its own."""

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict


class OutsideSettings(BaseSettings):
    """Each field ``name`` is read from ``VISKA_NAME``.

    Attributes:
        slack_token: The bot's token (``xoxb-…``) with the scopes ``chat:write`` and ``channels:history``.
        slack_signing_secret: With which Slack signs what it sends to the command server.
        slack_channel: The id of the operators' channel.
        slack_api: Slack's API, or what stands for it.
        ntfy_url: The address of an ntfy topic; empty for none.
        ntfy_token: The access token of a protected topic.
    """

    model_config = SettingsConfigDict(env_prefix="VISKA_", frozen=True)

    slack_token: SecretStr = SecretStr("")
    slack_signing_secret: SecretStr = SecretStr("")
    slack_channel: str = ""
    slack_api: str = Field(default="https://slack.com/api/", pattern=r"^https?://")
    ntfy_url: str = Field(default="", pattern=r"^(https?://.+)?$")
    ntfy_token: SecretStr = SecretStr("")

    @property
    def is_slack_set(self) -> bool:
        """Whether anything can be posted."""
        return bool(self.slack_token.get_secret_value() and self.slack_channel)
