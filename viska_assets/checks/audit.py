"""Whether the audit chain is what it was: recomputed, and held against every head that the bundle and Dagster keep."""

import dagster as dg

from resources.home import HomeResource
from viska_assets.store.database import Database
from viska_assets.store.supervised.anchors import Anchor, anchors_in_bundle
from viska_assets.store.supervised.incidents import IncidentKind, Severity, add_incident
from viska_assets.supervise.auditing import ChainReport, verify

ASSET = "audit_chain"
REMEMBERED = 200
COLUMNS = dg.TableSchema([dg.TableColumn("fault"), dg.TableColumn("place"), dg.TableColumn("what is wrong")])


@dg.asset_check(asset=ASSET)
def audit_chain_intact(context: dg.AssetCheckExecutionContext, home: HomeResource) -> dg.AssetCheckResult:
    """No entry was edited, removed or put in, no end cut off, no chain made anew, no audited row changed."""
    opened = home.open()
    anchors = [*anchors_in_bundle(opened.bundle), *anchors_in_instance(context.instance)]
    report = verify(opened.database, anchors)
    if report.broken:
        tell_of(opened.database, report)
    return dg.AssetCheckResult(
        passed=report.is_intact,
        severity=dg.AssetCheckSeverity.ERROR,
        description=f"{len(report.broken)} faults in {report.links} links" if report.broken else "intact",
        metadata={
            "links": report.links,
            "entries_waiting": report.waiting,
            "heads_compared": report.anchors,
            "faults": len(report.broken),
            "table": dg.MetadataValue.table(
                [
                    dg.TableRecord({"fault": one.fault.value, "place": one.place, "what is wrong": one.detail})
                    for one in report.broken
                ],
                COLUMNS,
            ),
        },
    )


def tell_of(database: Database, report: ChainReport) -> None:
    """Adds an incident for the first fault, once; the governance daemon then pauses the writers."""
    first = report.broken[0]
    with database.transaction() as connection:
        add_incident(
            connection,
            IncidentKind.AUDIT_CHAIN_BROKEN,
            Severity.HIGH,
            detector="check:audit_chain_intact",
            detail=f"{len(report.broken)} faults; the first: {first.place}: {first.detail}",
            evidence={"fault": first.fault.value, "place": first.place, "faults": len(report.broken)},
            key=f"audit_chain_broken:check:{first.place}:{first.detail}",
        )


def anchors_in_instance(instance: dg.DagsterInstance) -> list[Anchor]:
    """The heads that earlier materializations remember."""
    found = []
    for record in instance.fetch_materializations(dg.AssetKey(ASSET), limit=REMEMBERED).records:
        materialization = record.asset_materialization
        metadata = materialization.metadata if materialization else {}
        seq, hash_ = metadata.get("head_seq"), metadata.get("head_hash")
        if isinstance(seq, dg.IntMetadataValue) and isinstance(hash_, dg.TextMetadataValue) and seq.value:
            found.append(Anchor(seq.value, hash_.value or "", f"run {record.run_id[:8]}"))
    return found
