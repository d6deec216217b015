"""All rules over one set of measures: the same measures and policy always give the same actions."""

from collections.abc import Callable, Iterator

from viska_assets.store.policy_governance import GovernanceSection
from viska_assets.store.supervised.measures import Measures
from viska_assets.supervise.governance import pace_rules, stop_rules, verdict_rules
from viska_assets.supervise.governance.actions import Action, Pause

Rule = Callable[[Measures, GovernanceSection], Iterator[Action]]


RULES: tuple[Rule, ...] = (
    stop_rules.broken_chain,
    verdict_rules.too_many_rejections,
    verdict_rules.injecting_source,
    verdict_rules.gibberish,
    verdict_rules.drifted_models,
    verdict_rules.runaway_traces,
    verdict_rules.telling_refusals,
    pace_rules.throttle,
    pace_rules.endless_trace,
    pace_rules.silence,
    pace_rules.undelivered,
    pace_rules.spooled,
    stop_rules.stopped_by_others,
    stop_rules.disabled_roles,
)


def decide(measures: Measures, policy: GovernanceSection) -> tuple[Action, ...]:
    """What is to be done; a writer is paused at most once, for the first reason."""
    actions: list[Action] = []
    paused = set()
    for rule in RULES:
        for action in rule(measures, policy):
            if isinstance(action, Pause):
                if action.writer in paused:
                    continue
                paused.add(action.writer)
            actions.append(action)
    return tuple(actions)
