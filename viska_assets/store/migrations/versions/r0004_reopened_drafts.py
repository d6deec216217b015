"""What is judged again, moved between issuers or edited by people: marks, every verdict, and trails."""

from alembic import op

revision = "0004"
down_revision = "0002"

STATEMENTS = (
    "ALTER TABLE registry.draft ADD COLUMN reopened boolean NOT NULL DEFAULT false",
    "ALTER TABLE gate.verdict DROP CONSTRAINT verdict_pkey",
    "ALTER TABLE gate.verdict ADD COLUMN verdict_no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
    "CREATE INDEX verdict_draft ON gate.verdict (draft_id, engine)",
    "ALTER TABLE gate.resolution DROP CONSTRAINT resolution_action_check",
    """
    ALTER TABLE gate.resolution ADD CONSTRAINT resolution_action_check
        CHECK (action IN ('resubmitted', 'accepted', 'refused', 'discarded', 'reopened'))
    """,
    """
    CREATE OR REPLACE VIEW gate.open_quarantine AS
    SELECT q.* FROM gate.quarantine q
    WHERE coalesce((
        SELECT r.action FROM gate.resolution r
        WHERE r.quarantine_id = q.quarantine_id AND r.action IN ('accepted', 'discarded', 'reopened')
        ORDER BY r.resolution_id DESC LIMIT 1), 'reopened') = 'reopened'
    """,
    """
    CREATE TABLE registry.alias_change (
        change_no    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        action       text NOT NULL CHECK (action IN ('merge', 'split')),
        from_concept text NOT NULL,
        to_concept   text NOT NULL,
        names        text[] NOT NULL,
        actor        text NOT NULL,
        reason       text NOT NULL CHECK (reason <> ''),
        recorded_at  timestamptz NOT NULL DEFAULT now()
    )
    """,
    """
    CREATE TABLE registry.human_edit (
        edit_no    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        concept_id text NOT NULL,
        base       text NOT NULL,
        edited     text NOT NULL,
        author     text NOT NULL,
        met_at     timestamptz NOT NULL,
        status     text NOT NULL CHECK (status IN ('kept', 'refused')),
        codes      text[] NOT NULL DEFAULT '{}'
    )
    """,
    "CREATE UNIQUE INDEX human_edit_once ON registry.human_edit (concept_id, md5(base), md5(edited))",
    """
    CREATE TRIGGER human_edit_is_a_trail BEFORE UPDATE OR DELETE ON registry.human_edit
        FOR EACH ROW EXECUTE FUNCTION gate.refuse_change()
    """,
    """
    CREATE TRIGGER alias_change_is_a_trail BEFORE UPDATE OR DELETE ON registry.alias_change
        FOR EACH ROW EXECUTE FUNCTION gate.refuse_change()
    """,
)


def upgrade() -> None:
    """Runs the statements in one transaction."""
    for statement in STATEMENTS:
        op.execute(statement)
