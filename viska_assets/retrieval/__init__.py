"""Hybrid search over chunks: BM25 and dense legs, fusion and reranking."""
