"""BM25 postings in immutable segments, and one table of embeddings for each model."""

from pathlib import Path

from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Builds the new tables, moves what stands in the old ones and drops those."""
    op.execute(Path(__file__).with_name("r0005_segments.sql").read_text(encoding="utf-8"))
