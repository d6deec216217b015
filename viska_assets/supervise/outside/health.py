"""Whether the outside is there, looked at by plutus: an outage is an incident, and reports are written on."""

from collections.abc import Callable

from viska_assets.store.database import Database
from viska_assets.store.supervised.incidents import IncidentKind, Severity, add_incident, add_metric
from viska_assets.store.supervised.metric_rows import latest
from viska_assets.supervise.outside.slack_api import Slack, SlackAway

UP = "slack_up"


def check_outside(database: Database, slack: Slack, tell: Callable[[str], object] = lambda _: None) -> str:
    """Asks Slack, records a change, and returns what is wrong, or an empty string.

    Args:
        database: plutus's.
        slack: the workspace.
        tell: is given one line where an outage began: Slack cannot be the one to say so.
    """
    said = ""
    try:
        slack.check()
    except SlackAway as error:
        said = str(error) or "no answer"
    with database.transaction() as connection:
        last = latest(connection, UP)
        if last is not None and bool(last.value) is not bool(said):
            return said
        episode = last.at.isoformat() if last else "first"
        add_metric(connection, UP, 0.0 if said else 1.0, {"said": said}, key=f"{UP}:{episode}:{bool(said)}")
        if said and add_incident(
            connection,
            IncidentKind.MASTRA_OUTAGE,
            Severity.HIGH,
            detector="plutus:healthcheck",
            detail=f"Slack does not answer: {said}",
            evidence={"said": said},
            key=f"mastra_outage:{episode}",
        ):
            tell("mastra_outage: Slack does not answer")
    return said
