"""Properties of rounding, bounds, units and derivations over generated numbers."""

from decimal import ROUND_HALF_UP, Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from viska_assets.guardrail.derivations import DerivationError, amount_of, evaluate
from viska_assets.guardrail.matching import Fit, Magnitude, converted, fit, is_scale_slip, units_fit
from viska_assets.model.evidence import Bound, Unit
from viska_assets.text.numerals import find_numerals, last_nonzero_place
from viska_assets.text.quantities import read_quantities

NUMBERS = st.decimals(min_value=Decimal("0.01"), max_value=Decimal("99999999"), places=2)
WHOLE = st.integers(min_value=1, max_value=10**9)


def magnitude(value: Decimal, quantum: Decimal, bound: Bound = Bound.EQUAL) -> Magnitude:
    return Magnitude(value, quantum, max(last_nonzero_place(value), quantum), bound)


@settings(max_examples=300, deadline=None)
@given(NUMBERS, st.integers(min_value=-1, max_value=4))
def test_correct_rounding_grounds(value: Decimal, place: int) -> None:
    quantum = Decimal(1).scaleb(place)
    rounded = (value / quantum).quantize(Decimal(1), ROUND_HALF_UP) * quantum
    assert fit(magnitude(rounded, quantum), magnitude(value, Decimal("0.01"))) is not Fit.NONE


@settings(max_examples=300, deadline=None)
@given(NUMBERS, st.integers(min_value=-1, max_value=4), st.integers(min_value=1, max_value=50))
def test_one_unit_off_never_grounds(value: Decimal, place: int, off: int) -> None:
    quantum = Decimal(1).scaleb(place)
    wrong = (value / quantum).quantize(Decimal(1), ROUND_HALF_UP) * quantum + off * quantum
    if abs(wrong - value) * 2 > quantum:
        assert fit(magnitude(wrong, quantum), magnitude(value, Decimal("0.01"))) is Fit.NONE


@settings(max_examples=200, deadline=None)
@given(WHOLE, st.integers(min_value=1, max_value=5))
def test_coarse_source_never_grounds_a_finer_claim(value: int, place: int) -> None:
    coarse = Decimal(value) * Decimal(10) ** place
    fine = coarse + 1
    assert fit(magnitude(fine, Decimal(1)), magnitude(coarse, Decimal(10) ** place)) is Fit.NONE
    assert fit(magnitude(coarse, Decimal(1)), magnitude(coarse, Decimal(10) ** place)) is Fit.FALSE_PRECISION


@settings(max_examples=200, deadline=None)
@given(WHOLE)
def test_bounds_take_one_side_only(value: int) -> None:
    source, one = Decimal(value), Decimal(1)
    assert fit(magnitude(source - one, one, Bound.OVER), magnitude(source, one)) is not Fit.NONE
    assert fit(magnitude(source + one, one, Bound.OVER), magnitude(source, one)) is Fit.NONE
    assert fit(magnitude(source + one, one, Bound.NEAR_BELOW), magnitude(source, one)) is not Fit.NONE
    assert fit(magnitude(source, one, Bound.AT_LEAST), magnitude(source, one, Bound.RANGE_LOW)) is not Fit.NONE
    assert fit(magnitude(source, one), magnitude(source, one, Bound.RANGE_LOW)) is Fit.NONE


@settings(max_examples=200, deadline=None)
@given(WHOLE, st.sampled_from([3, 6, 9, -3, -6]))
def test_scale_slip_is_recognised_and_never_grounds(value: int, shift: int) -> None:
    source = Decimal(value)
    page = source.scaleb(shift)
    assert is_scale_slip(page, source, Decimal(1).scaleb(shift))
    assert fit(magnitude(page, Decimal(1).scaleb(shift)), magnitude(source, Decimal(1))) is Fit.NONE or (
        shift < 0 and source < 1
    )


@pytest.mark.parametrize("one", list(Unit))
@pytest.mark.parametrize("two", [Unit.PERCENT, Unit.MONEY, Unit.RATIO, Unit.BASIS_POINT])
def test_units_are_disjoint(one: Unit, two: Unit) -> None:
    free = {Unit.PERCENTAGE_POINT, Unit.BASIS_POINT}
    expected = one is two or {one, two} <= free
    assert units_fit(one, two, page_bare=False, source_bare=False, per_share=False, ratio=False) is expected


def test_points_convert_and_percent_does_not() -> None:
    assert converted(Decimal("1.2"), Unit.PERCENTAGE_POINT, Unit.BASIS_POINT) == 120
    assert converted(Decimal(12), Unit.BASIS_POINT, Unit.PERCENTAGE_POINT) == Decimal("0.12")
    assert converted(Decimal(12), Unit.PERCENT, Unit.PERCENTAGE_POINT) is None


@settings(max_examples=300, deadline=None)
@given(st.integers(min_value=0, max_value=10**12), st.integers(min_value=0, max_value=4))
def test_printed_english_numbers_read_back(digits: int, places: int) -> None:
    value = Decimal(digits).scaleb(-places)
    text = f"{value:,.{places}f}"
    (numeral,) = find_numerals(f"sum {text} end")
    assert (numeral.value, numeral.places, numeral.malformed) == (value, places, "")


@settings(max_examples=200, deadline=None)
@given(st.integers(min_value=1000, max_value=10**12), st.integers(min_value=1, max_value=3))
def test_danish_and_english_print_the_same_value(digits: int, places: int) -> None:
    value = Decimal(digits).scaleb(-places)
    english = f"{value:,.{places}f}"
    danish = english.translate(str.maketrans(",.", ".,"))
    assert find_numerals(f"kr {danish}", "da")[0].value == find_numerals(f"sum {english}")[0].value


@settings(max_examples=200, deadline=None)
@given(st.integers(min_value=1, max_value=999), st.sampled_from(["million", "billion", "thousand", "bn", "m"]))
def test_brackets_negate_and_scale_applies(number: int, scale: str) -> None:
    plain, bracketed = (
        next(q for q in read_quantities(t) if q.is_figure)
        for t in (
            f"${number} {scale}" if len(scale) > 2 else f"${number}{scale}",
            f"$({number}) {scale}" if len(scale) > 2 else f"$({number}){scale}",
        )
    )
    assert bracketed.value == -plain.value
    assert plain.value == Decimal(number).scaleb(plain.scale)


@settings(max_examples=300, deadline=None)
@given(st.integers(min_value=-(10**6), max_value=10**6), st.integers(min_value=1, max_value=10**6))
def test_change_recomputes(a: int, b: int) -> None:
    operands = {
        "a": amount_of(Decimal(a), Decimal(1), Unit.MONEY, "USD"),
        "b": amount_of(Decimal(b), Decimal(1), Unit.MONEY, "USD"),
    }
    result = evaluate("(a - b) / b * 100", operands)
    assert abs(result.value - (Decimal(a) - b) / b * 100) < Decimal("1e-15")
    assert result.low <= result.value <= result.high
    assert (result.money, result.shares) == (0, 0)


@pytest.mark.parametrize(
    "expression",
    [
        "a +",
        "a b",
        "(a",
        "a ** b",
        "a / (b - b)",
        "c",
        "a + p",
        "a * b",
        "eval(a)",
        "a.b",
        "",
        "min()",
        "a if b else a",
        "a" * 300,
    ],
)
def test_bad_expressions_fail_closed(expression: str) -> None:
    operands = {
        "a": amount_of(Decimal(2), Decimal(1), Unit.MONEY, "USD"),
        "b": amount_of(Decimal(3), Decimal(1), Unit.MONEY, "USD"),
        "p": amount_of(Decimal(3), Decimal(1), Unit.PER_SHARE, "USD"),
    }
    with pytest.raises(DerivationError):
        evaluate(expression, operands)


def test_functions_and_currencies() -> None:
    a = amount_of(Decimal(2), Decimal(1), Unit.MONEY, "USD")
    b = amount_of(Decimal(4), Decimal(1), Unit.MONEY, "USD")
    assert evaluate("avg(a, b)", {"a": a, "b": b}).value == 3
    assert evaluate("max(a, b) - min(a, b)", {"a": a, "b": b}).value == 2
    assert evaluate("sum(a, b)", {"a": a, "b": b}).additive
    with pytest.raises(DerivationError):
        evaluate("a + b", {"a": a, "b": amount_of(Decimal(4), Decimal(1), Unit.MONEY, "EUR")})


@pytest.mark.parametrize(
    ("page", "page_bound", "source", "source_bound", "expected"),
    [
        ("5.1", Bound.EQUAL, "5.13", Bound.EQUAL, Fit.ROUNDED),
        ("5.1", Bound.EQUAL, "5.15", Bound.EQUAL, Fit.ROUNDED),
        ("5.1", Bound.EQUAL, "5.16", Bound.EQUAL, Fit.NONE),
        ("5.1", Bound.EQUAL, "5.05", Bound.EQUAL, Fit.ROUNDED),
        ("5.1", Bound.EQUAL, "5.04", Bound.EQUAL, Fit.NONE),
        ("5.10", Bound.EQUAL, "5.1", Bound.EQUAL, Fit.FALSE_PRECISION),
        ("5.1", Bound.EQUAL, "5.1", Bound.EQUAL, Fit.EXACT),
        ("5.12", Bound.EQUAL, "5.1", Bound.EQUAL, Fit.NONE),
        ("5", Bound.EQUAL, "5", Bound.OVER, Fit.BOUND_DROPPED),
        ("5", Bound.OVER, "5", Bound.OVER, Fit.EXACT),
        ("5", Bound.OVER, "6", Bound.EQUAL, Fit.ROUNDED),
        ("5", Bound.OVER, "5", Bound.EQUAL, Fit.NONE),
        ("5", Bound.OVER, "7", Bound.EQUAL, Fit.NONE),
        ("5", Bound.OVER, "4", Bound.EQUAL, Fit.NONE),
        ("5", Bound.NEAR_BELOW, "4", Bound.EQUAL, Fit.ROUNDED),
        ("5", Bound.NEAR_BELOW, "5", Bound.EQUAL, Fit.NONE),
        ("5", Bound.NEAR_BELOW, "3", Bound.EQUAL, Fit.NONE),
        ("5", Bound.UNDER, "4", Bound.EQUAL, Fit.ROUNDED),
        ("5000", Bound.APPROXIMATE, "5400", Bound.EQUAL, Fit.ROUNDED),
        ("5000", Bound.APPROXIMATE, "5500", Bound.EQUAL, Fit.ROUNDED),
        ("5000", Bound.APPROXIMATE, "5501", Bound.EQUAL, Fit.NONE),
        ("5000", Bound.APPROXIMATE, "5000", Bound.EQUAL, Fit.ROUNDED),
        ("5", Bound.AT_LEAST, "5", Bound.EQUAL, Fit.EXACT),
        ("5", Bound.AT_LEAST, "6", Bound.EQUAL, Fit.NONE),
        ("5", Bound.AT_MOST, "5", Bound.RANGE_HIGH, Fit.EXACT),
        ("5", Bound.AT_LEAST, "5", Bound.RANGE_LOW, Fit.EXACT),
        ("5", Bound.AT_LEAST, "5", Bound.RANGE_HIGH, Fit.NONE),
        ("5", Bound.OVER, "5", Bound.RANGE_LOW, Fit.EXACT),
        ("5", Bound.AT_MOST, "5", Bound.RANGE_LOW, Fit.NONE),
        ("5", Bound.RANGE_LOW, "5", Bound.RANGE_LOW, Fit.EXACT),
        ("5", Bound.RANGE_LOW, "5", Bound.RANGE_HIGH, Fit.NONE),
        ("5", Bound.RANGE_LOW, "5", Bound.EQUAL, Fit.NONE),
        ("5", Bound.EQUAL, "5", Bound.RANGE_HIGH, Fit.NONE),
    ],
)
def test_fit(page: str, page_bound: Bound, source: str, source_bound: Bound, expected: Fit) -> None:
    def read(text: str, bound: Bound) -> Magnitude:
        value = Decimal(text)
        exponent = value.as_tuple().exponent
        return magnitude(value, Decimal(1).scaleb(int(exponent)), bound)

    assert fit(read(page, page_bound), read(source, source_bound)) is expected


@pytest.mark.parametrize(
    ("page", "source", "flags", "expected"),
    [
        (Unit.MONEY, Unit.PER_SHARE, {"per_share": True}, True),
        (Unit.MONEY, Unit.MONEY, {}, True),
        (Unit.BASIS_POINT, Unit.PERCENTAGE_POINT, {}, True),
        (Unit.MONEY, Unit.PER_SHARE, {}, False),
        (Unit.COUNT, Unit.RATIO, {"ratio": True}, True),
        (Unit.RATIO, Unit.COUNT, {"page_bare": True, "source_bare": True}, True),
        (Unit.RATIO, Unit.COUNT, {"page_bare": True}, False),
        (Unit.COUNT, Unit.MONEY, {"page_bare": True}, True),
        (Unit.COUNT, Unit.MONEY, {"source_bare": True}, False),
        (Unit.COUNT, Unit.SHARES, {}, True),
        (Unit.MONEY, Unit.COUNT, {"source_bare": True}, True),
        (Unit.MONEY, Unit.COUNT, {"page_bare": True}, False),
        (Unit.SHARES, Unit.COUNT, {}, True),
        (Unit.PERCENT, Unit.COUNT, {"page_bare": True, "source_bare": True}, False),
        (Unit.COUNT, Unit.PERCENT, {"page_bare": True, "source_bare": True}, False),
        (Unit.MONEY, Unit.SHARES, {"page_bare": True, "source_bare": True}, False),
    ],
)
def test_units_fit(page: Unit, source: Unit, flags: dict[str, bool], expected: bool) -> None:
    given_flags = {"page_bare": False, "source_bare": False, "per_share": False, "ratio": False} | flags
    assert units_fit(page, source, **given_flags) is expected


def test_scale_slip_examples() -> None:
    assert is_scale_slip(Decimal("5127000000000"), Decimal("5127000000"), Decimal(10**9))
    assert is_scale_slip(Decimal(5127), Decimal("5127000000"), Decimal(1))
    assert is_scale_slip(Decimal("5.1"), Decimal("5127000"), Decimal("0.1"))
    assert not is_scale_slip(Decimal(51270), Decimal("5127000000"), Decimal(1))
    assert not is_scale_slip(Decimal(0), Decimal("5127000000"), Decimal(1))
    assert not is_scale_slip(Decimal(5127), Decimal(0), Decimal(1))


@pytest.mark.parametrize("shift", [-12, -9, -6, -3, 3, 6, 9, 12])
def test_a_power_of_a_thousand_is_a_scale_slip(shift: int) -> None:
    assert is_scale_slip(Decimal(7).scaleb(shift), Decimal(7), Decimal(1).scaleb(shift))
    for near in (shift - 1, shift + 1):
        assert not is_scale_slip(Decimal(7).scaleb(near), Decimal(7), Decimal(1).scaleb(near))


@pytest.mark.parametrize(("source", "slip"), [(5000, True), (5340, True), (5500, True), (5501, False), (4499, False)])
def test_a_scale_slip_is_compared_at_the_pages_precision(source: int, slip: bool) -> None:
    assert is_scale_slip(Decimal(5), Decimal(source), Decimal(1)) is slip


def test_a_number_off_its_own_grid_still_rounds_at_equal_precision() -> None:
    source = Magnitude(Decimal("5.4"), Decimal(1), Decimal(1))  # a tag may carry more digits than it declares
    assert fit(magnitude(Decimal(5), Decimal(1)), source) is Fit.ROUNDED
    coarse = Magnitude(Decimal(5400), Decimal(1000), Decimal(1000))
    assert fit(magnitude(Decimal(5000), Decimal(1), Bound.APPROXIMATE), coarse) is Fit.ROUNDED
