"""Governance's tables, the audit trail, and the functions between writers and rows."""

from pathlib import Path

from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    """Runs the statements in one transaction."""
    op.execute(Path(__file__).with_name("r0012_governance.sql").read_text(encoding="utf-8"))
