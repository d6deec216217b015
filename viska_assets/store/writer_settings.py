"""The addresses of the writers' roles on an external server, each from a variable of its own."""

from pydantic import SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict


class WriterSettings(BaseSettings):
    """Each field ``name`` is read from ``VISKA_NAME``: ``VISKA_NOUS_URL`` is nous's address and no other's.

    A process of one writer is given that one variable and none of the others.
    """

    model_config = SettingsConfigDict(env_prefix="VISKA_", frozen=True)

    ingestion_url: SecretStr = SecretStr("")
    nous_url: SecretStr = SecretStr("")
    plutus_url: SecretStr = SecretStr("")
    mastra_url: SecretStr = SecretStr("")
    governance_url: SecretStr = SecretStr("")
    hades_url: SecretStr = SecretStr("")

    def url_of(self, writer: str) -> str:
        """The writer's address, or an empty string."""
        named: SecretStr = getattr(self, f"{writer}_url")
        return named.get_secret_value().replace("postgres://", "postgresql://", 1)
