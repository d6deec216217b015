"""How often the audit trail is sealed and its head kept outside the database."""

import dagster as dg

from resources.home import HomeResource
from viska_assets.store.supervised.audit_rows import waiting
from viska_assets.store.supervised.roles import roles_of


@dg.schedule(
    target=dg.AssetSelection.assets("audit_chain"),
    cron_schedule="*/10 * * * *",
    execution_timezone="UTC",
    default_status=dg.DefaultScheduleStatus.RUNNING,
    description="Seals what the writers did and verifies the chain.",
)
def audit_sealing(home: HomeResource) -> dg.RunRequest | dg.SkipReason:
    """Asks for a seal where anything was written since the last."""
    with home.open().database.transaction() as connection:
        if not roles_of(connection):
            return dg.SkipReason("No writer's role is applied, so there is nobody whose trail is kept.")
        if not waiting(connection):
            return dg.SkipReason("Every entry of the trail is sealed.")
    return dg.RunRequest()
