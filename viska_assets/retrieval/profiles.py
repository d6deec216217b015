"""How the legs of a search are joined under each embedder, as chosen on the open evaluation pack."""

from viska_assets.retrieval.fusion import Fusion, FusionProfile

EVEN = FusionProfile(Fusion.RRF, {"bm25": 1.0, "dense": 1.0})
# From a grid of few round values by bench/fusion.py, checked on halves of the documents (docs/search.md).
PROFILES = {"all-MiniLM-L6-v2-int8": FusionProfile(Fusion.RRF, {"bm25": 1.0, "dense": 0.75})}


def profile_of(model: str | None) -> FusionProfile:
    """The profile of a model by its name; models that were not measured count as much as words do."""
    return PROFILES.get(model or "", EVEN)
