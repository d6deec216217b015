"""From bytes to evidence: feeds, mail authentication, parsers per format, table-aware chunks, typed numbers."""
