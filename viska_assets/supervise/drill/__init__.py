"""The fault drill: each row of the failure table injected on a running instance, and what became of it."""
