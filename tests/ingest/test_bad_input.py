"""A batch of bad files with a good one among them: each has a named error, the good one is read."""

import io
import os
import zipfile
from pathlib import Path

import psycopg
import pytest
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen import canvas

from viska_assets.ingest.pipeline import ReadResult, read_received
from viska_assets.ingest.readers import ReadingPlan, Unreadable, read_many
from viska_assets.ingest.receiving import Received, receive_files
from viska_assets.retrieval.analyser import terms_of
from viska_assets.store.blobs import RawBlobs
from viska_assets.store.documents import incidents
from viska_assets.store.home import Home

pytestmark = pytest.mark.database
GOOD = b"Acme Corp. reported net sales of $1,234 million for fiscal 2024.\n"


def encrypted_pdf() -> bytes:
    buffer = io.BytesIO()
    page = canvas.Canvas(buffer, encrypt=StandardEncryption("secret", ownerPassword="owner", canPrint=0))
    page.drawString(72, 720, "Net sales were $1,234 million.")
    page.save()
    return buffer.getvalue()


def zip_bomb() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("word/document.xml", b"\0" * (400 * 1024 * 1024))
    return buffer.getvalue()


BAD = {
    "empty.txt": b"",
    "zero.pdf": b"",
    "locked.pdf": encrypted_pdf(),
    "broken.pdf": b"%PDF-1.7\n1 0 obj\n<<",
    "picture.html": bytes(range(256)) * 64,
    "bomb.docx": zip_bomb(),
    "torn.docx": b"PK\x03\x04 not a zip",
}


def ingest(home: Home, folder: Path, **more: object) -> tuple[Received, dict[str, ReadResult]]:
    limits = {"largest": 1024 * 1024, "root": folder, "feed": "test"} | more
    received = receive_files(home.database, home.blobs, sorted(folder.iterdir()), at=home.settings.clock(), **limits)
    results = read_received(home.database, home.blobs, ReadingPlan("minilm-int8"), terms_of)
    return received, {result.name: result for result in results}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "feed"
    folder.mkdir()
    (folder / "good.txt").write_bytes(GOOD)
    return folder


def test_each_bad_file_has_a_named_error_and_the_rest_goes_on(home: Home, folder: Path) -> None:
    for name, data in BAD.items():
        (folder / name).write_bytes(data)
    _, results = ingest(home, folder)
    assert results["good.txt"].error == ""
    assert results["good.txt"].evidence >= 1
    failed = {name: result.error for name, result in results.items() if result.error}
    # The two empty files are one document: the same bytes are delivered twice.
    assert len(failed) == len(BAD) - 1
    assert all(name in error for name, error in failed.items())
    with home.database.transaction() as connection:
        assert {row["document"] for row in incidents(connection)} == set(failed)


def test_a_failed_document_is_not_tried_again_and_a_second_run_adds_nothing(home: Home, folder: Path) -> None:
    (folder / "locked.pdf").write_bytes(BAD["locked.pdf"])
    ingest(home, folder)
    received, results = ingest(home, folder)
    assert (received.new, len(received.known), results) == ((), 2, {})


def test_too_large_a_file_names_the_limit(home: Home, folder: Path) -> None:
    (folder / "huge.txt").write_bytes(b"x" * (1024 * 1024 + 1))
    received, results = ingest(home, folder)
    assert [r.path for r in received.refused] == ["huge.txt"]
    assert "over the limit of 1,048,576" in received.refused[0].reason
    assert set(results) == {"good.txt"}


def test_a_link_out_of_the_folder_is_refused(home: Home, folder: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("not for the desk")
    (folder / "innocent.txt").symlink_to(secret)
    received, _ = ingest(home, folder)
    assert [r.path for r in received.refused] == ["innocent.txt"]
    assert "leads out of the feed's folder" in received.refused[0].reason


def test_a_path_with_dots_is_refused(home: Home, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "outside.txt").write_text("outside")
    received = receive_files(
        home.database,
        home.blobs,
        [folder / ".." / "outside.txt"],
        feed="test",
        root=folder,
        at=home.settings.clock(),
        largest=1024,
    )
    assert "leads out of the feed's folder" in received.refused[0].reason


def test_a_dangling_link_is_refused_by_name(home: Home, folder: Path) -> None:
    (folder / "gone.txt").symlink_to(folder / "nowhere.txt")
    received, results = ingest(home, folder)
    assert [(r.path, "deliver it again" in r.reason) for r in received.refused] == [("gone.txt", True)]
    assert set(results) == {"good.txt"}


@pytest.mark.skipif(os.geteuid() == 0, reason="an administrator may read every file")
def test_an_unreadable_file_is_refused_by_name(home: Home, folder: Path) -> None:
    (folder / "private.txt").write_text("secret")
    (folder / "private.txt").chmod(0)
    received, _ = ingest(home, folder)
    assert received.refused[0].reason == "the file may not be read; grant read permission and deliver it again"


def test_permission_denied_is_an_incident(home: Home, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "private.txt").write_text("secret")
    read_bytes = Path.read_bytes

    def denied(path: Path) -> bytes:
        if path.name == "private.txt":
            raise PermissionError(13, "Permission denied")
        return read_bytes(path)

    monkeypatch.setattr(Path, "read_bytes", denied)
    received, results = ingest(home, folder)
    assert "grant read permission" in received.refused[0].reason
    assert set(results) == {"good.txt"}
    with home.database.transaction() as connection:
        assert [row["document"] for row in incidents(connection)] == ["private.txt"]


def test_bytes_that_are_not_utf8_are_read_with_a_notice(home: Home, folder: Path) -> None:
    (folder / "latin.txt").write_bytes("Omsætning steg til 1.234 mio. kr. i året.".encode("latin-1"))
    _, results = ingest(home, folder)
    assert results["latin.txt"].error == ""
    assert results["latin.txt"].chunks == 1
    with home.database.transaction() as connection:
        row = connection.execute("SELECT text FROM retrieval.chunk WHERE text LIKE '%steg%'").fetchone()
    assert row is not None
    assert "Omsætning" in row[0]


def test_a_full_disk_refuses_the_file_and_the_next_run_takes_it(
    home: Home, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put = RawBlobs.put

    def full(blobs: RawBlobs, data: bytes) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(RawBlobs, "put", full)
    received, _ = ingest(home, folder)
    assert "No space left" in received.refused[0].reason
    monkeypatch.setattr(RawBlobs, "put", put)
    received, results = ingest(home, folder)
    assert len(received.new) == 1
    assert results["good.txt"].error == ""


def test_a_database_that_goes_away_leaves_the_document_to_the_next_run(
    home: Home, folder: Path, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import viska_assets.ingest.pipeline as pipeline

    store = pipeline.store_reading

    def cut(connection, stored, reading, terms) -> None:
        store(connection, stored, reading, terms)
        with psycopg.connect(database_url, autocommit=True) as other:
            other.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )

    monkeypatch.setattr(pipeline, "store_reading", cut)
    with pytest.raises(psycopg.OperationalError):
        ingest(home, folder)
    monkeypatch.setattr(pipeline, "store_reading", store)
    home.close()
    with home.database.transaction() as connection:
        assert connection.execute("SELECT count(*) FROM retrieval.chunk").fetchone() == (0,)
    _, results = ingest(home, folder)
    assert results["good.txt"].chunks == 1


def crash(*_: object) -> None:
    raise IndexError("a defect of the reader")


def test_a_defect_of_the_reader_is_an_incident_with_its_trace(
    home: Home, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("viska_assets.ingest.readers.cut_chunks", crash)
    _, results = ingest(home, folder)
    assert "the reader failed on it (IndexError in crash" in results["good.txt"].error
    with home.database.transaction() as connection:
        assert [(row["kind"], "Traceback" in row["detail"]) for row in incidents(connection)] == [
            ("reader_defect", True)
        ]


def test_workers_read_the_same_as_one_process(home: Home, folder: Path) -> None:
    for number in range(6):
        (folder / f"{number}.txt").write_bytes(GOOD + str(number).encode())
    received = receive_files(
        home.database,
        home.blobs,
        sorted(folder.iterdir()),
        feed="t",
        root=folder,
        at=home.settings.clock(),
        largest=9999,
    )
    documents = [(document_id, f"{number}.txt") for number, document_id in enumerate(received.new)]
    plan = ReadingPlan("minilm-int8")
    assert list(read_many(documents, home.blobs.url, plan, 2)) == list(read_many(documents, home.blobs.url, plan, 1))


def test_a_document_that_kills_its_worker_does_not_take_the_others_along(
    home: Home, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    received, _ = ingest(home, folder)
    good = received.new[0]
    documents = [(good, "a.txt"), (good, "b.txt"), (good, KILLER), (good, "c.txt"), (good, "d.txt")]
    monkeypatch.setattr("viska_assets.ingest.readers.read_blob", read_or_die)
    found = [what for _, what in read_many(documents, home.blobs.url, ReadingPlan("minilm-int8"), 2)]
    unreadable = [what.reason for what in found if isinstance(what, Unreadable)]
    assert len(found) == 5
    assert len(unreadable) == 1
    assert unreadable[0].startswith(f"{KILLER}: reading it ended the reading process")


KILLER = "killer.txt"


def read_or_die(blob_url: str, document_id: str, name: str, plan: ReadingPlan, folder: str):
    from viska_assets.ingest.readers import read_blob

    if name == KILLER:
        os._exit(1)
    return read_blob(blob_url, document_id, name, plan, folder)
