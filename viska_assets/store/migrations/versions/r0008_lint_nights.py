"""What lint remembers of every night: counts by rule, the state of pages, and pages that it withholds."""

from pathlib import Path

from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Runs the statements in one transaction."""
    op.execute(Path(__file__).with_name("r0008_lint_nights.sql").read_text(encoding="utf-8"))
