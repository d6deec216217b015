"""Backtests: strategies on historical prices, with the guards that keep their results honest. No LLM, no network."""
