"""Dagster schedules, named for when they run."""
