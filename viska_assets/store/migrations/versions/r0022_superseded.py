"""The superseded claims of a chunk are found without reading all claims."""

from alembic import op

revision = "0022"
down_revision = "0021"


def upgrade() -> None:
    """Adds the index; it holds superseded claims alone, which are few."""
    op.execute(
        "CREATE INDEX claim_superseded ON registry.claim (chunk_id) "
        "WHERE live AND claim ->> 'superseded_by' IS NOT NULL"
    )
