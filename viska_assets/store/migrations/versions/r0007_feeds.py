"""Feeds and mail: what each mail's authentication rests on, the last check of each feed, incidents by kind."""

from alembic import op

revision = "0007"
down_revision = "0006"

STATEMENTS = (
    """
    CREATE TABLE raw.mail_authentication (
        document_id text PRIMARY KEY REFERENCES raw.document,
        result      text NOT NULL CHECK (result IN ('pass', 'fail', 'none')),
        domain      text NOT NULL,
        reason      text NOT NULL,
        chain       text NOT NULL CHECK (chain IN ('pass', 'fail', 'none', 'ended')),
        policy      text NOT NULL,
        received_at timestamptz NOT NULL,
        dns         jsonb NOT NULL,
        recorded_at timestamptz NOT NULL DEFAULT now()
    )
    """,
    """
    CREATE TABLE raw.feed_check (
        feed       text PRIMARY KEY,
        kind       text NOT NULL,
        state      text NOT NULL CHECK (state IN ('ok', 'paused', 'failing')),
        detail     text NOT NULL,
        failures   integer NOT NULL DEFAULT 0,
        checked_at timestamptz NOT NULL
    )
    """,
    """
    CREATE VIEW raw.incident_count AS
    SELECT kind, count(*) AS incidents, count(DISTINCT document_id) AS documents,
        min(recorded_at) AS first_at, max(recorded_at) AS last_at
    FROM raw.incident GROUP BY kind
    """,
    "CREATE INDEX delivery_feed ON raw.delivery (feed, path)",
    # The roles of r0002, where they are.
    """
    DO $$
    DECLARE
        role record;
    BEGIN
        FOR role IN SELECT rolname FROM pg_roles
            WHERE rolname IN ('viska_reader', 'viska_ingestion', 'viska_maintainer', 'viska_operator') LOOP
            EXECUTE format('GRANT SELECT ON raw.mail_authentication, raw.feed_check, raw.incident_count TO %I',
                role.rolname);
        END LOOP;
        IF EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'viska_ingestion') THEN
            GRANT INSERT, UPDATE ON raw.mail_authentication, raw.feed_check TO viska_ingestion;
        END IF;
    END $$
    """,
)


def upgrade() -> None:
    """Runs the statements in one transaction."""
    for statement in STATEMENTS:
        op.execute(statement)
