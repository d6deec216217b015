"""One module a revision; ``upgrade`` moves forward only."""
