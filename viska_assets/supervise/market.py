"""When the market is open, and on which quarter of an hour nous is due: pure functions of the local wall clock."""

from datetime import datetime
from zoneinfo import ZoneInfo

from viska_assets.store.policy_loop import MarketSection


def is_open(at: datetime, market: MarketSection) -> bool:
    """Whether the market is open at an instant (with a zone), by its own local time and holidays."""
    local = at.astimezone(ZoneInfo(market.time_zone))
    if local.weekday() >= 5 or local.date() in market.holidays:
        return False
    return market.opens <= local.time() < market.closes


def nous_is_due(at: datetime, market: MarketSection, *, rate_limited: bool) -> str:
    """Why no run of nous is due, or empty: each quarter of an hour in market hours, each hour otherwise.

    The rate limit doubles both: each half hour, each even hour.
    """
    local = at.astimezone(ZoneInfo(market.time_zone))
    if is_open(at, market):
        return "rate limited: every half hour" if rate_limited and local.minute not in (0, 30) else ""
    if local.minute != 0:
        return "the market is closed: once an hour"
    return "rate limited: every second hour" if rate_limited and local.hour % 2 else ""


def review_is_due(at: datetime, market: MarketSection) -> str:
    """Why no review is due, or empty: each five minutes in market hours, each quarter of an hour otherwise."""
    local = at.astimezone(ZoneInfo(market.time_zone))
    return "" if is_open(at, market) or local.minute % 15 == 0 else "the market is closed: four times an hour"
