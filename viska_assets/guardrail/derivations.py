"""Computed figures: an own expression grammar, dimensions, and recomputation with intervals. No ``eval``."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal, DivisionByZero, InvalidOperation, Overflow

from viska_assets.model.evidence import Unit

_CONTEXT = Context(prec=40, traps=[DivisionByZero, InvalidOperation, Overflow])
_TOKEN = re.compile(r"\s*(?:(?P<number>\d+(?:\.\d+)?)|(?P<name>[A-Za-z_][A-Za-z0-9_]*)|(?P<sign>[-+*/(),]))")
MAX_OPERANDS = 8
MAX_LENGTH = 200
_FUNCTIONS = frozenset({"min", "max", "sum", "avg"})


class DerivationError(ValueError):
    """An expression that cannot be evaluated: its message says where and why."""


@dataclass(frozen=True, slots=True)
class Amount:
    """A value with the closed interval of its rounding and its dimension.

    ``money`` and ``shares`` are exponents: money is (1, 0), per share (1, -1), shares (0, 1), all else (0, 0).
    ``additive`` says that no division or product of two cited values entered.
    """

    value: Decimal
    low: Decimal
    high: Decimal
    money: int = 0
    shares: int = 0
    currency: str | None = None
    additive: bool = True
    constant: bool = False


_DIMENSION: dict[Unit, tuple[int, int]] = {Unit.MONEY: (1, 0), Unit.PER_SHARE: (1, -1), Unit.SHARES: (0, 1)}


def amount_of(value: Decimal, quantum: Decimal, unit: Unit, currency: str | None) -> Amount:
    """The amount of a cited number."""
    money, shares = _DIMENSION.get(unit, (0, 0))
    half = quantum / 2
    return Amount(value, value - half, value + half, money, shares, currency if money else None)


def dimension_of(unit: Unit) -> tuple[int, int]:
    """The dimension of a figure's unit."""
    return _DIMENSION.get(unit, (0, 0))


def evaluate(expression: str, operands: Mapping[str, Amount]) -> Amount:
    """Evaluate ``expression`` over named operands.

    Raises:
        DerivationError: Syntax, unknown or unused operands, too many of them, dimensions that do not fit, or a
            division by zero.
    """
    if len(expression) > MAX_LENGTH:
        raise DerivationError(f"the expression is longer than {MAX_LENGTH} characters")
    if not operands or len(operands) > MAX_OPERANDS:
        raise DerivationError(f"a computation takes one to {MAX_OPERANDS} operands, not {len(operands)}")
    parser = _Parser(_tokens(expression), operands)
    try:
        result = parser.expression()
    except (DivisionByZero, InvalidOperation, Overflow) as error:
        raise DerivationError("the expression divides by zero or overflows") from error
    except RecursionError as error:
        raise DerivationError("the expression is nested too deeply") from error
    if parser.rest():
        raise DerivationError(f"unexpected {parser.rest()!r} after the expression")
    unused = sorted(set(operands) - parser.used)
    if unused:
        raise DerivationError(f"operand {unused[0]!r} is not used")
    return result


def _tokens(expression: str) -> list[str]:
    tokens: list[str] = []
    at = 0
    text = expression.strip()
    while at < len(text):
        match = _TOKEN.match(text, at)
        if not match:
            raise DerivationError(f"unexpected character {text[at]!r} at {at}")
        tokens.append(match["number"] or match["name"] or match["sign"])
        at = match.end()
    return tokens


class _Parser:
    """Recursive descent over sums, products, signs, calls and brackets."""

    def __init__(self, tokens: list[str], operands: Mapping[str, Amount]) -> None:
        self._tokens = tokens
        self._at = 0
        self._operands = operands
        self.used: set[str] = set()

    def rest(self) -> str:
        return " ".join(self._tokens[self._at :])

    def _peek(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _take(self, expected: str = "") -> str:
        token = self._peek()
        if not token or (expected and token != expected):
            raise DerivationError(f"expected {expected or 'a value'} but found {token or 'the end'}")
        self._at += 1
        return token

    def expression(self) -> Amount:
        left = self._product()
        while self._peek() in ("+", "-"):
            left = _add(left, self._product(), -1) if self._take() == "-" else _add(left, self._product(), 1)
        return left

    def _product(self) -> Amount:
        left = self._signed()
        while self._peek() in ("*", "/"):
            left = _multiply(left, self._signed()) if self._take() == "*" else _divide(left, self._signed())
        return left

    def _signed(self) -> Amount:
        if self._peek() == "-":
            self._take()
            return _negate(self._signed())
        return self._value()

    def _value(self) -> Amount:
        token = self._take()
        if token == "(":  # noqa: S105
            inner = self.expression()
            self._take(")")
            return inner
        if token[0].isdigit():
            number = Decimal(token)
            return Amount(number, number, number, constant=True)
        if token in _FUNCTIONS and self._peek() == "(":
            return _call(token, self._arguments())
        if token not in self._operands:
            raise DerivationError(f"unknown operand {token!r}")
        self.used.add(token)
        return self._operands[token]

    def _arguments(self) -> list[Amount]:
        self._take("(")
        values = [self.expression()]
        while self._peek() == ",":
            self._take()
            values.append(self.expression())
        self._take(")")
        return values


def _same_dimension(left: Amount, right: Amount) -> str | None:
    """The common currency of two amounts that may be added."""
    free = (left.constant and not left.value) or (right.constant and not right.value)
    if not free and (left.money, left.shares) != (right.money, right.shares):
        raise DerivationError("amounts of different kinds cannot be added or compared")
    if left.currency and right.currency and left.currency != right.currency:
        raise DerivationError(f"{left.currency} and {right.currency} cannot be added without a rate")
    return left.currency or right.currency


def _add(left: Amount, right: Amount, sign: int) -> Amount:
    currency = _same_dimension(left, right)
    other = right if sign > 0 else _negate(right)
    return Amount(
        _CONTEXT.add(left.value, other.value),
        _CONTEXT.add(left.low, other.low),
        _CONTEXT.add(left.high, other.high),
        left.money or right.money,
        left.shares or right.shares,
        currency,
        left.additive and right.additive,
        left.constant and right.constant,
    )


def _negate(amount: Amount) -> Amount:
    return Amount(
        -amount.value,
        -amount.high,
        -amount.low,
        amount.money,
        amount.shares,
        amount.currency,
        amount.additive,
        amount.constant,
    )


def _multiply(left: Amount, right: Amount) -> Amount:
    corners = [_CONTEXT.multiply(a, b) for a in (left.low, left.high) for b in (right.low, right.high)]
    if left.currency and right.currency:
        raise DerivationError("two amounts of money cannot be multiplied")
    return Amount(
        _CONTEXT.multiply(left.value, right.value),
        min(corners),
        max(corners),
        left.money + right.money,
        left.shares + right.shares,
        left.currency or right.currency,
        (left.constant or right.constant) and left.additive and right.additive,
        left.constant and right.constant,
    )


def _divide(left: Amount, right: Amount) -> Amount:
    if not right.value:
        raise DerivationError("the expression divides by zero")
    if left.currency and right.currency and left.currency != right.currency:
        raise DerivationError(f"{left.currency} cannot be divided by {right.currency}")
    value = _CONTEXT.divide(left.value, right.value)
    corners = (
        [_CONTEXT.divide(a, b) for a in (left.low, left.high) for b in (right.low, right.high)]
        if right.low * right.high > 0
        else [value]
    )
    money = left.money - right.money
    return Amount(
        value,
        min(corners),
        max(corners),
        money,
        left.shares - right.shares,
        (left.currency or right.currency) if money else None,
        right.constant and left.additive,
        left.constant and right.constant,
    )


def _call(name: str, values: Sequence[Amount]) -> Amount:
    total = values[0]
    for value in values[1:]:
        _same_dimension(total, value)
        if name in ("sum", "avg"):
            total = _add(total, value, 1)
        else:
            smaller, larger = (total, value) if total.value <= value.value else (value, total)
            total = smaller if name == "min" else larger
    if name != "avg":
        return total
    count = Decimal(len(values))
    return _divide(total, Amount(count, count, count, constant=True))
