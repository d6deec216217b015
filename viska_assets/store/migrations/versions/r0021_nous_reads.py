"""What nous reads of a figure and a document: the evidence whole, and the domain that a mail was signed by."""

from alembic import op

revision = "0021"
down_revision = "0020"

STATEMENTS = (
    """
    CREATE OR REPLACE VIEW nous.document WITH (security_barrier = true) AS
    SELECT d.document_id, d.name, d.media_type, d.entity, d.authentication, d.known_at, t.text, t.text_sha256,
        coalesce(m.domain, '') AS source_domain, d.entity_names
    FROM raw.document d JOIN retrieval.document_text t USING (document_id)
    LEFT JOIN raw.mail_authentication m USING (document_id)
    WHERE d.status = 'ingested' AND NOT d.withdrawn AND d.namespace = 'default'
    """,
    """
    CREATE OR REPLACE VIEW nous.evidence WITH (security_barrier = true) AS
    SELECT e.chunk_id, c.document_id, e.start_char, e.end_char, e.value, e.unit, e.concept, e.period_start,
        e.period_end, c.entity, c.known_at, e.record
    FROM retrieval.evidence e JOIN nous.chunk c USING (chunk_id)
    """,
    """
    CREATE FUNCTION nous.is_run_waiting() RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
        SELECT EXISTS (SELECT 1 FROM nous.run_queue w WHERE w.status = 'waiting' AND w.not_before <= clock_timestamp())
            OR EXISTS (SELECT 1 FROM raw.flagged_document f WHERE NOT EXISTS (
                SELECT 1 FROM nous.run_queue q WHERE q.request_key = 'flagged:' || f.document_id))
    $$
    """,
    "REVOKE ALL ON FUNCTION nous.is_run_waiting() FROM PUBLIC",
)


def upgrade() -> None:
    """Runs the statements in one transaction."""
    for statement in STATEMENTS:
        op.execute(statement)
