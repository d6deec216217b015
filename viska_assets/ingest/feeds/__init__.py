"""Feeds: how documents come in by themselves. One module a kind, each with a pure ``fetch``; delivering is its own."""
