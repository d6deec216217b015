"""The database's history: Alembic revisions, each in plain SQL."""
