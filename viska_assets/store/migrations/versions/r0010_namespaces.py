"""Namespaces: the desk's documents, public vaults and private ones, which the database shows only to a logged scope."""

from pathlib import Path

from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Runs the statements in one transaction."""
    op.execute(Path(__file__).with_suffix(".sql").read_text(encoding="utf-8"))
