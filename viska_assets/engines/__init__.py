"""Embedders, rerankers and LLM clients: protocols and implementations, heavy ones imported on first use."""
