"""Every call of the LLM drafter with its cost, only ever added; and what a drafter found wrong with its own draft."""

from alembic import op

revision = "0006"
down_revision = "0005"

STATEMENTS = (
    "ALTER TABLE registry.draft ADD COLUMN findings jsonb NOT NULL DEFAULT '[]'",
    """
    CREATE TABLE registry.llm_call (
        call_no           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        document_id       text NOT NULL REFERENCES raw.document,
        drafter           text NOT NULL,
        model             text NOT NULL,
        attempt           integer NOT NULL CHECK (attempt >= 1),
        outcome           text NOT NULL,
        detail            text NOT NULL DEFAULT '',
        requests          integer NOT NULL CHECK (requests >= 0),
        prompt_tokens     integer NOT NULL CHECK (prompt_tokens >= 0),
        completion_tokens integer NOT NULL CHECK (completion_tokens >= 0),
        cost              numeric NOT NULL CHECK (cost >= 0),
        answer            text NOT NULL DEFAULT '',
        recorded_at       timestamptz NOT NULL DEFAULT now()
    )
    """,
    "CREATE INDEX llm_call_document ON registry.llm_call (document_id)",
    """
    CREATE TRIGGER llm_call_is_a_trail BEFORE UPDATE OR DELETE ON registry.llm_call
        FOR EACH ROW EXECUTE FUNCTION gate.refuse_change()
    """,
    """
    DO $$
    BEGIN
        IF EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'viska_maintainer') THEN
            GRANT INSERT, SELECT ON registry.llm_call TO viska_maintainer;
        END IF;
        IF EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'viska_reader') THEN
            GRANT SELECT ON registry.llm_call TO viska_reader;
        END IF;
    END $$
    """,
)


def upgrade() -> None:
    """Runs the statements in one transaction."""
    for statement in STATEMENTS:
        op.execute(statement)
