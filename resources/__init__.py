"""Dagster resources: Viska's home with its database, blobs, bundle and models."""
