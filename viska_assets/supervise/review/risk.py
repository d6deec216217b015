"""Risk: the desk's limits on weights, leverage, drawdown, liquidity and class. Arithmetic, never a model's word."""

from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any

from viska_assets.store.policy_loop import RiskSection
from viska_assets.store.supervised.incidents import IncidentKind
from viska_assets.store.supervised.review_rows import Artifact
from viska_assets.store.supervised.verdicts import ArtifactKind, Cause, CheckName
from viska_assets.supervise.review.outcome import CheckOutcome

CLASSES = ("low", "medium", "high")
CONTAMINATED = "the model that wrote the strategy was trained on some of these days"


def check_risk(artifact: Artifact, policy: RiskSection) -> CheckOutcome:
    """The second part of the checklist. A number that a draft owes and does not state counts as a breach."""
    if artifact.kind is ArtifactKind.SIGNAL:
        breaches, refusals = _of_signal(artifact, policy), list[str]()
    else:
        breaches = [*_of_legs(artifact.legs, policy), *_of_draft(artifact, policy)]
        refusals = _of_backtests(artifact)
    faults = [*breaches, *refusals]
    return CheckOutcome(
        CheckName.RISK,
        tuple(faults),
        Cause.RISK if faults else None,
        IncidentKind.RISK_BREACH if breaches else None,
        {"faults": faults},
    )


def needs_waiver(artifact: Artifact) -> bool:
    """Whether a backtest of the draft was refused for nothing but a window that its model may have known."""
    return any(test.contaminated and test.reason == CONTAMINATED for test in artifact.backtests)


def _of_signal(artifact: Artifact, policy: RiskSection) -> list[str]:
    found = []
    concept, days = artifact.rest["concept_id"], artifact.rest["horizon_days"]
    if concept in policy.restricted:
        found.append(f"{concept} is restricted")
    if days is not None and days > policy.longest_horizon_days:
        found.append(f"a horizon of {days} days, at most {policy.longest_horizon_days}")
    legs = artifact.rest["payload"].get("legs", [])
    if legs:
        found += _of_legs(legs if isinstance(legs, list) else [], policy)
    return found


def _of_legs(legs: Sequence[Mapping[str, Any]], policy: RiskSection) -> list[str]:
    found = []
    gross = net = Decimal(0)
    for leg in legs:
        name, weight = leg.get("instrument", "?"), _number(leg.get("weight"))
        if weight is None or weight <= 0:
            found.append(f"{name}: the weight {leg.get('weight')!r} is no share above zero")
            continue
        gross += weight
        net += weight if leg.get("side") == "long" else -weight
        if weight > policy.most_position:
            found.append(f"{name}: a weight of {weight}, at most {policy.most_position}")
        if name in policy.restricted:
            found.append(f"{name} is restricted")
        if "volume_share" in leg:
            share = _number(leg["volume_share"])
            if share is None or not 0 <= share <= policy.most_volume_share:
                found.append(f"{name}: {leg['volume_share']} of a day's volume, at most {policy.most_volume_share}")
    if gross > policy.most_gross:
        found.append(f"gross {gross}, at most {policy.most_gross}")
    if abs(net) > policy.most_net:
        found.append(f"net {net}, at most {policy.most_net} either way")
    return found


def _of_draft(artifact: Artifact, policy: RiskSection) -> list[str]:
    found = []
    stated = artifact.rest["risk"]
    for name, most in (("drawdown", policy.most_drawdown), ("leverage", policy.most_leverage)):
        value = _number(stated.get(name))
        if value is None or value < 0:
            found.append(f"it states no {name}")
        elif value > most:
            found.append(f"{name} {value}, at most {most}")
    for test in artifact.backtests:
        if test.drawdown is not None and abs(test.drawdown) > policy.most_drawdown:
            found.append(f"its backtest falls by {abs(test.drawdown):.3f}, at most {policy.most_drawdown}")
    least = least_class(artifact, policy)
    if CLASSES.index(artifact.rest["risk_class"]) < CLASSES.index(least):
        found.append(f"it calls its risk {artifact.rest['risk_class']}; its legs and drawdown make it {least}")
    return found


def _of_backtests(artifact: Artifact) -> list[str]:
    """Backtests that speak against a draft without a limit being broken: no incident, but no approval either."""
    found = []
    for test in artifact.backtests:
        if test.failed:
            found.append(f"its backtest {test.request_id} could not be run")
        elif test.accepted is False and test.reason != CONTAMINATED:
            found.append(f"its backtest was refused: {test.reason}")
    return found


def least_class(artifact: Artifact, policy: RiskSection) -> str:
    """The lowest risk class that a draft's gross weight and drawdown allow."""
    gross = sum((_number(leg.get("weight")) or Decimal(0) for leg in artifact.legs), Decimal(0))
    drawdown = _number(artifact.rest["risk"].get("drawdown")) or Decimal(0)
    measured = max((Decimal(str(abs(t.drawdown))) for t in artifact.backtests if t.drawdown), default=Decimal(0))
    drawdown = max(drawdown, measured)
    if gross <= policy.low_gross and drawdown <= policy.low_drawdown:
        return "low"
    return "medium" if gross <= policy.medium_gross and drawdown <= policy.medium_drawdown else "high"


def _number(value: object) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = Decimal(str(value))
    except InvalidOperation:
        return None
    return number if number.is_finite() else None
