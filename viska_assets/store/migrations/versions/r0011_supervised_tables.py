"""The supervised loop's namespaces: candidates, drafts, verdicts, backtests, reports, the queue and Slack."""

from pathlib import Path

from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    """Runs the statements in one transaction."""
    op.execute(Path(__file__).with_name("r0011_supervised_tables.sql").read_text(encoding="utf-8"))
