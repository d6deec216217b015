"""A run's state as rows for the next night: what changed since the one before, and what to start from."""

from collections.abc import Iterable

from viska_assets.lint.bundle import LintState
from viska_assets.lint.summary import PageSummary
from viska_assets.model.verdict import Verdict
from viska_assets.store.codec import from_json_text, to_json_text
from viska_assets.store.lint_rows import PageState


def recall(rows: Iterable[PageState], version: str) -> LintState:
    """The state that rows of this version hold; other rows were made by other code and count for nothing."""
    state = LintState()
    for row in rows:
        if row.version != version:
            continue
        state.summaries[row.path] = from_json_text(PageSummary, row.summary)
        if row.verdict_key is not None and row.verdict is not None:
            state.verdicts[row.verdict_key] = from_json_text(Verdict, row.verdict)
    return state


def to_remember(state: LintState, before: LintState, version: str) -> list[PageState]:
    """The rows of the pages that were read or judged anew since ``before``."""
    keys = {key[0]: key for key in state.verdicts}
    rows = []
    for path, summary in state.summaries.items():
        key = keys.get(path)
        # a page with nothing changed is the very same value: comparing by identity costs nothing
        is_known = before.summaries.get(path) is summary and (key is None or key in before.verdicts)
        if not is_known:
            verdict = to_json_text(Verdict, state.verdicts[key]) if key else None
            rows.append(PageState(path, version, to_json_text(PageSummary, summary), key, verdict))
    return rows
