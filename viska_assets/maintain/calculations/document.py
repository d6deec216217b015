"""The calculation document: method, steps, result and the documents it rests on, as markdown that Viska then reads."""

from decimal import ROUND_HALF_EVEN, Decimal

from viska_assets.maintain.calculations.portfolio import ValuedPortfolio
from viska_assets.maintain.calculations.returns import sub_periods, time_weighted_return

TITLE = "Calculation: portfolio time-weighted return"
METHOD = (
    "The return of each sub-period is its value at the end over its value at the start, less one; the sub-periods are "
    "linked by multiplication, so that money paid in or out has no weight."
)
RESULT_LABEL = "Portfolio time-weighted return"
RESULT_COLUMN = "Return"
STEP_COLUMNS = ("Value at start", "Value at end", "Sub-period return")


def twr_document(portfolio: ValuedPortfolio) -> str:
    """The document's text; the same valuations give the same bytes."""
    parts = sub_periods(portfolio.valuations)
    first, last = parts[0].start.isoformat(), parts[-1].end.isoformat()
    steps = [
        f"| {part.start.isoformat()} to {part.end.isoformat()} | {_money(part.start_value)} | {_money(part.end_value)} "
        f"| {percent(part.rate)} |"
        for part in parts
    ]
    lines = [
        f"# {TITLE}",
        "",
        METHOD,
        "",
        "## Result",
        "",
        f"| Measure | {RESULT_COLUMN}, {first} to {last} |",
        "| --- | --- |",
        f"| {RESULT_LABEL} | {percent(time_weighted_return(parts))} |",
        "",
        f"## Steps, in {portfolio.currency}",
        "",
        f"| Sub-period | {' | '.join(STEP_COLUMNS)} |",
        "| --- | --- | --- | --- |",
        *steps,
        "",
        "## Rests on",
        "",
        *(f"* {source}" for source in portfolio.sources),
        *(f"* Left out: {remark}" for remark in portfolio.remarks),
    ]
    return "\n".join(lines) + "\n"


def percent(fraction: Decimal) -> str:
    """A fraction as a percentage with two decimals, halves to even."""
    return f"{(fraction * 100).quantize(Decimal('0.01'), rounding=ROUND_HALF_EVEN)}%"


def _money(value: Decimal) -> str:
    return f"{value.quantize(Decimal('0.01'), rounding=ROUND_HALF_EVEN):,}"
