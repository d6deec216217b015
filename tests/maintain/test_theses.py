"""A house's view over time: the newest note stands, older ones are history, a change of rating is an event."""

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path

import pytest

from samples.broker_notes import FIRST, Note, build_signed_note, dns_answers
from tests.conftest import REPOSITORY
from tests.maintain.conftest import Desk

pytestmark = pytest.mark.database
THESIS = "theses/apple-fjordland-example"
FILING = REPOSITORY / "samples" / "feed" / "aapl-10-k-2024-11-01.html"


def later(day: int, rating: str, target: str, case: Sequence[str]) -> Note:
    sent = datetime(2024, 12, day, 8, tzinfo=UTC)
    return replace(
        FIRST,
        date=format_datetime(sent),
        sent_epoch=int(sent.timestamp()),
        message_id=f"<aapl-202412{day:02d}@fjordland.example>",
        rating=rating,
        target=target,
        case=tuple(case),
    )


@pytest.fixture
def covered(desk: Desk) -> Desk:
    desk.home.settings.home_path.mkdir(parents=True, exist_ok=True)
    desk.home.settings.dns_path.write_text(json.dumps(dns_answers()))
    desk.take([FILING])
    return desk


def send(desk: Desk, folder: Path, *notes: Note) -> dict[str, tuple[str, ...]]:
    paths = []
    for note in notes:
        path = folder / f"{note.message_id.strip('<>').replace('@', '-')}.eml"
        path.write_bytes(build_signed_note(note))
        paths.append(path)
    return desk.take(paths)


RAISED = later(2, "Buy", "$280", ["Margins of services have risen faster than we had thought possible."])
CUT = later(9, "Hold", "$230", ["We downgrade the shares from Buy to Hold as the price has run ahead of earnings."])


def test_a_later_note_stands_and_the_earlier_one_is_history(covered: Desk, tmp_path: Path) -> None:
    assert send(covered, tmp_path, FIRST) == {}
    assert send(covered, tmp_path, RAISED) == {}
    body = covered.body(THESIS)
    view, history = body.split("## Arguments")[0], body.split("## History")[1]
    assert "“Price target: $280 per share.”" in view and "$265" not in view
    assert "“Price target: $265 per share.”" in history
    assert "The installed base keeps growing" in history
    assert "reason: revision" in covered.page(THESIS)
    targets = {c.value: c for c in covered.claims() if c.key.metric == "price_target"}
    assert targets["$265"].superseded_by == targets["$280"].claim_id


@pytest.mark.parametrize("reverse", [False, True])
def test_notes_in_any_order_make_the_same_page(covered: Desk, tmp_path: Path, reverse: bool) -> None:
    notes = [FIRST, RAISED, CUT]
    for note in reversed(notes) if reverse else notes:
        assert send(covered, tmp_path, note) == {}
    body = covered.body(THESIS)
    assert "* Rating: Hold" in body.split("## Arguments")[0]
    history = body.split("## History")[1]
    assert history.index("$280") < history.index("$265")


def test_a_change_of_rating_is_an_event_of_its_own(covered: Desk, tmp_path: Path) -> None:
    assert send(covered, tmp_path, FIRST, CUT) == {}
    event = "events/2024-12-09-apple-rating-change-by-fjordland-research"
    assert "“We downgrade the shares from Buy to Hold" in covered.body(event)
    assert f"(/{event}.md)" in covered.page("issuers/apple")


def test_two_notes_of_one_day_contradict_until_a_person_decides(covered: Desk, tmp_path: Path) -> None:
    sent = datetime(2024, 12, 2, 9, 30, tzinfo=UTC)
    same_day = replace(
        RAISED,
        date=format_datetime(sent),
        sent_epoch=int(sent.timestamp()),
        message_id="<aapl-20241202b@fjordland.example>",
        rating="Sell",
        target="$150",
    )
    assert send(covered, tmp_path, RAISED) == {}
    refused = send(covered, tmp_path, same_day)
    assert "CONTRADICTION" in refused[THESIS]
    assert "$150" not in covered.page(THESIS)
