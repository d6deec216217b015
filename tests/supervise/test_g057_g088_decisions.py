"""G057, G058, G080, G081, G086-G088: what the daemon decides over measures; the same measures, the same actions."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viska_assets.store.policy_governance import GovernanceSection
from viska_assets.store.supervised.flags import Flag
from viska_assets.store.supervised.incidents import IncidentKind
from viska_assets.store.supervised.matrix import Writer
from viska_assets.store.supervised.measures import Disabled, FlagWord, Measures, OpenTrace, Scrubbed, Waiting
from viska_assets.supervise.governance.actions import ON_ITS_WORD, Action, Cancel, Pause, Tell, Throttle
from viska_assets.supervise.governance.deciding import decide

AT = datetime(2026, 3, 2, 12, tzinfo=UTC)
POLICY = GovernanceSection()
ON = FlagWord(True, AT - timedelta(days=1), 1, "migration", "new")
CALM = Measures(
    at=AT,
    judged_since=AT - timedelta(hours=1),
    flags={flag: ON for flag in Flag if flag is not Flag.NOUS_RATE_LIMIT}
    | {Flag.NOUS_RATE_LIMIT: replace(ON, value=False)},
)


def lowered(flag: Flag, by: str = ON_ITS_WORD) -> Measures:
    return replace(CALM, flags=dict(CALM.flags) | {flag: FlagWord(False, AT, 9, by, "why")})


def slowed(depth: int, *earlier: int) -> Measures:
    flags = dict(CALM.flags) | {Flag.NOUS_RATE_LIMIT: ON}
    return replace(CALM, flags=flags, pending=Waiting(depth, 1, 5.0, 5.0), depths=earlier)


def verdicts(rejected: int, approved: int) -> Measures:
    return replace(CALM, approved=approved, rejections=tuple(range(1, rejected + 1)))


def kinds(actions: tuple[Action, ...]) -> list[IncidentKind]:
    return [action.kind for action in actions if isinstance(action, Tell)]


def pauses(actions: tuple[Action, ...]) -> list[Writer]:
    return [action.writer for action in actions if isinstance(action, Pause)]


def test_where_nothing_is_amiss_nothing_is_done() -> None:
    assert decide(CALM, POLICY) == ()


@pytest.mark.parametrize(("rejected", "is_paused"), [(20, False), (21, True)])
def test_g057_more_rejections_than_are_borne_pause_nous_once(rejected: int, is_paused: bool) -> None:
    actions = decide(verdicts(rejected, 100), POLICY)
    assert pauses(actions) == ([Writer.NOUS] if is_paused else [])
    assert kinds(actions) == ([IncidentKind.PAUSED] if is_paused else [])
    again = replace(verdicts(rejected, 100), flags=lowered(Flag.NOUS_ACTIVE).flags)
    assert decide(again, POLICY) == ()


@pytest.mark.parametrize(
    ("rejected", "approved", "is_told"),
    [(1, 0, False), (9, 0, False), (10, 0, True), (6, 5, True), (5, 5, False), (5, 6, False)],
)
def test_g080_a_rate_needs_enough_verdicts_and_is_told_without_a_pause(
    rejected: int, approved: int, is_told: bool
) -> None:
    actions = decide(verdicts(rejected, approved), POLICY)
    assert kinds(actions) == ([IncidentKind.GIBBERISH] if is_told else [])
    assert not pauses(actions)
    told = replace(verdicts(rejected, approved), told={"governance:rejection_rate": AT - timedelta(minutes=5)})
    assert decide(told, POLICY) == ()


def test_g086_three_scrubbed_candidates_of_one_source_pause_nous() -> None:
    two_each = replace(CALM, scrubbed=(Scrubbed("a.org", (1, 2)), Scrubbed("b.org", (3, 4))))
    assert decide(two_each, POLICY) == ()
    three = replace(CALM, scrubbed=(Scrubbed("a.org", (1, 2)), Scrubbed("b.org", (3, 4, 5))))
    actions = decide(three, POLICY)
    assert pauses(actions) == [Writer.NOUS]
    told = next(action for action in actions if isinstance(action, Tell))
    assert told.kind is IncidentKind.INJECTION
    assert told.evidence == {"source_domain": "b.org", "artifacts": [3, 4, 5]}


def test_g086_sources_without_a_name_count_as_one() -> None:
    assert pauses(decide(replace(CALM, scrubbed=(Scrubbed("", (1, 2, 3)),)), POLICY)) == [Writer.NOUS]


def test_two_reasons_pause_a_writer_once() -> None:
    both = replace(verdicts(30, 0), scrubbed=(Scrubbed("a.org", (1, 2, 3)),))
    assert pauses(decide(both, POLICY)) == [Writer.NOUS]


@pytest.mark.parametrize(("depth", "is_slowed"), [(50, False), (51, True)])
def test_g087_a_deep_queue_slows_nous_and_is_told_once(depth: int, is_slowed: bool) -> None:
    actions = decide(replace(CALM, pending=Waiting(depth, 1, 5.0, 5.0)), POLICY)
    assert [action.on for action in actions if isinstance(action, Throttle)] == ([True] if is_slowed else [])
    assert kinds(actions) == ([IncidentKind.QUEUE_BACKUP] if is_slowed else [])
    assert decide(slowed(depth), POLICY) == ()


@pytest.mark.parametrize(
    ("depths", "is_let_go"),
    [((24, 24, 24), True), ((24, 24), False), ((25, 24, 24), False), ((24, 24, 25), False), ((24, 24, 24, 60), True)],
)
def test_g058_nous_is_let_go_after_three_cycles_below_half(depths: tuple[int, ...], is_let_go: bool) -> None:
    actions = decide(slowed(*depths), POLICY)
    assert [action.on for action in actions if isinstance(action, Throttle)] == ([False] if is_let_go else [])


@given(st.lists(st.integers(0, 120), min_size=1, max_size=60))
def test_g058_the_flag_never_flutters(depths: list[int]) -> None:
    """Between any two changes of the flag lie the calm cycles, and it is only changed for a reason."""
    is_on, changed, seen = False, -10, list[int]()
    for cycle, depth in enumerate(depths):
        base = slowed(depth, *reversed(seen)) if is_on else replace(CALM, pending=Waiting(depth, 1, 5.0, 5.0))
        change = [action.on for action in decide(base, POLICY) if isinstance(action, Throttle)]
        if change == [True]:
            assert depth > POLICY.queue_threshold
            is_on, changed = True, cycle
        elif change == [False]:
            assert cycle - changed >= POLICY.calm_cycles
            assert all(2 * value < POLICY.queue_threshold for value in [*seen, depth][-POLICY.calm_cycles :])
            is_on, changed = False, cycle
        seen.append(depth)


def test_g081_a_trace_that_never_ends_has_its_run_cancelled() -> None:
    endless = replace(CALM, open_traces=(OpenTrace(1, 7, 899.0), OpenTrace(2, 8, 901.0), OpenTrace(3, None, 901.0)))
    actions = decide(endless, POLICY)
    assert [action.queue_id for action in actions if isinstance(action, Cancel)] == [8]
    assert [dict(action.evidence) for action in actions if isinstance(action, Tell)] == [
        {"trace_id": 2, "queue_id": 8},
        {"trace_id": 3, "queue_id": None},
    ]


def test_g088_every_drifted_trace_is_told() -> None:
    actions = decide(replace(CALM, drifted=(4, 5)), POLICY)
    assert kinds(actions) == [IncidentKind.MODEL_DRIFT] * 2
    assert not pauses(actions)


def test_a_broken_chain_pauses_all_but_the_one_who_tells() -> None:
    actions = decide(replace(CALM, chain_faults=("link 3: it does not follow the link before it",)), POLICY)
    assert pauses(actions) == [Writer.INGESTION, Writer.NOUS, Writer.PLUTUS]
    assert kinds(actions) == [IncidentKind.AUDIT_CHAIN_BROKEN]


@pytest.mark.parametrize(
    ("waiting", "is_silent"),
    [
        (Waiting(1, 5, 7300.0, 7300.0), True),
        (Waiting(1, 5, 7300.0, float("inf")), True),
        (Waiting(1, 5, 7300.0, 60.0), False),
        (Waiting(1, 5, 60.0, 7300.0), False),
        (Waiting(0, 0, 0.0, float("inf")), False),
    ],
)
def test_silence_is_work_that_waits_for_a_writer_who_does_none(waiting: Waiting, is_silent: bool) -> None:
    for measures, flag in (
        (replace(CALM, pending=waiting), Flag.PLUTUS_ACTIVE),
        (replace(CALM, runs=waiting), Flag.NOUS_ACTIVE),
    ):
        assert kinds(decide(measures, POLICY)) == ([IncidentKind.SILENCE] if is_silent else [])
        assert decide(replace(measures, flags=lowered(flag).flags), POLICY) == ()


def test_messages_that_slack_does_not_have_are_an_outage() -> None:
    late = replace(CALM, messages=Waiting(2, 3, 301.0, 60.0))
    assert kinds(decide(late, POLICY)) == [IncidentKind.MASTRA_OUTAGE]
    assert decide(replace(late, messages=Waiting(2, 3, 299.0, 60.0)), POLICY) == ()


def test_what_waits_in_the_spool_is_told() -> None:
    assert kinds(decide(replace(CALM, spool=2, oldest_spooled="f"), POLICY)) == [IncidentKind.WRITE_FAILURE]


def test_a_pause_by_an_operator_and_a_disabled_role_are_told() -> None:
    actions = decide(lowered(Flag.NOUS_ACTIVE, "human:anna"), POLICY)
    assert kinds(actions) == [IncidentKind.PAUSED]
    assert kinds(decide(replace(CALM, disabled=(Disabled(Writer.NOUS, 4),)), POLICY)) == [IncidentKind.KILLED]
