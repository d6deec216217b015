"""Typed values and identifiers that every room shares: frozen, without I/O and without behaviour beyond themselves."""
