"""The offline drafter: pages from evidence and verbatim quotes alone, with nothing that is not in the source."""
