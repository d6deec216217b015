"""One issuer however it is spelled: names from the policy, merges and splits, and notes that come before the filing."""

from pathlib import Path

import psycopg
import pytest

from tests.maintain.conftest import Desk
from tests.maintain.filings import Report
from viska_assets.maintain.issuers import IssuerError, merge_issuers, split_issuer
from viska_assets.store.aliases import alias_changes
from viska_assets.store.policy import parse_policy
from viska_assets.store.settings import SettingError

pytestmark = pytest.mark.database

ROWS = {
    "Total revenues": {2024: 1350, 2023: 1200},
    "Cost of revenues": {2024: 780, 2023: 700},
    "Operating income": {2024: 352, 2023: 310},
    "Net income": {2024: 271, 2023: 240},
}
OLDER = {label: {2023: values[2023], 2022: values[2023] - 90} for label, values in ROWS.items()}
NEWS = "Newswire\n\nAcme Tools opens a plant\n\nAcme Tools sold goods for $1,350 million in fiscal 2024.\n"


def test_a_note_that_came_before_the_filing_finds_its_issuer_afterwards(desk: Desk, tmp_path: Path) -> None:
    news = tmp_path / "news-2025-03-01.txt"
    news.write_text(NEWS)
    desk.take([news])
    assert not any(path.startswith("events/2") for path in desk.home.bundle.files())
    assert desk.take([Report("Acme Tools Inc.", 2024, ROWS).write(tmp_path)]) == {}
    assert "events/2025-03-01-acme-tools-news.md" in desk.home.bundle.files()
    assert "(/issuers/acme-tools.md)" in next(
        text for path, text in desk.home.bundle.files().items() if path.startswith("sources/news-2025")
    )


def test_two_names_of_one_issuer_are_merged_with_pages_and_trail(desk: Desk, tmp_path: Path) -> None:
    desk.take(
        [Report("Acme Tools Inc.", 2024, ROWS).write(tmp_path), Report("Zenith Ltd.", 2023, OLDER).write(tmp_path)]
    )
    assert {"issuers/acme-tools.md", "issuers/zenith.md"} <= set(desk.home.bundle.files())
    moved = merge_issuers(desk.home.database, "issuers/zenith", "issuers/acme-tools", actor="human:t", reason="renamed")
    assert len(moved.documents) == 2
    assert desk.take([]) == {}
    files = desk.home.bundle.files()
    assert "issuers/zenith.md" not in files
    assert "| Revenue | $1,350 million | $1,200 million | $1,110 million |" in desk.body("issuers/acme-tools")
    assert not any("zenith" in path for path in files if not path.startswith("sources/"))
    assert "issuers/zenith" not in files["index.md"] + files["issuers/index.md"]
    with desk.home.database.transaction() as connection:
        (change,) = alias_changes(connection)
        assert (change["action"], change["actor"], change["reason"]) == ("merge", "human:t", "renamed")
        with pytest.raises(psycopg.errors.RaiseException, match="only ever added"):
            connection.execute("DELETE FROM registry.alias_change")


def test_a_split_gives_the_documents_of_a_name_their_own_pages(desk: Desk, tmp_path: Path) -> None:
    desk.take(
        [Report("Acme Tools Inc.", 2024, ROWS).write(tmp_path), Report("Zenith Ltd.", 2023, OLDER).write(tmp_path)]
    )
    database = desk.home.database
    merge_issuers(database, "issuers/zenith", "issuers/acme-tools", actor="human:t", reason="by mistake")
    desk.take([])
    names = ["Zenith Ltd.", str(Report("Zenith Ltd.", 2023, {}).cik)]
    split_issuer(database, "issuers/acme-tools", "issuers/zenith", names, actor="human:t", reason="they are two")
    assert desk.take([]) == {}
    assert "| Revenue | $1,350 million | $1,200 million |" in desk.body("issuers/acme-tools")
    assert "| Revenue | $1,200 million | $1,110 million |" in desk.body("issuers/zenith")


def test_impossible_merges_and_splits_are_refused(desk: Desk, tmp_path: Path) -> None:
    desk.take([Report("Acme Tools Inc.", 2024, ROWS).write(tmp_path)])
    database = desk.home.database
    with pytest.raises(IssuerError, match="not known"):
        merge_issuers(database, "issuers/nobody", "issuers/acme-tools", actor="t", reason="r")
    with pytest.raises(IssuerError, match="not another issuer"):
        merge_issuers(database, "issuers/acme-tools", "issuers/acme-tools", actor="t", reason="r")
    with pytest.raises(IssuerError, match="needs a reason"):
        merge_issuers(database, "issuers/acme-tools", "issuers/other", actor="t", reason=" ")
    with pytest.raises(IssuerError, match="no such name: Other"):
        split_issuer(database, "issuers/acme-tools", "issuers/new", ["Other"], actor="t", reason="r")
    with pytest.raises(IssuerError, match="no id of an issuer"):
        split_issuer(database, "issuers/acme-tools", "events/../x", ["Acme Tools"], actor="t", reason="r")


POLICY = """
issuers:
  issuers/acme:
    names: [Acme Tools]
    tickers: [ACM]
"""


def test_the_desks_own_names_win_over_learned_ones(desk: Desk, tmp_path: Path) -> None:
    desk.home.__dict__["policy"] = parse_policy(POLICY, tmp_path / "policy.yaml")
    assert desk.take([Report("Acme Tools Inc.", 2024, ROWS).write(tmp_path)]) == {}
    assert {"issuers/acme.md"} == {p for p in desk.home.bundle.files() if p.startswith("issuers/a")}
    assert "# Acme Tools" in desk.body("issuers/acme")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("issuers: {issuers/Acme: {}}", "issuers/Acme"),
        ("issuers: {issuers/acme: {nmaes: []}}", "nmaes"),
        ("isuers: {}", "isuers"),
        ("issuers: [", "no YAML"),
    ],
)
def test_a_wrong_policy_names_the_file_and_the_place(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(SettingError, match=said) as refused:
        parse_policy(text, tmp_path / "policy.yaml")
    assert "policy.yaml" in str(refused.value)
