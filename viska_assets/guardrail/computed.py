"""P2 for a computed figure: operands resolved to single cited numbers, recomputed, compared with the page."""

from decimal import Decimal

from viska_assets.guardrail.binding import Binder, Bound, distinct_values
from viska_assets.guardrail.codes import Code
from viska_assets.guardrail.derivations import Amount, DerivationError, amount_of, dimension_of, evaluate
from viska_assets.guardrail.grounding import QUANTITIES
from viska_assets.model.evidence import Bound as BoundWord
from viska_assets.model.evidence import Evidence, Unit
from viska_assets.model.page import Computation
from viska_assets.text.quantities import Quantity, Role

_DEPTH = 3


def check_computation(figure: Quantity, bound: Bound, binder: Binder) -> tuple[Code | None, str, tuple[Code, ...]]:
    """The code of what is wrong with a computed figure (None if nothing), its detail, and warnings."""
    computation = bound.entry.computation
    if computation is None:
        return Code.DERIVED_NO_RECORD, "the citation is no computation", ()
    try:
        result, operands = _evaluate(computation, binder, _DEPTH)
    except DerivationError as error:
        return Code.DERIVED_INVALID, str(error), ()
    return _compare(figure, result, operands)


def _evaluate(computation: Computation, binder: Binder, depth: int) -> tuple[Amount, list[Evidence]]:
    if not depth:
        raise DerivationError("computations are nested too deeply")
    amounts: dict[str, Amount] = {}
    used: list[Evidence] = []
    for name, source_id in computation.operands.items():
        bound = binder.bind(source_id)
        if bound is None:
            raise DerivationError(f"operand {name} cites {source_id}, which is no source of the page")
        if bound.entry.computation is not None:
            amounts[name], inner = _evaluate(bound.entry.computation, binder, depth - 1)
            used += inner
            continue
        evidence = operand_evidence(bound, name)
        amounts[name] = amount_of(evidence.value, evidence.quantum, evidence.unit, evidence.currency)
        used.append(evidence)
    return evaluate(computation.expression, amounts), used


def operand_evidence(bound: Bound, name: str) -> Evidence:
    """The one number that an operand cites.

    Raises:
        DerivationError: The citation does not resolve, or names none or several numbers.
    """
    if bound.code is not None:
        raise DerivationError(f"operand {name}: {bound.detail or bound.code}")
    candidates = [e for e in bound.evidence if e.unit in QUANTITIES]
    if len(candidates) > 1 and bound.entry.excerpt:
        wanted = _digits(bound.entry.excerpt)
        candidates = [e for e in candidates if _digits(e.printed) == wanted]
    if bound.bare or not candidates or distinct_values(candidates) != 1:
        raise DerivationError(
            f"operand {name} names {len(candidates)} numbers; give it a cell or quote locator and its excerpt"
        )
    return candidates[0]


def _digits(text: str) -> str:
    return "".join(char for char in text if char.isdigit() or char in ".,")


def _compare(figure: Quantity, result: Amount, operands: list[Evidence]) -> tuple[Code | None, str, tuple[Code, ...]]:
    money, shares = dimension_of(figure.unit)
    bare = figure.unit is Unit.COUNT and not figure.noun
    plain = all(e.unit in (Unit.COUNT, Unit.PERCENT, Unit.RATIO) for e in operands)
    eps = (result.money, result.shares) == (1, -1) and figure.unit is Unit.MONEY
    if (result.money, result.shares) != (money, shares) and not (bare or eps or (plain and money)):
        return Code.DERIVED_MISMATCH, "the computation gives another kind of amount than the figure", ()
    if figure.currency and result.currency and figure.currency != result.currency:
        return Code.CCY_MISMATCH, f"{figure.currency} against {result.currency}", ()
    value = result.value * 100 if _is_points(figure, operands) else result.value
    target = figure.value if figure.sign < 0 or not figure.direction else abs(figure.value) * figure.direction
    half = _tolerance(figure)
    if abs(value - target) <= half:
        return None, "", ()
    if abs(value + target) <= half:
        return Code.SIGN_FLIP, f"the computation gives {_short(value)}", ()
    factor = Decimal(100) if _is_points(figure, operands) else Decimal(1)
    if not result.additive and result.low * factor - half <= target <= result.high * factor + half:
        return None, "", (Code.ROUNDING_SPREAD,)
    return Code.DERIVED_MISMATCH, f"the computation gives {_short(value)}", ()


def _is_points(figure: Quantity, operands: list[Evidence]) -> bool:
    """Basis points out of percents or points need a factor of a hundred."""
    percents = (Unit.PERCENT, Unit.PERCENTAGE_POINT)
    return figure.unit is Unit.BASIS_POINT and bool(operands) and all(e.unit in percents for e in operands)


def _tolerance(figure: Quantity) -> Decimal:
    if figure.role is Role.MULTIPLIER:
        return abs(figure.value) / 40  # "doubled" holds from 1.95 to 2.05
    if figure.role is Role.FRACTION:
        return Decimal("0.005")
    wide = figure.bound in (BoundWord.APPROXIMATE, BoundWord.OVER, BoundWord.NEAR_BELOW, BoundWord.UNDER)
    return (figure.rough_quantum if wide else figure.quantum) / 2


def _short(value: Decimal) -> str:
    return format(value.quantize(Decimal("0.0001")).normalize(), "f")
