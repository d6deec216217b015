"""The review: four deterministic checks of every candidate and draft, and one verdict on each. No model, no network."""
