"""Tries keep their daily returns: without those the overfitting of a family cannot be judged."""

from alembic import op

revision = "0020"
down_revision = "0013"


def upgrade() -> None:
    """Adds the column."""
    op.execute("ALTER TABLE backtests.trial ADD COLUMN returns bytea")
    op.execute(
        "COMMENT ON COLUMN backtests.trial.returns IS "
        "'daily net returns of a completed try, little-endian doubles in the order of the days'"
    )
