"""Asking both tiers: answers from pages and from passages, each with its citations."""
