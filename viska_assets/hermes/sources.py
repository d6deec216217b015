"""What can be asked beside the desk's index: repositories and the web, each a source that gives hits."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from viska_assets.hermes.repositories import Line, Repository, find_lines
from viska_assets.hermes.web import WebPage, authority_of, search_web
from viska_assets.query.library import Reader
from viska_assets.query.ranking import asks_for_newest, recency
from viska_assets.query.results import Confidence, Dated, Factors, FoundIn, Hit, HitKind, Where
from viska_assets.query.weights import Ranking
from viska_assets.query.wording import Asked
from viska_assets.store.policy import ResearchSection

LINES = 40
# What the web says is never as sure as what a vault or a repository says.
WEB_CAP, REPOSITORY_CAP = 0.5, 0.8


@dataclass(frozen=True)
class Source:
    """Something that can be asked: its name, how long it may take, and the question put to it.

    ``ask`` may run in a thread of its own and uses no connection of the asker's.
    """

    name: str
    found_in: FoundIn
    seconds: float
    ask: Callable[[Asked, int], Sequence[Hit]]


def repositories_of(reader: Reader) -> tuple[Repository, ...]:
    """The configured repositories whose namespace the reader may see."""
    return tuple(
        Repository(name, found.path.expanduser(), found.authority, found.namespace)
        for name, found in sorted(reader.policy.repositories.items())
        if found.namespace in reader.namespaces
    )


def repository_source(repository: Repository, seconds: float, ranking: Ranking, at: datetime) -> Source:
    """A repository as a source: the committed lines that hold most of a question's words."""

    def ask(asked: Asked, limit: int) -> Sequence[Hit]:
        words = sorted(asked.terms) or list(asked.all_terms)
        found = find_lines(repository, words, any_word=True, limit=max(limit, LINES))
        newest = asks_for_newest(asked.question)
        return [
            line_hit(repository, line, words, recency(line.changed_at, at, ranking, newest=newest))
            for line in found.lines
        ]

    return Source(f"repository {repository.name}", FoundIn.REPOSITORY, seconds, ask)


def line_hit(repository: Repository, line: Line, words: Sequence[str], age: float) -> Hit:
    """A committed line as a hit; its relevance is the share of the words that it holds."""
    lowered = line.text.lower()
    covered = sum(word.lower() in lowered for word in words) / len(words) if words else 1.0
    place = f"{line.repository}/{line.path}:{line.number}"
    return Hit(
        id=f"code:{place}@{line.head[:12]}",
        kind=HitKind.DOCUMENT if line.is_document else HitKind.CODE,
        found_in=FoundIn.REPOSITORY,
        where=Where(
            uri=f"git:{line.repository}/{line.path}@{line.head}#L{line.number}",
            namespace=repository.namespace,
            title=f"{line.repository}: {line.path}",
            line=line.number,
            commit=line.commit,
        ),
        text=line.text,
        date=Dated(line.changed_at),
        contributor=line.author,
        confidence=Confidence(
            min(REPOSITORY_CAP, covered * repository.authority),
            f"{covered:.0%} of the terms, authority {repository.authority:.2f}; not calibrated",
        ),
        factors=Factors(covered, age, repository.authority),
    )


def web_source(research: ResearchSection, ranking: Ranking, at: datetime) -> Source:
    """The configured search server as a source."""

    def ask(asked: Asked, limit: int) -> Sequence[Hit]:
        pages = search_web(research.searxng, asked.question, limit, research.web_seconds)
        return [_page_hit(page, place, research, ranking, asked, at) for place, page in enumerate(pages, 1)]

    return Source("web", FoundIn.WEB, research.web_seconds, ask)


def _page_hit(
    page: WebPage, place: int, research: ResearchSection, ranking: Ranking, asked: Asked, at: datetime
) -> Hit:
    authority, signal = authority_of(page.url, research)
    lowered = f"{page.title} {page.snippet}".lower()
    terms = asked.terms or set(asked.all_terms)
    covered = sum(term in lowered for term in terms) / len(terms) if terms else 0.0
    date = Dated(page.published) if page.published else Dated(None, "the search server gives no date")
    return Hit(
        id=f"web:{page.url}",
        kind=HitKind.WEB_PAGE,
        found_in=FoundIn.WEB,
        where=Where(uri=page.url, namespace="", title=page.title or page.url),
        text=page.snippet,
        date=date,
        contributor=page.domain,
        confidence=Confidence(
            min(WEB_CAP, covered * authority), f"{covered:.0%} of the terms, {signal}; found on the web, not calibrated"
        ),
        factors=Factors(
            covered, recency(page.published, at, ranking, newest=asks_for_newest(asked.question)), authority
        ),
        ranks={"web": place},
        remarks=(f"found on the web: {signal}",),
    )
