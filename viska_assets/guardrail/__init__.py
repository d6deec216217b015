"""The deterministic gate: evidence matching, derivations, predicates P1 to P4, verdicts. Pure, no clock, no network."""
