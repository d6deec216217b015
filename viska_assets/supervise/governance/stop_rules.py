"""Rules over stops: a broken trail stops the writers; who was stopped by others than the daemon is told."""

from collections.abc import Iterator

from viska_assets.store.policy_governance import GovernanceSection
from viska_assets.store.supervised.flags import Flag
from viska_assets.store.supervised.incidents import IncidentKind, Severity
from viska_assets.store.supervised.measures import Measures
from viska_assets.supervise.governance.actions import ON_ITS_WORD, Action, Pause, Tell


def broken_chain(measures: Measures, policy: GovernanceSection) -> Iterator[Action]:
    """Where the audit chain is broken, nothing that writers say can be relied on: they are paused."""
    if not measures.chain_faults and not measures.chain_alarms:
        return
    for writer in policy.pauses_when_blind:
        if measures.is_active(writer):
            yield Pause(writer, "the audit chain is broken")
    if not measures.chain_faults:
        return
    yield Tell(
        IncidentKind.AUDIT_CHAIN_BROKEN,
        Severity.HIGH,
        "governance:audit_chain",
        f"the audit chain is broken: {measures.chain_faults[0]}",
        f"audit_chain_broken:{measures.chain_faults[0]}",
        {"faults": list(measures.chain_faults)},
    )


def stopped_by_others(measures: Measures, _: GovernanceSection) -> Iterator[Action]:
    """A pause that an operator made is told once, with the word on which it was made."""
    for flag, word in measures.flags.items():
        if flag is Flag.NOUS_RATE_LIMIT or word.value or word.requested_by == ON_ITS_WORD:
            continue
        yield Tell(
            IncidentKind.PAUSED,
            Severity.MEDIUM,
            "governance:flags",
            f"{flag.value.removesuffix('_active')} was paused by {word.requested_by}: {word.reason}",
            f"paused:flag:{word.flag_no}",
            {"flag_no": word.flag_no},
        )


def disabled_roles(measures: Measures, _: GovernanceSection) -> Iterator[Action]:
    """A writer whose role was disabled is told once."""
    for found in measures.disabled:
        yield Tell(
            IncidentKind.KILLED,
            Severity.HIGH,
            "governance:roles",
            f"the role of {found.writer.value} may not log in",
            f"killed:{found.writer.value}:{found.entry_id}",
            {"audit_entry": found.entry_id},
        )
