"""A cycle of the governance daemon with what it has to tell by another way than the database and Slack."""

from collections.abc import Callable

from viska_assets.store.database import Database
from viska_assets.store.policy import load_policy
from viska_assets.store.settings import Settings
from viska_assets.store.supervised.incident_rows import incident_number
from viska_assets.store.supervised.incidents import IncidentKind, Severity, op_id
from viska_assets.store.supervised.roles import roles_of
from viska_assets.supervise.governance.cycle import Cycle, GovernanceError, guarded_cycle
from viska_assets.supervise.outside.ntfy import send_word

# What Slack cannot be relied on for.
BY_ANOTHER_WAY = frozenset(
    {
        IncidentKind.MASTRA_OUTAGE,
        IncidentKind.WRITE_FAILURE,
        IncidentKind.AUDIT_CHAIN_BROKEN,
        IncidentKind.DAEMON_FAILURE,
    }
)


def watch(settings: Settings, owner: Database, open_governance: Callable[[], Database]) -> Cycle | None:
    """Runs a cycle; None where no writer's role is applied, so that there is no loop to govern.

    Args:
        settings: where policy, spool and ntfy are.
        owner: the database's owner.
        open_governance: gives governance's database.

    Raises:
        GovernanceError: the daemon could not judge, and paused the writers.
        psycopg.OperationalError: the database is away.
    """
    with owner.transaction() as connection:
        if not roles_of(connection):
            return None
    try:
        cycle = guarded_cycle(open_governance, lambda: load_policy(settings), owner, settings.spool_path)
    except GovernanceError:
        send_word(settings.outside, "daemon_failure: the writers were paused")
        raise
    told = [one for one in cycle.incidents if one.severity is Severity.HIGH]
    if settings.outside.is_slack_set or not settings.outside.ntfy_url:
        told = [one for one in told if one.kind in BY_ANOTHER_WAY]
    with owner.transaction() as connection:
        lines = [f"incident {incident_number(connection, op_id(one.key))}: {one.kind.value}" for one in told]
    for line in lines:
        send_word(settings.outside, line)
    return cycle
