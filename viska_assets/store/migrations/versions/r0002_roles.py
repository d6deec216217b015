"""The writers' roles and what each may do; skipped with a log line where the login may not create roles."""

import logging
from pathlib import Path

from alembic import op
from sqlalchemy import text

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Creates the roles and grants, or says that an administrator has to."""
    may_create = op.get_bind().execute(
        text("SELECT rolcreaterole OR rolsuper FROM pg_roles WHERE rolname = current_user")
    )
    if not may_create.scalar():
        logging.getLogger(__name__).warning("this login may not create roles: run r0002_roles.sql as an administrator")
        return
    op.execute(Path(__file__).with_name("r0002_roles.sql").read_text(encoding="utf-8"))
