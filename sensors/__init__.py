"""Dagster sensors, one module each, named for what they watch. They list and request; the work is in the run."""
