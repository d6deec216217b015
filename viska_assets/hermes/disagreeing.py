"""Contradictions among what was found or given: facts read, compared, and told to the operational vault once."""

from collections.abc import Sequence
from typing import Any

import psycopg

from viska_assets.hermes.contradictions import Compared, Conflict, compare_facts
from viska_assets.hermes.facts import Fact, facts_of_hit, facts_of_sentences, facts_of_text
from viska_assets.query.errors import QueryError
from viska_assets.query.library import Reader
from viska_assets.query.names import NameTable
from viska_assets.query.results import FoundIn, Hit
from viska_assets.query.search import search
from viska_assets.query.weights import CAP
from viska_assets.store.aliases import aliases
from viska_assets.store.chunks import StoredEvidence
from viska_assets.store.namespaces import Notice
from viska_assets.store.scope import SearchScope
from viska_assets.store.superseded import superseded_in

MOST_STATEMENTS = 200


def contradictions(
    reader: Reader, topic: str = "", statements: Sequence[str] = (), *, scope: SearchScope | None = None
) -> Compared:
    """What speaks against each other among the passages about a topic, among given statements, or across both.

    Each pair is logged once for the operational vault. No side is preferred, in order or otherwise.

    Args:
        reader: whose namespaces are searched for the topic.
        topic: what to search for; may be empty where statements are given.
        statements: facts in the caller's words.
        scope: further conditions on what is searched.

    Raises:
        QueryError: where neither is given, where there are too many statements, or where a pair cannot be logged.
    """
    given = [statement for statement in statements if statement.strip()]
    if not topic.strip() and not given:
        raise QueryError("there is nothing to compare", "name a topic, or give statements")
    if len(given) > MOST_STATEMENTS:
        raise QueryError(f"{len(given)} statements are too many", f"give at most {MOST_STATEMENTS}")
    hits = search(reader, topic, scope=scope, limit=CAP).hits if topic.strip() else ()
    return compare_hits(reader, hits, facts_of_sentences(given, _names(reader)))


def compare_hits(reader: Reader, hits: Sequence[Hit], given: Sequence[Fact] = ()) -> Compared:
    """Compares the facts of hits of any source, and logs what contradicts."""
    names = _names(reader)
    evidence = StoredEvidence(reader.connection)
    chunks = {hit.id: hit.id.removeprefix("chunk:") for hit in hits if hit.found_in is FoundIn.VAULT}
    evidence.preload(chunks.values())
    facts = list(given)
    for hit in hits:
        chunk = evidence.chunk(chunks[hit.id]) if hit.id in chunks else None
        facts += facts_of_hit(hit, chunk, names) if chunk is not None else facts_of_text(hit, names)
    compared = compare_facts(facts, superseded_in(reader.connection, list(chunks.values())))
    try:
        reader.notify([_notice(reader, conflict) for conflict in compared.contradictions])
    except psycopg.Error as error:
        raise QueryError("contradictions were found and could not be logged", "try again later") from error
    return compared


def _names(reader: Reader) -> NameTable:
    return NameTable(aliases(reader.connection))


def _notice(reader: Reader, conflict: Conflict) -> Notice:
    """What the operational vault is told: both sides alike; of a private side nothing but that there is one."""
    sides = [_side(reader, fact) for fact in (conflict.first, conflict.second)]
    closed = any(fact.where.namespace in reader.private for fact in (conflict.first, conflict.second))
    said = "one side is private" if closed else conflict.explanation
    return Notice("contradiction", conflict.id, {"explanation": said, "sides": sides})


def _side(reader: Reader, fact: Fact) -> dict[str, Any]:
    if fact.where.namespace in reader.private:
        return {"private": True}
    return {
        "id": fact.id,
        "uri": fact.where.uri,
        "span": [fact.where.span.start, fact.where.span.end] if fact.where.span else None,
        "printed": fact.printed,
        "date": str(fact.date),
        "contributor": fact.contributor,
    }
