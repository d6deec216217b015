"""E-mail: bodies, encodings, attachments, and who speaks."""

from datetime import datetime
from email.message import EmailMessage

import pytest

from tests.ingest.conftest import evidence_in
from viska_assets.ingest.parsers.email import find_asserter, house_of
from viska_assets.ingest.reading import read_document
from viska_assets.model.document import NoticeKind


def message(body: str = "We raise our price target to DKK 900.") -> EmailMessage:
    mail = EmailMessage()
    mail["From"] = "Jane Doe, Northbank Research <jane.doe@northbank.example>"
    mail["To"] = "desk@fund.example"
    mail["Subject"] = "Acme: raising to Buy – Omsætning"
    mail["Date"] = "Mon, 04 Aug 2025 07:30:00 +0200"
    mail["Message-ID"] = "<1@northbank.example>"
    mail.set_content(body)
    return mail


def test_the_cover_says_who_speaks_and_when() -> None:
    document = read_document(message().as_bytes(), "note.eml")
    cover = document.cover
    assert cover.asserter == "Northbank Research / Jane Doe"
    assert cover.title == "Acme: raising to Buy – Omsætning"
    assert cover.published_at == datetime.fromisoformat("2025-08-04T05:30:00+00:00")
    assert document.metadata["message_id"] == "<1@northbank.example>"
    assert "price target to DKK 900" in document.text


@pytest.mark.parametrize(
    ("sender", "organization", "body", "asserter"),
    [
        ("Jane Doe <jane@northbank.example>", "", "", "Northbank / Jane Doe"),
        ("Jane Doe (Northbank Equity Research) <x@mail.example>", "", "", "Northbank Equity Research / Jane Doe"),
        ('"Doe | Northbank" <x@gmail.com>', "", "", "Northbank / Doe"),
        (
            "research@northbank.example",
            "",
            "Analyst: Jane Doe\nHouse: Northbank Markets",
            "Northbank Markets / Jane Doe",
        ),
        ("Jane Doe <jane@gmail.com>", "Northbank A/S", "", "Northbank A/S / Jane Doe"),
        ("Jane Doe <jane@gmail.com>", "", "", "Jane Doe"),
        ("", "", "", ""),
    ],
)
def test_house_and_analyst(sender: str, organization: str, body: str, asserter: str) -> None:
    assert find_asserter(sender, organization, body) == asserter


def test_houses_of_domains() -> None:
    assert house_of("a@research.big-bank.co.uk") == "Big Bank"
    assert house_of("a@gmail.com") == ""


def test_an_html_body_with_a_table_is_preferred_and_attachments_follow() -> None:
    mail = message("See the table.")
    mail.add_alternative(
        "<p>Estimates (DKKm)</p><table><tr><td></td><td>2025E</td></tr><tr><td>Revenue</td><td>1,234</td></tr></table>",
        subtype="html",
    )
    mail.add_attachment(b"Metric,2024\nSales,5\n", maintype="text", subtype="csv", filename="model.csv")
    mail.add_attachment(b"\x89PNG....", maintype="image", subtype="png", filename="logo.png")
    mail.add_attachment(b"%PDF-broken", maintype="application", subtype="pdf", filename="broken.pdf")
    document = read_document(mail.as_bytes(), "note.eml")
    found = [one for one in evidence_in(document) if one.cell]
    assert [(one.row_path, int(one.value)) for one in found] == [(("Revenue",), 1_234_000_000), (("Sales",), 5)]
    assert "Attachment: model.csv" in document.text
    details = [notice.detail for notice in document.notices]
    assert any("logo.png" in detail for detail in details)
    assert any("broken.pdf" in detail for detail in details)
    kinds = {notice.kind for notice in document.notices}
    assert {NoticeKind.TRUNCATED, NoticeKind.ATTACHMENT} <= kinds


def test_attached_messages_are_read_to_a_limit() -> None:
    mail = message("innermost")
    for _ in range(6):
        outer = message("outer")
        outer.add_attachment(mail)
        mail = outer
    document = read_document(mail.as_bytes(), "deep.eml")
    assert any("nested" in notice.detail for notice in document.notices)


@pytest.mark.parametrize(
    "raw",
    [
        b"From: =?utf-8?q?broken\nSubject: =?x?\nDate: never\n\nbody",
        b"From: a@b.example\nContent-Type: text/plain; charset=no-such\n\nbody",
        b"From: a@b.example\nContent-Type: multipart/mixed; boundary=x\n\n--x\nno end",
        b"From: a@b.example\nContent-Transfer-Encoding: base64\n\n!!!!",
    ],
)
def test_malformed_messages_are_still_read(raw: bytes) -> None:
    assert read_document(raw, "odd.eml").text


def test_quoted_printable_and_charsets_are_decoded() -> None:
    raw = (
        b"From: a@b.example\nContent-Type: text/plain; charset=iso-8859-1\n"
        b"Content-Transfer-Encoding: quoted-printable\n\n"
        b"Oms=E6tning steg til 5=\n,2 mia.\n"
    )
    assert "Omsætning steg til 5,2 mia." in read_document(raw, "qp.eml").text
