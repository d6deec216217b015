"""Lint over many nights: series to plot, rows to list, and an HTML page that stands alone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from html import escape
from typing import Any

from viska_assets.store.lint_rows import Night

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; color: #1c2430; }
table { border-collapse: collapse; width: 100%; margin: 1rem 0; }
th, td { text-align: left; padding: .3rem .6rem; border-bottom: 1px solid #dde2e8; vertical-align: top; }
td.n, th.n { text-align: right; } .hard { color: #a32020; } .warning { color: #7a5a00; } img { max-width: 100%; }
"""
MOST_FINDINGS = 2_000


@dataclass(frozen=True)
class Trends:
    """What is plotted over nights, oldest first: values by night, None where nothing was counted."""

    nights: tuple[datetime, ...]
    findings: Mapping[str, tuple[int, ...]]
    stale_pages: tuple[int, ...]
    oldest_waiting_days: tuple[int, ...]
    waiting: tuple[int, ...]


def trends(nights: Sequence[Night]) -> Trends:
    """The series of some nights, given newest first as the store has them."""
    ordered = tuple(reversed(nights))
    rules = sorted({rule for night in ordered for rule in night.counts})
    return Trends(
        nights=tuple(night.as_of for night in ordered),
        findings={rule: tuple(night.counts.get(rule, 0) for night in ordered) for rule in rules},
        stale_pages=tuple(len({f["path"] for f in night.findings if f["rule"] == "stale"}) for night in ordered),
        oldest_waiting_days=tuple(max(night.waiting_days, default=0) for night in ordered),
        waiting=tuple(len(night.waiting_days) for night in ordered),
    )


def as_rows(nights: Sequence[Night]) -> list[dict[str, Any]]:
    """A row a night, newest first: what ``viska lint --history`` prints."""
    return [
        {
            "report": night.report_id,
            "as_of": night.as_of.isoformat(),
            "pages": night.pages,
            "hard": night.hard,
            "warnings": len(night.findings) - night.hard,
            "by_rule": night.counts,
            "waiting": len(night.waiting_days),
            "oldest_waiting_days": max(night.waiting_days, default=0),
            "commit": night.bundle_commit,
            "engine": night.engine,
        }
        for night in nights
    ]


def as_export(nights: Sequence[Night]) -> dict[str, Any]:
    """The last night whole, and the nights before it as counts."""
    return {"nights": as_rows(nights), "findings": nights[0].findings if nights else []}


def as_html(nights: Sequence[Night], picture: str) -> str:
    """A page without script or address outside itself.

    Args:
        nights: Newest first.
        picture: The trends as a data address, or empty.
    """
    if not nights:
        return _document("<p>No night has been linted yet.</p>")
    last = nights[0]
    warnings = len(last.findings) - last.hard
    parts = [
        f"<p>{last.pages} pages as of {escape(last.as_of.isoformat())}: <b class=hard>{last.hard} hard</b>, "
        f"{warnings} warnings. Bundle {escape(last.bundle_commit[:12])}, engine {escape(last.engine)}.</p>",
        f'<img alt="Findings by rule, stale pages and the age of the queue, night by night" src="{picture}">'
        if picture
        else "",
        "<h2>Rules</h2>",
        _table(
            ("Rule", "Gravity", "Findings"),
            [(c.rule, c.gravity.value, "not run" if c.findings is None else c.findings) for c in last.rules],
        ),
        "<h2>Findings</h2>",
        _table(
            ("Place", "Gravity", "Code", "Finding", "Mend"),
            [
                (f"{f['path']}:{f['line']}", f["severity"], f["code"], f["message"], f["hint"])
                for f in sorted(last.findings, key=lambda f: f["severity"] != "hard")[:MOST_FINDINGS]
            ],
        ),
        f"<p>The first {MOST_FINDINGS} of {len(last.findings)}; the JSON beside this page has all.</p>"
        if len(last.findings) > MOST_FINDINGS
        else "",
        "<h2>Nights</h2>",
        _table(
            ("Night", "Pages", "Hard", "Warnings", "Waiting drafts", "Oldest, days"),
            [
                (r["as_of"], r["pages"], r["hard"], r["warnings"], r["waiting"], r["oldest_waiting_days"])
                for r in as_rows(nights)
            ],
        ),
    ]
    return _document("\n".join(part for part in parts if part))


def _table(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    head = "".join(f"<th>{escape(column)}</th>" for column in columns)
    lines = [
        "<tr>" + "".join(f"<td{_class(value)}>{escape(str(value))}</td>" for value in row) + "</tr>" for row in rows
    ]
    return f"<table><thead><tr>{head}</tr></thead><tbody>\n" + "\n".join(lines) + "\n</tbody></table>"


def _class(value: object) -> str:
    if isinstance(value, int):
        return " class=n"
    return f" class={value}" if value in ("hard", "warning") else ""


def _document(body: str) -> str:
    policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        f"<title>Viska lint</title><style>{STYLE}</style></head>\n<body><h1>Lint</h1>\n{body}\n</body></html>\n"
    )
