"""Who answers questions of synthesis shape: a trail of flips, each towards synthesis resting on a passing run."""

from pathlib import Path

from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Runs the statements in one transaction."""
    op.execute(Path(__file__).with_name("r0009_parity_gate.sql").read_text(encoding="utf-8"))
