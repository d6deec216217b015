"""Hermes: one question to vaults, repositories and the web, with provenance, contradictions and gaps in the open."""
