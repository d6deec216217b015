"""How often the audit trail is sealed and its head kept outside the database."""

import dagster as dg

audit_sealing = dg.ScheduleDefinition(
    name="audit_sealing",
    target=dg.AssetSelection.assets("audit_chain"),
    cron_schedule="*/10 * * * *",
    execution_timezone="UTC",
    default_status=dg.DefaultScheduleStatus.STOPPED,
    description="Seals what the writers did and verifies the chain; turn it on with the supervised loop.",
)
