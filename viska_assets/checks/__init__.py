"""Dagster asset checks: the gate's predicates as statements that hold, with tables of offenders."""
