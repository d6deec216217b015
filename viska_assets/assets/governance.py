"""What operators see of the supervised loop: incidents, measures, who may write and log in, and what left for Slack."""

import dagster as dg

from resources.home import HomeResource
from viska_assets.assets.governance_picture import draw_governance
from viska_assets.assets.previews import table
from viska_assets.assets.retrieval import OWNERS
from viska_assets.store.supervised.flags import flags, writer_states
from viska_assets.store.supervised.incident_rows import COLUMNS, incident_counts, newest_incidents
from viska_assets.store.supervised.measures import DEPTH, resume_requests
from viska_assets.store.supervised.metric_rows import latest, names, series
from viska_assets.store.supervised.outbox_rows import newest_letters

SUPERVISED, OUTSIDE, CREDENTIALS = "boundary_b_supervised", "boundary_c_outside", "boundary_d_credentials"


@dg.asset(group_name=SUPERVISED, kinds={"postgres"}, owners=OWNERS, code_version="1")
def incidents(home: HomeResource) -> dg.MaterializeResult:
    """What went wrong in the supervised loop: kind, who noticed it, and the rows that show it."""
    with home.open().database.transaction() as connection:
        found, counts = newest_incidents(connection), incident_counts(connection)
    return dg.MaterializeResult(
        metadata={
            "dagster/row_count": sum(counts.values()),
            "newest": table(found, COLUMNS),
            **{f"of kind {kind}": count for kind, count in counts.items()},
        }
    )


@dg.asset(group_name=SUPERVISED, kinds={"postgres"}, owners=OWNERS, code_version="1")
def governance_metrics(home: HomeResource) -> dg.MaterializeResult:
    """What the daemon measured last, the flags, what waits for an operator; depth and rejections as a picture."""
    opened = home.open()
    section = opened.policy.governance
    with opened.database.transaction() as connection:
        found = [one for name in names(connection) if (one := latest(connection, name))]
        depths, rates = series(connection, DEPTH), series(connection, "rejection_rate")
        standing, asked = flags(connection), resume_requests(connection)
    picture = draw_governance(depths, rates, section.queue_threshold, section.gibberish_rate)
    return dg.MaterializeResult(
        metadata={
            "dagster/row_count": len(found),
            "measures": table(
                [{"name": one.name, "value": f"{one.value:g}", "at": one.at.isoformat()} for one in found],
                ("name", "value", "at"),
            ),
            "flags": table(
                [
                    {"flag": s.flag.value, "value": str(s.value).lower(), "by": s.requested_by, "why": s.reason}
                    for s in standing
                ],
                ("flag", "value", "by", "why"),
            ),
            "resume_requests": table(asked, ("request_id", "flag", "requested_by", "reason", "at")),
            "queue_depth": depths[-1].value if depths else 0.0,
            "picture": dg.MetadataValue.md(picture),
        }
    )


@dg.asset(group_name=CREDENTIALS, kinds={"postgres"}, owners=OWNERS, code_version="1")
def writer_credentials(home: HomeResource) -> dg.MaterializeResult:
    """Each writer's role: whether it may log in, how many sessions it has, and whether its flag lets it write."""
    with home.open().database.transaction() as connection:
        found = writer_states(connection)
    rows = [
        {
            "writer": one.writer.value,
            "role": one.role,
            "may log in": "yes" if one.can_log_in else "no",
            "sessions": one.sessions,
            "may write": {True: "yes", False: "no", None: "has no flag"}[one.active],
        }
        for one in found
    ]
    return dg.MaterializeResult(
        metadata={
            "dagster/row_count": len(rows),
            "disabled": sum(not one.can_log_in for one in found),
            "writers": table(rows, ("writer", "role", "may log in", "sessions", "may write")),
        }
    )


@dg.asset(group_name=OUTSIDE, kinds={"postgres", "slack"}, owners=OWNERS, code_version="1")
def slack_messages(home: HomeResource) -> dg.MaterializeResult:
    """What was made of approved rows, digests and grave incidents for Slack, and what became of each message."""
    with home.open().database.transaction() as connection:
        found = newest_letters(connection)
    return dg.MaterializeResult(
        metadata={
            "dagster/row_count": len(found),
            "undelivered": sum(not one["delivered"] for one in found),
            "newest": table(found, ("outbox_id", "at", "message", "severity", "last")),
        }
    )
