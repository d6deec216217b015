"""Backtests of the loop stand on the loop's own database."""

from tests.supervise.conftest import desk

__all__ = ["desk"]
