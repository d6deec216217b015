"""G084: what cannot be written is kept, each write in its file, and written once when the database is there again."""

import contextlib
import json
import resource
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.supervise.desk import MOMENT, Desk, signal
from viska_assets.store.database import Database
from viska_assets.store.policy import Policy
from viska_assets.store.policy_governance import SpoolSection
from viska_assets.store.supervised.matrix import Writer
from viska_assets.store.supervised.spooled_rows import Write, WriteError
from viska_assets.store.supervised.verdicts import pending
from viska_assets.supervise import connect, killing, pausing
from viska_assets.supervise.governance.cycle import run_cycle
from viska_assets.supervise.spool.files import Spool, SpoolError, TornError
from viska_assets.supervise.spool.replaying import Replayed, replay
from viska_assets.supervise.spool.writing import Became, write_or_spool

POLICY = SpoolSection()
AWAY = "postgresql://nobody@127.0.0.1:1/none"


class Outage:
    """Gives a database that is away for so many calls, then the real one; remembers the waits."""

    def __init__(self, real: Callable[[], Database], calls: int) -> None:
        self._real, self.left = real, calls
        self.waits: list[float] = []

    def open(self) -> Database:
        if self.left == 0:
            return self._real()
        self.left -= 1
        return Database(AWAY, patience=0.05)


def report(title: str = "Today", **columns: object) -> Write:
    row = {"kind": "daily_digest", "day": "2026-03-01", "title": title, "body": "b", "artifacts": [1]} | columns
    return Write(Writer.PLUTUS, "reports.report", row, uuid4(), MOMENT)


def spool_of(desk: Desk, writer: Writer = Writer.PLUTUS) -> Spool:
    return Spool(desk.settings.spool_path, writer)


def put(
    desk: Desk, write: Write, calls: int = 3, alert: Callable[[], None] = lambda: None
) -> tuple[Became, list[float]]:
    outage = Outage(lambda: connect(write.writer, desk.settings), calls)
    became = write_or_spool(
        outage.open, spool_of(desk, write.writer), write, POLICY, alert=alert, sleep=outage.waits.append
    )
    return became, outage.waits


def replayed(desk: Desk, writer: Writer = Writer.PLUTUS) -> Replayed:
    return replay(connect(writer, desk.settings), spool_of(desk, writer))


@pytest.mark.database
def test_g084_a_short_outage_is_waited_out_with_growing_waits(desk: Desk) -> None:
    assert put(desk, report(), calls=2) == (Became.WRITTEN, [0.5, 1.0])
    assert spool_of(desk).waiting() == []


@pytest.mark.database
def test_g084_a_long_one_is_spooled_told_once_and_replayed_exactly_once(desk: Desk) -> None:
    told: list[str] = []
    writes = [report(f"day {number}") for number in range(5)]
    for write in writes:
        assert put(desk, write, alert=lambda: told.append("away"))[0] is Became.SPOOLED
    assert told == ["away"]
    files = spool_of(desk).waiting()
    copies = {path: path.read_bytes() for path in files}
    assert replayed(desk) == Replayed(written=5)
    for path, content in copies.items():
        path.write_bytes(content)
    assert replayed(desk) == Replayed(stood=5), "a replay that died before it removed the files adds nothing"
    assert replayed(desk) == Replayed()
    rows = desk.owner("SELECT title, event_at, recorded_at > event_at, written_by FROM reports.report ORDER BY title")
    assert rows == [(f"day {number}", MOMENT, True, "plutus") for number in range(5)]


@pytest.mark.database
def test_g084_a_paused_or_disabled_writer_slips_nothing_in(desk: Desk) -> None:
    put(desk, report())
    pausing.pause(desk.settings, desk.database, Writer.PLUTUS, reason="r", requested_by="w")
    held = replayed(desk)
    assert (held.waiting, held.written) == (1, 0)
    assert "plutus_active" in held.held
    pausing.resume(desk.settings, desk.database, Writer.PLUTUS, reason="r", requested_by="w")
    killing.kill(desk.settings, desk.database, Writer.PLUTUS, reason="r", requested_by="w")
    assert replayed(desk).waiting == 1
    with pytest.raises(psycopg.OperationalError, match="not permitted to log in"):
        put(desk, report(), calls=0)
    assert len(spool_of(desk).waiting()) == 1, "a writer who was stopped keeps nothing for later"
    killing.revive(desk.settings, desk.database, Writer.PLUTUS, reason="r", requested_by="w")
    assert replayed(desk) == Replayed(written=1)


@pytest.mark.database
def test_g084_a_replayed_candidate_waits_for_its_review_like_any_other(desk: Desk) -> None:
    row = signal("Sales fell", trace_id=desk.trace())
    row["citations"] = json.loads(str(row["citations"]))
    put(desk, Write(Writer.NOUS, "signals.candidate", row, uuid4(), MOMENT))
    assert replayed(desk, Writer.NOUS).written == 1
    with desk.as_writer(Writer.PLUTUS) as connection:
        assert len(pending(connection)) == 1
    assert desk.owner("SELECT count(*) FROM signals.approved") == [(0,)]


@pytest.mark.database
@pytest.mark.parametrize("harm", ["torn", "altered", "renamed"])
def test_g084_a_torn_or_altered_file_is_kept_aside_and_named(desk: Desk, harm: str) -> None:
    put(desk, report("good"))
    put(desk, report("bad"))
    good, bad = sorted(spool_of(desk).waiting(), key=lambda path: b"bad" in path.read_bytes())
    content = bad.read_bytes()
    if harm == "torn":
        bad.write_bytes(content[: len(content) // 2])
    elif harm == "altered":
        bad.write_bytes(content.replace(b"bad", b"BAD"))
    else:
        bad.rename(bad.with_suffix(".partial"))
    done = replayed(desk)
    assert (done.written, done.waiting) == (1, 0)
    assert [name.partition(".")[0] for name in done.aside] == [bad.stem]
    assert desk.owner("SELECT title FROM reports.report") == [("good",)]
    for _ in range(2):
        run_cycle(connect("governance", desk.settings), Policy(), desk.settings.spool_path)
    told = desk.owner("SELECT kind, evidence ->> 'aside' FROM governance.incident")
    assert told == [("write_failure", f"plutus/{done.aside[0]}")]
    assert not good.exists()


@pytest.mark.database
def test_g084_what_the_database_refuses_is_kept_aside_with_its_reason(desk: Desk) -> None:
    with pytest.raises(psycopg.errors.CheckViolation):
        put(desk, report(kind="gossip"), calls=0)
    put(desk, report(kind="gossip"))
    done = replayed(desk)
    assert done.aside
    [(_, why)] = spool_of(desk).aside()
    assert why.startswith("refused, 23514: ")


@pytest.mark.database
def test_g084_what_waits_is_an_incident_and_a_measure(desk: Desk) -> None:
    put(desk, report())
    run_cycle(connect("governance", desk.settings), Policy(), desk.settings.spool_path)
    assert desk.owner("SELECT kind FROM governance.incident") == [("write_failure",)]
    assert desk.owner("SELECT value FROM governance.metric WHERE name = 'spool_depth'") == [(1.0,)]


def test_g084_an_unwritable_spool_raises(tmp_path: Path) -> None:
    (tmp_path / "plutus").write_text("a file where the folder should be")
    with pytest.raises(SpoolError, match="does not take a write"):
        write_or_spool(
            lambda: Database(AWAY, patience=0.05),
            Spool(tmp_path, Writer.PLUTUS),
            report(),
            POLICY,
            sleep=lambda _: None,
        )


def test_g084_a_disk_without_room_raises_and_leaves_nothing(tmp_path: Path) -> None:
    spool = Spool(tmp_path, Writer.PLUTUS)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, hard))
    try:
        with pytest.raises(SpoolError, match=r"does not take a write to reports\.report"):
            spool.put(report())
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert list(spool.folder.iterdir()) == []


def test_a_spool_keeps_what_it_was_given(tmp_path: Path) -> None:
    spool, write = Spool(tmp_path, Writer.PLUTUS), report("Ærø\n“x”")
    path = spool.put(write)
    assert spool.read(path) == write
    assert path.stat().st_mode & 0o77 == 0


@given(at=st.integers(0, 10_000), byte=st.integers(0, 255))
def test_no_changed_byte_goes_unnoticed(tmp_path_factory: pytest.TempPathFactory, at: int, byte: int) -> None:
    spool, write = Spool(tmp_path_factory.mktemp("s"), Writer.PLUTUS), report()
    path = spool.put(write)
    content = bytearray(path.read_bytes())
    content[at % len(content)] = byte
    path.write_bytes(content)
    with contextlib.suppress(TornError):
        assert spool.read(path) == write


@pytest.mark.parametrize(
    ("table", "row"),
    [
        ("signals.approved", {"verdict_excerpt": "x"}),
        ("reports.report", {"written_by": "x"}),
        ("reports.report", {"op_id": "x"}),
        ("reports.report", {'title") VALUES (1) --': "x"}),
        ("audit.entry", {"actor": "x"}),
    ],
)
def test_a_write_that_its_writer_may_not_make_is_none(table: str, row: dict[str, object]) -> None:
    writer = Writer.NOUS if table == "signals.approved" else Writer.PLUTUS
    with pytest.raises(WriteError):
        Write(writer, table, row, uuid4(), datetime.now(tz=UTC))
