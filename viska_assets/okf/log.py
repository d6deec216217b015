"""``log.md``: rendering the bundle's history by day, newest first, and reading one back with what is wrong in it."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from itertools import groupby

from viska_assets.okf.blocks import Part, read_body
from viska_assets.okf.frontmatter import find_head
from viska_assets.okf.issue import Issue, Level
from viska_assets.okf.positions import LineTable

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_KIND = re.compile(r"\*\*([^*]+)\*\*:?\s*")


class LogKind(StrEnum):
    """What happened, as the leading bold word of a log line."""

    INGEST = "Ingest"
    UPDATE = "Update"
    QUARANTINE = "Quarantine"
    REPAIR = "Repair"
    DISCARD = "Discard"
    DEPRECATION = "Deprecation"
    LINT = "Lint"


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One line of the log: ``text`` is markdown on one line."""

    day: date
    kind: LogKind
    text: str


@dataclass(frozen=True, slots=True)
class ReadEntry:
    """One line of a log as read; ``kind`` is empty where no bold word leads it."""

    day: date | None
    kind: str
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class ReadLog:
    """A log as read, and what breaks or bends OKF v0.2 §9."""

    entries: tuple[ReadEntry, ...]
    issues: tuple[Issue, ...]


def render_log(entries: Iterable[LogEntry], title: str = "Bundle log") -> str:
    """Write a log.

    Args:
        entries: The entries, oldest first; those of one day keep their order, reversed.
        title: The heading of the file.
    """
    newest_first = sorted(reversed(list(entries)), key=lambda entry: entry.day, reverse=True)
    parts = [f"# {title}\n"]
    for day, members in groupby(newest_first, key=lambda entry: entry.day):
        lines = [f"* **{entry.kind}**: {' '.join(entry.text.split())}\n" for entry in members]
        parts.append(f"\n## {day.isoformat()}\n\n" + "".join(lines))
    return "".join(parts)


def read_log(text: str, path: str) -> ReadLog:
    """Read a log and check its structure."""
    issues: list[Issue] = []
    head = find_head(text)
    if head is not None:
        message = "a log has no frontmatter; it is not taken for a concept"
        issues.append(Issue(path, 1, 1, "LOG_FRONTMATTER", message, Level.WARNING))
    lines = LineTable.of(text)
    body = read_body(text, head.body_start if head else 0, len(text), lines)
    day: date | None = None
    seen: list[date] = []
    entries: list[ReadEntry] = []
    for block in body.blocks:
        line = lines.place(block.span.start)[0]
        if block.part is Part.HEADING and block.level == 2:
            day = _read_day(block.content.strip())
            if day is None:
                hint = "write ## 2026-11-30"
                message = f"the heading {block.content!r} is not an ISO date"
                issues.append(Issue(path, line, 1, "LOG_HEADING", message, Level.ERROR, hint))
                continue
            if seen and day == seen[-1]:
                issues.append(Issue(path, line, 1, "LOG_REPEATED_DAY", f"{day} has two headings", Level.WARNING))
            elif seen and day > seen[-1]:
                issues.append(Issue(path, line, 1, "LOG_ORDER", f"{day} stands after {seen[-1]}: newest first"))
            seen.append(day)
        elif block.part is Part.LIST_ITEM:
            kind = _KIND.match(block.content)
            rest = block.content[kind.end() :] if kind else block.content
            entries.append(ReadEntry(day, kind[1].rstrip(":") if kind else "", rest, line))
    return ReadLog(tuple(entries), tuple(sorted(issues)))


def _read_day(text: str) -> date | None:
    if _DAY.fullmatch(text) is None:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None
