"""The two jobs by which an operator says which names belong to one issuer."""

from collections.abc import Callable

import dagster as dg

from resources.home import HomeResource
from viska_assets.maintain.issuers import IssuerError, Moved, merge_issuers, split_issuer


class MergeConfig(dg.Config):
    """Two issuer ids, ``issuers/…``: ``source`` becomes ``target``; and why."""

    source: str
    target: str
    reason: str
    actor: str = "operator"


class SplitConfig(dg.Config):
    """Which names of ``source`` are ``target``'s, and why."""

    source: str
    target: str
    names: list[str]
    reason: str
    actor: str = "operator"


@dg.op
def move_all_names(context: dg.OpExecutionContext, home: HomeResource, config: MergeConfig) -> None:
    """Moves names and documents; the next ingest run drafts the documents again."""
    database, actor = home.open().database, f"human:{config.actor}"
    _move(context, lambda: merge_issuers(database, config.source, config.target, actor=actor, reason=config.reason))


@dg.op
def move_some_names(context: dg.OpExecutionContext, home: HomeResource, config: SplitConfig) -> None:
    """Moves the named names and the documents that carry them; the next ingest run drafts the documents again."""
    database, actor = home.open().database, f"human:{config.actor}"
    _move(
        context,
        lambda: split_issuer(database, config.source, config.target, config.names, actor=actor, reason=config.reason),
    )


def _move(context: dg.OpExecutionContext, act: Callable[[], Moved]) -> None:
    try:
        moved = act()
    except IssuerError as error:
        raise dg.Failure(str(error), allow_retries=False) from error
    context.add_output_metadata({"names": ", ".join(moved.names), "documents": len(moved.documents)})


@dg.job
def merge_two_issuers() -> None:
    """Makes one issuer of two, with a trail."""
    move_all_names()


@dg.job
def split_one_issuer() -> None:
    """Gives some names of an issuer to another, with a trail."""
    move_some_names()
