"""Rules of the supervised loop as triggers and functions, and what each of its columns means."""

from pathlib import Path

from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    """Runs the statements in one transaction."""
    for name in ("r0013_supervised_rules.sql", "r0013_supervised_comments.sql"):
        op.execute(Path(__file__).with_name(name).read_text(encoding="utf-8"))
