"""What every section of the desk's policy is."""

from pydantic import BaseModel, ConfigDict


class Section(BaseModel):
    """A part of the policy: immutable, and refusing keys it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid")
