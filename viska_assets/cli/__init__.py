"""The ``viska`` command: thin faces of the functions below, with tables for people and JSON for programs."""
