"""Covers: who a document is of, what it is, the period it reports and the day it was published."""

from datetime import UTC, date, datetime

import pytest

from viska_assets.ingest.issuers import announcer, registrant, report_title, tidy_name
from viska_assets.ingest.publication import published_on, released_on, signed_on
from viska_assets.ingest.reading import read_document
from viska_assets.model.document import Cover

CHARTER = "(Exact name of registrant as specified in its charter)"
SIGNED = "the registrant has duly caused this report to be signed on its behalf by the undersigned."


def cover_of(*lines: str, name: str = "filing.html", title: str = "") -> Cover:
    body = "".join(f"<p>{line.replace('&', '&amp;')}</p>" for line in lines)
    head = f"<head><title>{title}</title></head>" if title else ""
    return read_document(f"<!doctype html><html>{head}<body>{body}</body></html>".encode(), name).cover


def test_an_annual_report_without_tags_names_its_registrant_and_its_signing() -> None:
    cover = cover_of(
        "UNITED STATES SECURITIES AND EXCHANGE COMMISSION",
        "FORM 10-K",
        "For the fiscal year ended December 31, 2022",
        "Commission file number 1-4242",
        "ACME & SONS COMPANY",
        CHARTER,
        "Sales rose.",
        "SIGNATURES",
        f"Pursuant to the requirements of the Act, {SIGNED}",
        "Date: February 8, 2023",
        "By: /s/ J. Doe",
    )
    assert (cover.issuer, cover.form, cover.period_end) == ("ACME & SONS COMPANY", "10-K", date(2022, 12, 31))
    assert cover.published_at == datetime(2023, 2, 8, tzinfo=UTC)
    assert cover.title == "ACME & SONS COMPANY 10-K 2022-12-31"


def test_a_current_report_printed_in_one_line_keeps_the_date_out_of_the_name() -> None:
    cover = cover_of(
        "FORM 8-K",
        f"Date of Report (Date of earliest event reported): August 30, 2023 Acme & Sons {CHARTER}",
        f"Pursuant to the requirements of the Act, {SIGNED} Acme & Sons Date: September 1, 2023 By: /s/ J. Doe",
    )
    assert (cover.issuer, cover.form, cover.period_end) == ("Acme & Sons", "8-K", date(2023, 8, 30))
    assert cover.published_at == datetime(2023, 9, 1, tzinfo=UTC)


def test_an_unsigned_current_report_is_dated_by_its_date_of_report() -> None:
    cover = cover_of("FORM 8-K", "Date of Report (Date of earliest event reported): May 3, 2023", "Acme Inc.", CHARTER)
    assert cover.published_at == datetime(2023, 5, 3, tzinfo=UTC)


def test_a_report_without_any_date_of_its_own_has_none() -> None:
    cover = cover_of("FORM 10-K", "For the fiscal year ended December 31, 2022", "Acme Inc.", CHARTER, "Sales rose.")
    assert cover.published_at is None


@pytest.mark.parametrize(
    ("above", "name"),
    [
        ("Commission file number: 001-0424\n\nACME HEALTH CORPORATION\n\n", "ACME HEALTH CORPORATION"),
        ("FORM 10-K Commission File No. 1-3285 4M COMPANY\n", "4M COMPANY"),
        ("For the transition period from ____ to ____\n4M\n_______\n", "4M"),
        ("For the fiscal year ended December 31, 2021 Acme plc ", "Acme plc"),
        ("Acme Inc.\n\nCommission file number 1-1\n\n(Mark One)\n", "Acme Inc."),
        ("UNITED STATES\n\nSECURITIES AND EXCHANGE COMMISSION\n\nFORM 10-K\n\n", ""),
    ],
)
def test_the_registrant_is_the_nearest_line_above_that_is_a_name(above: str, name: str) -> None:
    assert tidy_name(registrant(above + CHARTER)) == name


@pytest.mark.parametrize(
    ("head", "name"),
    [
        ("Acme Announces Third Quarter Results\n\nSales rose.", "Acme"),
        ("RELEASE\n\nSPRINGFIELD, N.J., (January 24, 2023) – Acme & Sons (NYSE: ACM) today announced", "Acme & Sons"),
        ("Sales rose – more than costs (in millions) today", ""),
    ],
)
def test_a_press_release_is_of_the_company_that_announces(head: str, name: str) -> None:
    assert announcer(head) == name


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("March 9, 2023\n\nAcme Announces Results", date(2023, 3, 9)),
        ("Acme Reports\n\nSPRINGFIELD, N.Y. - April 25, 2023 - Acme, Inc. today", date(2023, 4, 25)),
        ("Acme Reports\n\nSPRINGFIELD, N.J., (January 24, 2023) – Acme today", date(2023, 1, 24)),
        ("Acme Reports\n\nSales in the quarter ended March 31, 2023 rose", None),
    ],
)
def test_a_press_release_is_dated_by_its_top_or_its_dateline(text: str, day: date | None) -> None:
    assert released_on(text) == day


@pytest.mark.parametrize(
    ("after", "day"),
    [
        ("\n\nACME PLC\n\nBy /s/ J. Doe, Chief Financial Officer August 17, 2023 August 17, 2023", date(2023, 8, 17)),
        (" thereunto duly authorized, as of February 1, 2018 . ACME INC.", date(2018, 2, 1)),
        ("\nBy: /s/ J. Doe\nPursuant to the requirements of the Act, signed on May 4, 2021.", date(2021, 5, 4)),
        ("\nBy: /s/ J. Doe", None),
    ],
)
def test_a_signature_page_gives_the_day_of_signing(after: str, day: date | None) -> None:
    assert signed_on(f"Pursuant to the requirements of the Act, {SIGNED}{after}") == day


def test_a_signature_before_the_end_of_the_period_is_of_something_else() -> None:
    text = f"{SIGNED} Date: March 1, 2020"
    assert published_on(text, "10-K", date(2022, 12, 31)) is None
    assert published_on(text, "10-K", date(2019, 12, 31)) == date(2020, 3, 1)
    assert published_on(text, "", None) is None


def test_the_title_of_an_extract_names_its_issuer_or_its_ticker() -> None:
    cover = cover_of("Year ended July 31, 2005 and later.", title="Acme Corp/De 2007 annual report (extract)")
    assert (cover.issuer, cover.period_end) == ("Acme Corp", None)
    assert cover.title == "Acme Corp/De 2007 annual report (extract)"
    assert report_title("ACM 2016 annual report").ticker == "ACM"
    assert report_title("Our 2016 annual report").issuer == ""
