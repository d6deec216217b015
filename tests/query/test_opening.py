"""From a footnote to the byte in two steps, and what opening shows of each reference."""

import re
from collections.abc import Iterator

import pytest

from tests.fingerprint import fingerprint
from tests.query.test_search import reader_of
from tests.retrieval.corpus import add_texts
from viska_assets.model.span import OffsetMap, Span
from viska_assets.query.answer import answer
from viska_assets.query.errors import QueryError
from viska_assets.query.intents import Intent, intent_of
from viska_assets.query.library import Library, Reader
from viska_assets.query.opened_html import opened_html
from viska_assets.query.opening import open_reference
from viska_assets.query.places import byte_span, source_span
from viska_assets.query.results import Tier
from viska_assets.query.search import search
from viska_assets.query.source_check import source_check
from viska_assets.query.trace import trace
from viska_assets.query.wording import Asking
from viska_assets.store.blobs import RawBlobs
from viska_assets.store.database import Connection, Database
from viska_assets.store.index_rows import index_rows


@pytest.fixture
def connection(database: Database) -> Iterator[Connection]:
    with database.transaction() as found:
        yield found


@pytest.mark.database
def test_a_footnote_leads_to_its_bytes_in_two_steps(reader: Reader) -> None:
    blobs = RawBlobs(reader.blobs_url)
    with_bytes = 0
    for row in index_rows(reader.connection):
        for traced in trace(reader, row.concept_id):
            where, quoted = traced.source.where, traced.source.quoted
            opened = open_reference(reader, f"{row.concept_id}#{traced.source.id}")
            assert opened.highlight is not None
            assert opened.highlight.of(opened.text) == quoted
            if where.byte_span is not None:
                data = blobs.get(where.document_id)[where.byte_span.start : where.byte_span.end].decode()
                assert re.sub(r"<[^>]*>|\s+", "", data) == re.sub(r"\s+", "", quoted)
                with_bytes += 1
            else:
                assert traced.bytes_note
    assert with_bytes > 100


@pytest.mark.database
def test_every_reference_opens_in_windows_that_tile_it(reader: Reader) -> None:
    for reference in ("viska://index", "issuers/apple", "viska://source/c73463278f1080d4"):
        whole, offset = "", 0
        while True:
            opened = open_reference(reader, reference, offset=offset, limit=700)
            whole += opened.text
            if opened.next_offset is None:
                break
            offset = opened.next_offset
        assert len(whole) == opened.total


@pytest.mark.database
@pytest.mark.parametrize("limit", [37, 700])
def test_the_windows_of_a_passage_show_its_highlight_in_parts_and_elsewhere_none(reader: Reader, limit: int) -> None:
    """A window far before or behind the passage is one like any other."""
    for reference in ("issuers/apple#c62afc7cee", "viska://chunk/89f28cdd9265e529"):
        at_once = open_reference(reader, reference, limit=20_000)
        assert at_once.highlight is not None
        whole, parts, offset = "", "", 0
        while True:
            opened = open_reference(reader, reference, offset=offset, limit=limit)
            whole += opened.text
            parts += opened.highlight.of(opened.text) if opened.highlight else ""
            if opened.next_offset is None:
                break
            offset = opened.next_offset
        assert len(whole) == opened.total
        assert parts == at_once.highlight.of(at_once.text)


@pytest.mark.database
@pytest.mark.parametrize(
    "reference",
    ["", "issuers/nobody", "../../etc/passwd", "health/x", "viska://chunk/0000000000000000", "issuers/apple#c0"],
)
def test_what_cannot_be_opened_names_the_next_step(reader: Reader, reference: str) -> None:
    with pytest.raises(QueryError) as error:
        open_reference(reader, reference)
    assert error.value.mend


@pytest.mark.database
def test_html_shows_the_passage_and_runs_nothing_of_a_document(connection: Connection) -> None:
    add_texts(connection, 1, ["<script>alert(1)</script> margin"])
    opened = open_reference(reader_of(connection), "1-0")
    shown = opened_html(opened)
    assert "<script" not in shown
    assert 'id="passage"' in shown or opened.highlight is None


@pytest.mark.parametrize("charset", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_bytes_are_found_under_every_charset(charset: str) -> None:
    text = "Ørsted – net sales 1.577 € in 2024"
    data = text.encode(charset)
    found = byte_span(data, "x.txt", "text", Span(9, 18))
    if charset == "cp1252" and found is None:
        pytest.skip("the detector read other letters")
    assert found is not None
    plain = {"utf-8-sig": "utf-8", "utf-16": "utf-16-le"}.get(charset, charset)
    assert data[found.start : found.end].decode(plain) == text[9:18]
    assert byte_span(b"%PDF-1.4", "x.pdf", "pdf", Span(0, 1)) is None


def test_a_span_is_mapped_run_by_run() -> None:
    offsets = OffsetMap(((0, 10), (5, 40)))
    assert source_span(Span(0, 5), offsets) == Span(10, 15)
    assert source_span(Span(5, 7), offsets) == Span(40, 42)


@pytest.mark.database
def test_an_empty_corpus_gives_a_refusal_and_no_source(connection: Connection) -> None:
    for tier in Tier:
        reply = answer(reader_of(connection), Asking("What was Apple's revenue in 2024?"), tier=tier)
        assert (reply.text, reply.sources) == ("", ())
        assert reply.reason


@pytest.mark.database
def test_an_address_in_a_text_never_becomes_a_source(connection: Connection) -> None:
    add_texts(connection, 1, ["See https://evil.example/decoy for the covenant on net leverage of the group."])
    reader = reader_of(connection)
    places = [hit.where.uri for hit in search(reader, "covenant on net leverage").hits]
    reply = answer(reader, Asking("Quote the covenant on net leverage of the group"), tier=Tier.RETRIEVAL)
    places += [source.where.uri for source in reply.sources]
    assert all(uri.startswith("viska://chunk/") for uri in places)


@pytest.mark.database
def test_an_unsure_answer_says_so(reader: Reader) -> None:
    reply = answer(reader, Asking("Which sentence mentions competition?"), tier=Tier.RETRIEVAL)
    assert reply.answers
    assert reply.confidence.value < 0.4
    assert reply.confidence.words == "low"
    assert any("unsure" in remark for remark in reply.remarks)


@pytest.mark.database
def test_asking_changes_nothing(library: Library) -> None:
    home = library.home
    before = fingerprint(home.database, home.settings.bundle_path)
    with library.reader() as reader:
        search(reader, "net sales")
        answer(reader, Asking("What is our thesis on Apple?"), tier=Tier.MIXED)
        trace(reader, "issuers/apple")
        open_reference(reader, "issuers/apple")
        source_check(reader, Asking("Apple's revenue in fiscal 2024 was $391,035 million."))
    assert fingerprint(home.database, home.settings.bundle_path) == before


@pytest.mark.database
def test_a_reader_cannot_write(library: Library) -> None:
    import psycopg

    with pytest.raises(psycopg.errors.ReadOnlySqlTransaction), library.reader() as reader:
        reader.connection.execute("DELETE FROM raw.incident")


@pytest.mark.parametrize(
    ("request_", "command"),
    [
        ("search net sales", Intent.SEARCH),
        ("find me the covenant", Intent.SEARCH),
        ("where is the note on leases", Intent.SEARCH),
        ("look up the CET1 ratio", Intent.SEARCH),
        ("retrieve the Q2 release", Intent.SEARCH),
        ("what do we know about Vestas", Intent.RESEARCH),
        ("source check: margins rose", Intent.SOURCE_CHECK),
        ("provenance of this figure", Intent.TRACE_PROVENANCE),
        ("research Novo's pricing", Intent.RESEARCH),
        ("what did we decide on Maersk", Intent.RESEARCH),
        ("trace the net income", Intent.TRACE_PROVENANCE),
        ("find pattern EBITDA margin", Intent.FIND_PATTERN),
        ("cross-vault view of freight", Intent.RESEARCH),
        ("multi-source answer on rates", Intent.RESEARCH),
        ("audit the coverage of banks", Intent.AUDIT_COVERAGE),
        ("do any notes contradict each other", Intent.FIND_CONTRADICTION),
    ],
)
def test_intent_words_lead_to_their_command(request_: str, command: Intent) -> None:
    assert intent_of(request_) is command
