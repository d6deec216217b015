"""Research over several sources: each asked in its own time, merged, compared, and what did not answer is named."""

import queue
import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace

from viska_assets.hermes.contradictions import Compared
from viska_assets.hermes.disagreeing import compare_hits
from viska_assets.hermes.merging import Merged, merge_hits
from viska_assets.hermes.repositories import RepositoryError
from viska_assets.hermes.sources import Source, repositories_of, repository_source, web_source
from viska_assets.hermes.web import WebError
from viska_assets.query.errors import QueryError
from viska_assets.query.library import Reader
from viska_assets.query.results import Explanation, Found, FoundIn, Hit
from viska_assets.query.search import search
from viska_assets.query.weights import CAP
from viska_assets.query.wording import Asked
from viska_assets.store.scope import SearchScope

EVERY_SOURCE = (FoundIn.VAULT, FoundIn.REPOSITORY)
# Under this the best local hit is no answer, and the web may be asked where the policy says so.
EXHAUSTED = 0.4


@dataclass(frozen=True, slots=True)
class Missing:
    """A source that gave nothing because it could not: its name and why."""

    source: str
    reason: str


@dataclass(frozen=True)
class Researched:
    """What several sources say: merged hits, what contradicts among them, and which sources are missing.

    ``asked`` are the sources that were asked; where ``missing`` is not empty the result is partial.
    """

    hits: tuple[Merged, ...]
    compared: Compared
    explanation: Explanation
    asked: tuple[str, ...]
    missing: tuple[Missing, ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def as_found(self) -> Found:
        """The hits as a search returns them; what is missing is degraded."""
        degraded = (*self.explanation.degraded, *(gone.source for gone in self.missing))
        return Found(tuple(merged.hit for merged in self.hits), replace(self.explanation, degraded=degraded))


def research(
    reader: Reader,
    question: str,
    *,
    sources: Sequence[FoundIn] = EVERY_SOURCE,
    scope: SearchScope | None = None,
    limit: int = 10,
) -> Researched:
    """Asks several sources at once and merges what they say.

    Each source has its own time; one that is late or broken is named as missing and the others stand. The web is asked
    only where it is named, or where the policy lets it be asked once nothing local is sure enough; without a configured
    server, and in a call that has opened a private vault, it is missing and nothing is sent.

    Args:
        reader: whose namespaces, policy and clock count.
        question: as asked.
        sources: where to look.
        scope: further conditions on the desk's index; of the others its day counts as well, where it has one.
        limit: how many merged hits at most.

    Raises:
        QueryError: as ``search``, and where a contradiction cannot be logged.
    """
    if not 1 <= limit <= CAP:
        raise QueryError(f"the limit {limit} is out of range", f"ask for 1 to {CAP} hits")
    asked = Asked(question[:10_000].replace("\0", " "))
    others, missing = _others(reader, sources)
    running = _start(others, asked, limit)
    # The desk's index is asked on the reader's own connection while the others run.
    seconds = f"{reader.policy.research.desk_seconds * 1000:.0f}"
    reader.connection.execute("SELECT set_config('statement_timeout', %s, true)", (seconds,))
    found = search(reader, question, scope=scope, limit=limit if FoundIn.VAULT in sources else 1, pool=CAP)
    hits = list(found.hits) if FoundIn.VAULT in sources else []
    gathered, late = _gather(others, running)
    hits += gathered
    missing += late
    remarks: list[str] = []
    names = [*(["desk and vaults"] if FoundIn.VAULT in sources else []), *(source.name for source in others)]
    if _is_exhausted(reader, sources, hits):
        web = web_source(reader.policy.research, reader.ranking, reader.now)
        more, late = _gather([web], _start([web], asked, limit))
        hits += more
        missing += late
        names.append(web.name)
        remarks.append("nothing local was sure enough, so the web was asked")
    hits, unknown = _known(hits, scope)
    if unknown:
        remarks.append(f"{unknown} hits were not known yet on that day, or have no date, and are left out")
    merged = merge_hits(hits, reader.private)[:limit]
    compared = compare_hits(reader, [one.hit for one in merged])
    for one in merged:
        reader.show(one.hit.where.namespace, one.hit.id)
    if missing:
        remarks.append(f"partial: without {', '.join(gone.source for gone in missing)}")
    if compared.contradictions:
        remarks.append(f"{len(compared.contradictions)} contradictions among the sources; none is resolved here")
    return Researched(merged, compared, found.explanation, tuple(names), tuple(missing), tuple(remarks))


def _others(reader: Reader, sources: Sequence[FoundIn]) -> tuple[list[Source], list[Missing]]:
    own = reader.policy.research
    found: list[Source] = []
    missing: list[Missing] = []
    if FoundIn.REPOSITORY in sources:
        found += [
            repository_source(repository, own.repository_seconds, reader.ranking, reader.now)
            for repository in repositories_of(reader)
        ]
    if FoundIn.WEB in sources and reader.private:
        missing.append(Missing("web", "a private vault is open in this call: ask the web in a call of its own"))
    elif FoundIn.WEB in sources and own.searxng:
        found.append(web_source(own, reader.ranking, reader.now))
    elif FoundIn.WEB in sources:
        missing.append(Missing("web", "no search server is configured: set research.searxng in the policy"))
    return found, missing


def _is_exhausted(reader: Reader, sources: Sequence[FoundIn], hits: Sequence[Hit]) -> bool:
    own = reader.policy.research
    wanted = own.web_when_exhausted and own.searxng and FoundIn.WEB not in sources and not reader.private
    return bool(wanted) and all(hit.confidence.value < EXHAUSTED for hit in hits)


def _known(hits: Sequence[Hit], scope: SearchScope | None) -> tuple[list[Hit], int]:
    """Those of the hits that were known at the time of the scope, and how many were not; the index has asked before."""
    if scope is None or scope.known_at is None:
        return list(hits), 0
    at = scope.known_at
    known = [hit for hit in hits if hit.found_in is FoundIn.VAULT or (hit.date.at is not None and hit.date.at <= at)]
    return known, len(hits) - len(known)


Answers = dict[str, "queue.Queue[Sequence[Hit] | Missing]"]


def _start(sources: Sequence[Source], asked: Asked, limit: int) -> Answers:
    """Puts the question to every source in a thread of its own, which nobody waits for once its time is over."""
    answers: Answers = {}
    for source in sources:
        answers[source.name] = queue.Queue(1)
        threading.Thread(target=_ask, args=(source, asked, limit, answers[source.name]), daemon=True).start()
    return answers


def _ask(source: Source, asked: Asked, limit: int, into: "queue.Queue[Sequence[Hit] | Missing]") -> None:
    try:
        into.put(source.ask(asked, limit))
    except (RepositoryError, WebError, OSError) as error:
        into.put(Missing(source.name, str(error)))


def _gather(sources: Sequence[Source], answers: Answers) -> tuple[list[Hit], list[Missing]]:
    hits: list[Hit] = []
    missing: list[Missing] = []
    for source in sources:
        try:
            answer = answers[source.name].get(timeout=source.seconds)
        except queue.Empty:
            answer = Missing(source.name, f"it did not answer within {source.seconds:g} s")
        if isinstance(answer, Missing):
            missing.append(answer)
        else:
            hits += answer
    return hits, missing
