"""OKF conformance of a whole bundle: the three hard rules C1–C3 as errors, everything else as warnings.

It reads any OKF bundle, not only Viska's: unknown types and keys are welcome, and a bundle is never refused for
broken links, missing indexes or absent optional families (OKF v0.2 §11, v0.1 §9).
"""

import posixpath
import re
from collections.abc import Collection, Iterator, Mapping

import yaml

from viska_assets.okf.blocks import MarkdownBody, Part, read_body
from viska_assets.okf.errors import OkfError
from viska_assets.okf.frontmatter import Head, YamlValue, read_mapping, require_head
from viska_assets.okf.index import coverage_issues, read_index
from viska_assets.okf.inline import read_inline
from viska_assets.okf.issue import Issue, Level
from viska_assets.okf.links import PageLink, Reach, body_links
from viska_assets.okf.log import read_log
from viska_assets.okf.positions import LineTable
from viska_assets.okf.slugs import is_portable_segment
from viska_assets.okf.timestamps import read_timestamp

_ABSENT = frozenset({"", "null", "~", "Null", "NULL"})
_STATUSES = frozenset({"draft", "stable", "deprecated"})
_FOOTNOTE = re.compile(r"\[\^([^\]\s]+)\]")


def is_conformant(issues: Collection[Issue]) -> bool:
    """Whether no hard rule is broken."""
    return not any(issue.level is Level.ERROR for issue in issues)


def check_bundle(files: Mapping[str, str], others: Collection[str] = ()) -> tuple[Issue, ...]:
    """Check a bundle against OKF v0.2 (and so v0.1).

    Args:
        files: The text of every ``.md`` file by its path relative to the bundle's root.
        others: The paths of the bundle's other files, which links may name.

    Returns:
        All issues by place; those of level ``error`` break conformance.
    """
    known = {*files, *others}
    issues: list[Issue] = []
    descriptions: dict[str, str] = {}
    for path, text in files.items():
        if posixpath.basename(path) in {"index.md", "log.md"}:
            continue
        concept = _Concept(path, text, known)
        issues.extend(concept.issues())
        descriptions[path] = concept.description
    for path, text in files.items():
        if posixpath.basename(path) == "index.md":
            index = read_index(text, path)
            issues.extend(index.issues)
            issues.extend(coverage_issues(index, path, known, descriptions))
        elif posixpath.basename(path) == "log.md":
            issues.extend(read_log(text, path).issues)
    return tuple(sorted(issues))


class _Concept:
    """One concept document of any producer."""

    def __init__(self, path: str, text: str, known: Collection[str]) -> None:
        self._path = path
        self._text = text
        self._known = known
        self._values: dict[str, YamlValue] = {}
        self._key_lines: dict[str, int] = {}
        self.description = ""

    def issues(self) -> Iterator[Issue]:
        try:
            head = require_head(self._text, self._path)
            yield from self._read(head)
        except OkfError as error:
            yield Issue(self._path, error.line or 1, 1, "C1", error.message, Level.ERROR, error.mend)
            return
        kind = self._values.get("type", "")
        if not isinstance(kind, str) or kind.strip() in _ABSENT:
            yield self._issue("C2", "the frontmatter has no type", "type", Level.ERROR, "add type: …")
        description = self._values.get("description", "")
        self.description = description if isinstance(description, str) else ""
        yield from self._recommended()
        yield from self._timestamps()
        lines = LineTable.of(self._text)
        body = read_body(self._text, head.body_start, len(self._text), lines)
        yield from self._sources(body, lines)
        for link in body_links(body, self._path):
            yield from self._link(link, lines)

    def _read(self, head: Head) -> Iterator[Issue]:
        try:
            mapping = read_mapping(head, self._path)
            self._values, self._key_lines = mapping.values, mapping.lines
        except OkfError as error:
            self._values = _lenient(head, error)
            message = f"valid YAML that strict readers refuse: {error.message}"
            yield Issue(self._path, error.line or 1, 1, "STRICT_YAML", message, Level.WARNING, error.mend)

    def _issue(self, code: str, message: str, key: str, level: Level = Level.WARNING, hint: str = "") -> Issue:
        return Issue(self._path, self._key_lines.get(key, 1), 1, code, message, level, hint)

    def _recommended(self) -> Iterator[Issue]:
        for key in ("title", "description"):
            if not self._values.get(key):
                yield self._issue("MISSING_KEY", f"the recommended key {key} is absent", key)
        if not all(is_portable_segment(part) for part in self._path.split("/")):
            yield self._issue("UNPORTABLE_PATH", "Google's bundle reader does not accept this path", "")
        status = self._values.get("status")
        if status is not None and str(status) not in _STATUSES:
            yield self._issue("STATUS", f"unknown status {status!r}", "status")
        generated = self._values.get("generated")
        if generated is not None and not (isinstance(generated, dict) and generated.get("by")):
            yield self._issue("GENERATED", "generated has no by", "generated")

    def _timestamps(self) -> Iterator[Issue]:
        for key, value in self._moments():
            if isinstance(value, str) and read_timestamp(value) is None:
                message = f"{key}: {value!r} is not a datetime with a UTC offset and is taken as absent"
                yield self._issue("TIMESTAMP", message, key)

    def _moments(self) -> Iterator[tuple[str, YamlValue]]:
        for key in ("timestamp", "stale_after"):
            if key in self._values:
                yield key, self._values[key]
        generated = self._values.get("generated")
        if isinstance(generated, dict) and "at" in generated:
            yield "generated", generated["at"]
        verified = self._values.get("verified", [])
        for entry in verified if isinstance(verified, list) else [verified]:
            if isinstance(entry, dict) and "at" in entry:
                yield "verified", entry["at"]
        for position, source in enumerate(self._source_list()):
            if "last_modified" in source:
                yield f"sources.{position}.last_modified", source["last_modified"]

    def _source_list(self) -> list[dict[str, YamlValue]]:
        sources = self._values.get("sources", [])
        return [entry for entry in sources if isinstance(entry, dict)] if isinstance(sources, list) else []

    def _sources(self, body: MarkdownBody, lines: LineTable) -> Iterator[Issue]:
        ids = set()
        for position, source in enumerate(self._source_list()):
            if not source.get("resource"):
                yield self._issue("SOURCE_RESOURCE", "a source has no resource", f"sources.{position}")
            ids.add(str(source.get("id", "")))
        for label, place in _footnotes(body):
            if label not in ids:
                line, column = lines.place(place)
                message = f"the footnote [^{label}] has no entry in sources"
                yield Issue(self._path, line, column, "DANGLING_FOOTNOTE", message, Level.WARNING)

    def _link(self, link: PageLink, lines: LineTable) -> Iterator[Issue]:
        line, column = lines.place(link.span.start)
        if link.target.reach is Reach.OUTSIDE:
            message = f"the link {link.written} leaves the bundle"
            yield Issue(self._path, line, column, "LINK_OUTSIDE", message, Level.WARNING)
        elif link.target.reach is Reach.BUNDLE and not _exists(link.target.path, self._known):
            message = f"the link {link.written} leads nowhere"
            yield Issue(self._path, line, column, "BROKEN_LINK", message, Level.WARNING)


def _lenient(head: Head, strict: OkfError) -> dict[str, YamlValue]:
    """Read YAML that is valid but not strict; raises the strict reader's error where it is no mapping at all."""
    try:
        values = yaml.load(head.yaml, Loader=yaml.CBaseLoader)  # noqa: S506 (the base loader builds only strings)
    except (yaml.YAMLError, RecursionError, UnicodeEncodeError, TypeError):
        raise strict from None
    if not isinstance(values, dict):
        raise strict
    return {str(key): value for key, value in values.items()}


def _footnotes(body: MarkdownBody) -> Iterator[tuple[str, int]]:
    """Footnote labels that are used or defined, each once, with a place."""
    seen: dict[str, int] = {}
    for block in body.blocks:
        if block.part in {Part.CODE, Part.HTML}:
            continue
        if block.label:
            seen.setdefault(block.label, block.span.start)
        if "[^" in block.content and _FOOTNOTE.search(block.content):
            for mark in read_inline(block.content, (), body.references).marks:
                if not mark.label.isdigit() or block.content[mark.start : mark.start + 2] == "[^":
                    seen.setdefault(mark.label, block.offsets.to_source(mark.start))
    yield from seen.items()


def _exists(path: str, known: Collection[str]) -> bool:
    if path == "" or path in known:
        return True
    folder = path if path.endswith("/") else f"{path}/"
    return any(file.startswith(folder) for file in known)
