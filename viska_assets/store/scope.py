"""Which chunks a search may find: the scope of a question and its condition in SQL."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from viska_assets.model.evidence import Period

# The states of authentication under which nobody knows who the sender was.
UNTRUSTED = ("fail", "none")


@dataclass(frozen=True)
class SearchScope:
    """Which chunks may be found: all conditions hold together; None asks for nothing.

    ``period`` holds the documents whose reporting period ends on one of its days; ``fiscal_year`` those whose
    reporting period lies in the fiscal year that ends in this year. ``media_types`` and ``feeds`` are kinds of source:
    the format a document was read as and the feed it came through. ``authentication`` lists the admitted states.
    """

    namespace: str = "default"
    entity: str | None = None
    document_ids: tuple[str, ...] | None = None
    form: str | None = None
    known_at: datetime | None = None
    period: Period | None = None
    fiscal_year: int | None = None
    media_types: tuple[str, ...] | None = None
    feeds: tuple[str, ...] | None = None
    authentication: tuple[str, ...] | None = None

    @property
    def is_whole_namespace(self) -> bool:
        """Whether nothing but the namespace (and withdrawal, which always counts) limits the search."""
        return self == SearchScope(self.namespace)


# A period of 52 or 53 weeks may end up to a week after the fiscal year end that the cover states.
_FISCAL_YEAR = """
    extract(year FROM (d.cover ->> 'period_end')::date - 7) + (
        jsonb_typeof(d.cover -> 'fiscal_year_end') = 'array'
        AND extract(month FROM (d.cover ->> 'period_end')::date - 7) * 100
            + extract(day FROM (d.cover ->> 'period_end')::date - 7)
            > (d.cover -> 'fiscal_year_end' ->> 0)::int * 100 + (d.cover -> 'fiscal_year_end' ->> 1)::int
    )::int
"""
_CONDITIONS = {
    "entity": "d.entity = %(entity)s",
    "document_ids": "d.document_id = ANY(%(document_ids)s)",
    "form": "d.cover ->> 'form' = %(form)s",
    "known_at": "d.known_at <= %(known_at)s",
    "period": "(d.cover ->> 'period_end')::date BETWEEN %(period_start)s AND %(period_end)s",
    "fiscal_year": f"{_FISCAL_YEAR} = %(fiscal_year)s",
    "media_types": "d.media_type = ANY(%(media_types)s)",
    "feeds": "EXISTS (SELECT 1 FROM raw.delivery f WHERE f.document_id = d.document_id AND f.feed = ANY(%(feeds)s))",
    "authentication": "d.authentication = ANY(%(authentication)s)",
}


def scope_condition(scope: SearchScope) -> tuple[str, dict[str, Any]]:
    """The condition on ``raw.document d`` and its parameters, the namespace's among them."""
    wanted = {name: getattr(scope, name) for name in _CONDITIONS if getattr(scope, name) is not None}
    condition = " AND ".join(["NOT d.withdrawn", *(_CONDITIONS[name] for name in wanted)])
    values = {name: list(value) if isinstance(value, tuple) else value for name, value in wanted.items()}
    if scope.period is not None:
        del values["period"]
        values |= {"period_start": scope.period.start or scope.period.end, "period_end": scope.period.end}
    return condition, {"namespace": scope.namespace} | values
