"""G016 and the chain: what writers did is sealed, and whoever alters it is found, a superuser too."""

import pytest

from tests.supervise.desk import Desk
from viska_assets.store.supervised.anchors import Anchor, anchor_in_bundle, anchors_in_bundle
from viska_assets.store.supervised.audit_rows import chain
from viska_assets.store.supervised.matrix import Writer
from viska_assets.supervise.auditing import Fault, canonical, seal, verify

pytestmark = pytest.mark.database
HIDDEN = "SET LOCAL session_replication_role = replica; "
RECHAIN = (
    HIDDEN
    + """
    UPDATE audit.entry SET detail = '{"outcome": "approved"}' WHERE entry_id = 3;
    DO $$ DECLARE s record; last bytea := sha256(''); BEGIN
        FOR s IN SELECT * FROM audit.seal ORDER BY seq LOOP
            UPDATE audit.seal SET prev = last, hash = sha256(last || (SELECT audit.canonical(e) FROM audit.entry e
                WHERE e.entry_id = s.entry_id)) WHERE seq = s.seq RETURNING hash INTO last;
        END LOOP;
    END $$
"""
)


@pytest.fixture
def sealed(desk: Desk) -> Desk:
    desk.approved()
    desk.candidate("another")
    number, head = seal(desk.settings, desk.database)
    assert number == head.seq > 15
    anchor_in_bundle(desk.home.bundle, head, desk.settings.clock())
    return desk


def faults(desk: Desk) -> set[Fault]:
    return {broken.fault for broken in verify(desk.database, anchors_in_bundle(desk.home.bundle)).broken}


def test_an_untouched_chain_is_intact_and_everything_is_in_it(sealed: Desk) -> None:
    report = verify(sealed.database, anchors_in_bundle(sealed.home.bundle))
    assert (report.broken, report.waiting, report.anchors) == ((), 0, 1)
    assert report.links == sealed.owner("SELECT count(*) FROM audit.entry")[0][0]
    noted = {row[0].partition(":")[0] for row in sealed.owner("SELECT object FROM audit.entry")}
    assert {"signals.candidate", "signals.approved", "review.verdict", "review.check_result", "nous.trace"} <= noted
    assert seal(sealed.settings, sealed.database)[0] == 0


@pytest.mark.parametrize(
    ("tamper", "found"),
    [
        ("UPDATE audit.entry SET detail = '{}' WHERE entry_id = 3", Fault.CONTENT),
        ("UPDATE audit.entry SET actor = 'plutus' WHERE entry_id = 3", Fault.CONTENT),
        ("UPDATE audit.entry SET at = at + interval '1 microsecond' WHERE entry_id = 3", Fault.CONTENT),
        ("DELETE FROM audit.entry WHERE entry_id = 3", Fault.CONTENT),
        ("DELETE FROM audit.seal WHERE entry_id = 3; DELETE FROM audit.entry WHERE entry_id = 3", Fault.GAP),
        ("UPDATE audit.seal SET hash = sha256('x') WHERE entry_id = 3", Fault.PREV),
        (
            "DELETE FROM audit.seal WHERE seq > 10; DELETE FROM audit.entry WHERE entry_id NOT IN "
            "(SELECT entry_id FROM audit.seal)",
            Fault.HEAD,
        ),
        (RECHAIN, Fault.HEAD),
        (
            "INSERT INTO audit.entry (xid, actor, action, object, detail) VALUES ('3', 'a', 'b', 'c', '{}')",
            Fault.UNSEALED,
        ),
        ("UPDATE reports.report SET title = 'x'; UPDATE nous.trace SET engine = 'another'", Fault.ROW),
        ("DELETE FROM signals.approved", Fault.ROW),
        (
            "INSERT INTO nous.trace (engine, token_budget, written_by, recorded_at) VALUES ('e', 1, 'nous', now())",
            Fault.ROW,
        ),
    ],
)
def test_tampering_by_a_superuser_is_found(sealed: Desk, tamper: str, found: Fault) -> None:
    sealed.owner(HIDDEN + tamper)
    assert found in faults(sealed)


@pytest.mark.parametrize("tamper", [RECHAIN, HIDDEN + "DELETE FROM audit.seal WHERE seq > 10"])
def test_without_a_head_kept_elsewhere_some_tampering_could_not_be_seen_in_the_chain(sealed: Desk, tamper: str) -> None:
    sealed.owner(tamper)
    chain_faults = {broken.fault for broken in verify(sealed.database, []).broken}
    assert not chain_faults & {Fault.CONTENT, Fault.PREV, Fault.GAP, Fault.HEAD}
    assert Fault.HEAD in faults(sealed)


def test_an_open_writer_delays_the_seal_of_its_time_and_nothing_is_lost(desk: Desk) -> None:
    seal(desk.settings, desk.database)
    with desk.connect(Writer.NOUS) as slow:
        slow.execute("INSERT INTO nous.trace (engine, token_budget) VALUES ('slow', 1)")
        desk.trace()
        assert seal(desk.settings, desk.database)[0] == 0
        assert verify(desk.database, []).waiting == 2
        slow.commit()
    assert seal(desk.settings, desk.database)[0] == 3
    assert faults(desk) == set()


def test_sealing_in_small_steps_gives_the_same_chain(desk: Desk) -> None:
    desk.approved()
    while desk.owner("SELECT audit.seal_entries(3)") != [(0,)]:
        pass
    assert faults(desk) == set()
    assert desk.owner("SELECT count(*) FROM audit.seal") == desk.owner("SELECT count(*) FROM audit.entry")


def test_a_writer_cannot_hold_up_the_seal(desk: Desk) -> None:
    desk.trace()
    with desk.connect(Writer.NOUS) as nous:
        for key in (7_411_001, 7_411_002, 7_411_003, 0, 1):
            nous.execute("SELECT pg_advisory_lock(%s)", (key,))
        nous.commit()
        assert seal(desk.settings, desk.database)[0] > 0


def test_the_bytes_are_reckoned_alike_here_and_in_the_database(desk: Desk) -> None:
    with desk.as_writer(Writer.NOUS) as connection:
        connection.execute(
            "SELECT audit.append('æ', '', %s)", ('{"b": 1.00, "aa": [1e3, "\\u0007é\\"\\\\"], "": null}',)
        )
        connection.execute("SET timezone = 'Asia/Kolkata'; SET datestyle = 'German'")
        connection.execute("INSERT INTO nous.trace (engine, token_budget) VALUES ('e', 1)")
    seal(desk.settings, desk.database)
    theirs = dict(desk.owner("SELECT e.entry_id::text, audit.canonical(e) FROM audit.entry e"))
    with desk.database.transaction() as connection:
        ours = {link.entry_id: canonical(link) for link in chain(connection)}
    assert ours == theirs
    assert faults(desk) == set()


def test_only_governance_seals(desk: Desk) -> None:
    for writer in set(Writer) - {Writer.GOVERNANCE}:
        assert desk.refused(writer, "SELECT audit.seal_entries(10)") == "42501"


def test_a_rolled_back_write_leaves_no_entry(desk: Desk) -> None:
    before = desk.owner("SELECT count(*) FROM audit.entry")
    with desk.connect(Writer.NOUS) as nous:
        nous.execute("INSERT INTO nous.trace (engine, token_budget) VALUES ('e', 1)")
        nous.rollback()
    assert desk.owner("SELECT count(*) FROM audit.entry") == before


def test_the_anchor_is_beside_the_bundle_and_not_in_it(desk: Desk) -> None:
    bundle = desk.home.bundle
    when = desk.settings.clock()
    bundle.write({"issuers/a.md": "# A\n"}, (), "A page", (), when)
    before = (bundle.head(), bundle.files(), bundle.uncommitted())
    for number in range(3):
        desk.trace()
        first = anchor_in_bundle(bundle, seal(desk.settings, desk.database)[1], when)
        again = anchor_in_bundle(bundle, seal(desk.settings, desk.database)[1], when)
        assert first == again
        assert len(anchors_in_bundle(bundle)) == number + 1
    assert (bundle.head(), bundle.files(), bundle.uncommitted()) == before


def test_a_false_head_is_named(sealed: Desk) -> None:
    report = verify(sealed.database, [Anchor(2, "ab" * 32, "run 1"), Anchor(999, "cd" * 32, "run 2")])
    said = [broken.detail for broken in report.broken]
    assert len(said) == 2
    assert "run 1" in said[0] and "made anew" in said[0]
    assert "run 2" in said[1] and "cut off" in said[1]


def test_a_replayed_write_adds_neither_row_nor_entry(desk: Desk) -> None:
    op_id = "6f3c8d9e-0000-4000-8000-000000000001"
    statement = (
        "INSERT INTO nous.trace (engine, token_budget, op_id, event_at) VALUES ('e', 1, %s, '2026-01-01') "
        "ON CONFLICT (op_id) DO NOTHING"
    )
    for _ in range(2):
        with desk.as_writer(Writer.NOUS) as connection:
            connection.execute(statement, (op_id,))
    assert desk.owner("SELECT count(*) FROM nous.trace") == [(1,)]
    assert desk.owner("SELECT count(*) FROM audit.entry WHERE starts_with(object, 'nous.trace:')") == [(1,)]
