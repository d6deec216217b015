"""Alembic's entry: runs the revisions on the connection that ``store.migrate`` hands over."""

from alembic import context

connection = context.config.attributes["connection"]
context.configure(connection=connection, version_table="schema_version", version_table_schema="public")
with context.begin_transaction():
    context.run_migrations()
