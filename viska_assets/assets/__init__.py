"""Dagster assets, one module per group: each reads inputs, calls one function and reports what came out."""
