"""The two tiers, the gate between them, lint and parity: schemas, tables and roles."""

from pathlib import Path

from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Creates the schemas from the SQL beside this module."""
    op.execute(Path(__file__).with_name("r0001_two_tiers.sql").read_text(encoding="utf-8"))
