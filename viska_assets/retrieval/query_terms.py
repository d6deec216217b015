"""What a question is looked up by: its own terms, and the names that filings give to the metrics in it."""

from collections.abc import Iterable, Sequence
from functools import lru_cache

from viska_assets.retrieval.analyser import TOKEN, terms_of
from viska_assets.text.metrics import METRICS, metric_of, metrics_in

# The first aliases of a metric are those that statements print; measured with 1 to 4 (docs/search.md).
NAMES_OF_A_METRIC = 3


def query_terms(question: str) -> tuple[str, ...]:
    """The terms of a question, and after them those under which its metrics stand in statements.

    ``revenue`` and ``us-gaap:Revenues`` are also looked up as ``net sales``. Terms of the question keep their order and
    repeats, a further term is named once.
    """
    return with_metric_names(question, terms_of(question), (mention.metric_id for mention in metrics_in(question)))


def with_metric_names(question: str, terms: Sequence[str], metrics: Iterable[str]) -> tuple[str, ...]:
    """As ``query_terms``, for a question of which the terms and the metrics are known."""
    tagged = (metric_of(token) for token in (TOKEN.findall(question) if ":" in question else ()) if ":" in token)
    further = (term for metric in (*filter(None, tagged), *metrics) for term in _names(metric))
    return (*terms, *(term for term in dict.fromkeys(further) if term not in terms))


@lru_cache(maxsize=1024)
def _names(metric: str) -> tuple[str, ...]:
    return tuple(term for alias in METRICS[metric].aliases[:NAMES_OF_A_METRIC] for term in terms_of(alias))
