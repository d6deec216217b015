"""Viska: two tiers of knowledge for an investment-research desk, with a deterministic gate between them."""
