"""The parity eval: the same questions to both tiers, graded, and the verdict that decides who answers."""
