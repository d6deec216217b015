"""Finding what literally stands somewhere: a text or a regular expression, in the index and in repositories."""

from collections.abc import Sequence
from dataclasses import dataclass

from viska_assets.hermes.repositories import Repository, RepositoryError, find_lines
from viska_assets.hermes.research import Missing
from viska_assets.hermes.sources import line_hit, repositories_of
from viska_assets.model.span import Span
from viska_assets.query.errors import QueryError
from viska_assets.query.library import Reader
from viska_assets.query.ranking import recency
from viska_assets.query.results import Confidence, Dated, Factors, FoundIn, Hit, HitKind, Where
from viska_assets.store.matching import MatchedChunk, PatternError, chunks_matching
from viska_assets.store.scope import UNTRUSTED

MOST = 500
LONGEST = 500
AROUND = 120
EVERYWHERE = (FoundIn.VAULT, FoundIn.REPOSITORY)


@dataclass(frozen=True)
class Matches:
    """All matches in their fixed order: the index as filed, then repositories by path; ``missing`` names who is out.

    ``capped`` says that there are more than can be listed: make the pattern narrower.
    """

    hits: tuple[Hit, ...]
    missing: tuple[Missing, ...] = ()
    capped: bool = False


def find_pattern(
    reader: Reader, pattern: str, *, regex: bool = False, sources: Sequence[FoundIn] = EVERYWHERE
) -> Matches:
    """Every place in which a pattern stands. Nothing is ranked: a pattern stands somewhere, or it does not.

    Args:
        reader: whose namespaces and repositories are searched.
        pattern: a text, found in any case; or a POSIX regular expression in its own case.
        regex: which of the two.
        sources: the index and the vaults, repositories, or both.

    Raises:
        QueryError: for an empty or overlong pattern, and for one that is no regular expression.
    """
    pattern = pattern.replace("\0", " ")
    if not pattern.strip() or len(pattern) > LONGEST or "\n" in pattern:
        raise QueryError("the pattern is empty, longer than 500 characters or of several lines", "give one short line")
    hits: list[Hit] = []
    if FoundIn.VAULT in sources:
        try:
            found = chunks_matching(reader.connection, reader.namespaces, pattern, regex=regex, limit=MOST + 1)
        except PatternError as error:
            problem, _, mend = str(error).partition(": ")
            raise QueryError(problem, mend) from error
        hits += [_chunk_hit(reader, chunk) for chunk in found]
    capped = len(hits) > MOST
    missing: list[Missing] = []
    for repository in repositories_of(reader) if FoundIn.REPOSITORY in sources else ():
        try:
            hits += _lines(reader, repository, pattern, regex=regex)
        except RepositoryError as error:
            missing.append(Missing(f"repository {repository.name}", str(error)))
    kept = hits[:MOST]
    for hit in kept:
        reader.show(hit.where.namespace, hit.id)
    return Matches(tuple(kept), tuple(missing), capped or len(hits) > MOST)


def _lines(reader: Reader, repository: Repository, pattern: str, *, regex: bool) -> list[Hit]:
    found = find_lines(repository, [] if regex else [pattern], pattern=pattern if regex else None)
    words = [] if regex else [pattern]
    return [
        line_hit(repository, line, words, recency(line.changed_at, reader.now, reader.ranking, newest=False))
        for line in found.lines
    ]


def _chunk_hit(reader: Reader, chunk: MatchedChunk) -> Hit:
    untrusted = chunk.authentication in UNTRUSTED
    standing = reader.ranking.unauthenticated if untrusted else 1.0
    start = max(0, chunk.at - AROUND)
    end = min(len(chunk.text), chunk.at + len(chunk.matched) + AROUND)
    return Hit(
        id=f"chunk:{chunk.chunk_id}",
        kind=HitKind.PASSAGE,
        found_in=FoundIn.VAULT,
        where=Where(
            uri=f"viska://chunk/{chunk.chunk_id}",
            namespace=chunk.namespace,
            title=chunk.document,
            document_id=chunk.document_id,
            span=Span(chunk.start + chunk.at, chunk.start + chunk.at + len(chunk.matched)),
            page=chunk.page,
        ),
        text=chunk.text[start:end],
        date=Dated(chunk.known_at),
        contributor=chunk.asserter or "unknown sender",
        confidence=Confidence(standing, "the pattern stands there; the sender's standing counts"),
        factors=Factors(1.0, recency(chunk.known_at, reader.now, reader.ranking, newest=False), standing),
        remarks=("the sender is not authenticated",) if untrusted else (),
    )
