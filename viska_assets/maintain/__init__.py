"""The maintainer pass: drafters that return typed deltas, the merge of a delta into a page, index and log."""
