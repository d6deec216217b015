"""What the reviews of a day come to, and how much was turned away: counts and a table in markdown."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from viska_assets.store.supervised.loop_rows import VerdictSeen

MOST_EXCERPTS = 50


@dataclass(frozen=True)
class Summary:
    """Counts of verdicts and the words of each."""

    reviewed: int
    approved: int
    rejected: int
    expired: int
    by_cause: dict[str, int]
    excerpts: tuple[str, ...]

    @property
    def catch_rate(self) -> float:
        """The share of what was reviewed that was rejected; what expired was not reviewed."""
        return self.rejected / self.reviewed if self.reviewed else 0.0


def summarise(verdicts: Sequence[VerdictSeen]) -> Summary:
    """The summary of some verdicts; the same from the audit as from the tables, where nobody tampered."""
    outcomes = Counter(verdict.outcome for verdict in verdicts)
    causes = Counter(verdict.cause for verdict in verdicts if verdict.outcome == "rejected")
    return Summary(
        reviewed=outcomes["approved"] + outcomes["rejected"],
        approved=outcomes["approved"],
        rejected=outcomes["rejected"],
        expired=outcomes["expired"],
        by_cause=dict(sorted(causes.items())),
        excerpts=tuple(f"{v.artifact_id} {v.outcome}: {v.excerpt}" for v in verdicts),
    )


def markdown(summary: Summary) -> str:
    """The summary as an operator reads it."""
    head = (
        f"Reviewed {summary.reviewed}, approved {summary.approved}, rejected {summary.rejected} "
        f"({summary.catch_rate:.0%}), expired {summary.expired}."
    )
    causes = [f"| {cause} | {count} |" for cause, count in summary.by_cause.items()]
    table = ["", "| cause | rejected |", "|---|---:|", *causes] if causes else []
    said = [f"* {_plain(line)}" for line in summary.excerpts[:MOST_EXCERPTS]]
    more = len(summary.excerpts) - len(said)
    return "\n".join([head, *table, "", *said, *([f"* … and {more} more"] if more else [])])


def _plain(text: str) -> str:
    """Words of a candidate as plain text: no markup of theirs is shown."""
    return "".join(f"\\{c}" if c in "\\`*_{}[]<>#|!" else c for c in " ".join(text.split()))
