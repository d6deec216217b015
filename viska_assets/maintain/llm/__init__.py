"""The LLM drafter: a document shown to a model that has no tools, and its answer made a delta by code or refused."""
