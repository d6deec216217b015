"""SQL of the supervised loop: writers as roles, flags, verdicts, the kill and the audit trail."""
