"""The cover facts of a document: issuer, form, dates and who speaks, from tags, headers, cover text and file name."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time
from pathlib import PurePath

from viska_assets.ingest.dates import find_date, find_month_day, make_date
from viska_assets.ingest.issuers import TitledName, announcer, company_line, registrant, report_title, tidy_name
from viska_assets.ingest.parsers.ixbrl import XbrlReader
from viska_assets.ingest.publication import published_on
from viska_assets.model.document import Block, BlockKind, Cover

_COVER_LENGTH = 8000
_FORM_LENGTH = 2500
# A 52/53-week year that ends in the first days of January is named by the year before.
_YEAR_END_SLACK = 7
_FORM = re.compile(
    r"\bform\s+(10-?[KQ](?:/A|SB|405)?|8-?K(?:/A)?|20-?F(?:/A)?|6-?K|40-?F|S-[1348]|11-K|424B\d|DEF\s?14A)\b",
    re.IGNORECASE,
)
_FORM_IN_NAME = re.compile(r"(?<![a-z0-9])(10-?[kq]|8-?k|20-?f|6-?k|40-?f|def-?14a)(?![a-z0-9])", re.IGNORECASE)
_EARNINGS = re.compile(r"earnings|press[ _-]?release", re.IGNORECASE)
_PERIOD_END = re.compile(
    r"(?:for\s+the\s+)?(?:fiscal\s+year|year|quarterly\s+period|quarter|transition\s+period|(?:three|six|nine|twelve)\s+"
    r"months|\d\d\s+weeks)\s+end(?:ed|ing)\s*:?\s*(.{5,40})",
    re.IGNORECASE,
)
_REPORT_DATE = re.compile(
    r"date\s+of\s+(?:earliest\s+)?(?:event\s+reported|report)[^:)]{0,60}\)?\s*:?\s*(.{5,40})",
    re.IGNORECASE,
)
_YEAR_END = re.compile(
    r"(?:fiscal|financial)\s+year(?:\s+\d{4})?,?\s+(?:which\s+)?(?:ended|ends|ending|end)\s+(?:on\s+)?(.{3,40})",
    re.IGNORECASE,
)


def cover_of_html(title: str, xbrl: XbrlReader, text: str, blocks: Sequence[Block], name: str) -> Cover:
    """The cover of a filing: its dei tags first, then what the cover page prints."""
    printed = cover_of_text(text, blocks, name)
    dei = {key.removeprefix("dei:"): value for key, value in xbrl.texts.items()}
    period = xbrl.period_of("dei:DocumentPeriodEndDate") or xbrl.period_of("dei:DocumentType")
    issuer = dei.get("EntityRegistrantName", "") or printed.issuer
    cover = replace(
        printed,
        issuer=tidy_name(issuer),
        cik=dei.get("EntityCentralIndexKey", ""),
        ticker=dei.get("TradingSymbol", "").upper() if len(dei.get("TradingSymbol", "")) <= 8 else "",
        form=dei.get("DocumentType", "") or printed.form,
        period_end=(period.end if period else None) or printed.period_end,
        fiscal_year_end=find_month_day(dei.get("CurrentFiscalYearEndDate", "")) or printed.fiscal_year_end,
    )
    return finished(cover, title)


def cover_of_text(text: str, blocks: Sequence[Block], name: str) -> Cover:
    """The cover that the first pages print, with what the file name adds."""
    head = text[:_COVER_LENGTH]
    stem = PurePath(name).stem
    form = "EARNINGS" if _EARNINGS.search(stem) else _first(_FORM, head[:_FORM_LENGTH]) or _first(_FORM_IN_NAME, stem)
    is_report = form.upper().startswith("8")
    period = _dated(_REPORT_DATE if is_report else _PERIOD_END, head, latest=form == "EARNINGS")
    year_end = _YEAR_END.search(text[:200_000])
    fiscal = find_month_day(year_end[1]) if year_end else None
    if fiscal is None and period and form.upper().replace("-", "").startswith(("10K", "20F", "40F")):
        fiscal = (period.month, period.day)
    published = find_date(stem) or published_on(text, form, period)
    issuer = registrant(head) or announcer(head) or (company_line(head[:_FORM_LENGTH]) if form else "")
    return Cover(
        title=_first_heading(text, blocks),
        issuer=tidy_name(issuer),
        form=_normal_form(form),
        period_end=period,
        fiscal_year_end=fiscal,
        published_at=midnight(published) if published else None,
    )


def cover_of_sgml(headers: Mapping[str, str], cover: Cover) -> Cover:
    """A cover completed from the SGML header of an EDGAR submission."""
    filed = _compact_date(headers.get("FILED AS OF DATE", ""))
    accepted = re.fullmatch(r"(\d{8})(\d\d)(\d\d)(\d\d)", headers.get("ACCEPTANCE-DATETIME", ""))
    published = midnight(filed) if filed else cover.published_at
    if accepted and (day := _compact_date(accepted[1])):
        published = datetime.combine(day, time(int(accepted[2]), int(accepted[3]), int(accepted[4])), UTC)
    return replace(
        cover,
        issuer=headers.get("COMPANY CONFORMED NAME", "") or cover.issuer,
        cik=headers.get("CENTRAL INDEX KEY", "") or cover.cik,
        form=headers.get("CONFORMED SUBMISSION TYPE", "") or cover.form,
        period_end=_compact_date(headers.get("CONFORMED PERIOD OF REPORT", "")) or cover.period_end,
        fiscal_year_end=find_month_day(headers.get("FISCAL YEAR END", "")) or cover.fiscal_year_end,
        published_at=published,
    )


def finished(cover: Cover, title: str = "") -> Cover:
    """The cover with the asserter and, where issuer and form are known, a title made of them."""
    made = " ".join(part for part in (cover.issuer, cover.form, _iso(cover.period_end)) if part)
    if cover.fiscal_year_end and cover.fiscal_year_end[0] == 1 and cover.fiscal_year_end[1] <= _YEAR_END_SLACK:
        cover = replace(cover, fiscal_year_end=(12, 31))
    best = made if cover.issuer and (cover.form or cover.period_end) else title or cover.title or cover.issuer
    if not cover.issuer:
        cover = _with_titled_name(cover, report_title(best))
    return replace(cover, title=best, asserter=cover.asserter or cover.issuer)


def _with_titled_name(cover: Cover, titled: TitledName) -> Cover:
    """The cover with the issuer or ticker of its title; a day of an earlier year is one the text compares with."""
    is_early = cover.period_end is not None and cover.period_end.year < titled.year
    return replace(
        cover,
        issuer=titled.issuer,
        ticker=cover.ticker or titled.ticker,
        period_end=None if is_early else cover.period_end,
    )


def midnight(day: date) -> datetime:
    """A day as an instant: its start in UTC."""
    return datetime.combine(day, time(), UTC)


def _iso(day: date | None) -> str:
    return day.isoformat() if day else ""


def _first(pattern: re.Pattern[str], text: str) -> str:
    match = pattern.search(text)
    return match[1] if match else ""


def _normal_form(form: str) -> str:
    upper = re.sub(r"\s+", " ", form.upper())
    return re.sub(r"^(10|8|20|6|40)(?=[KQF])", r"\1-", upper)


def _dated(pattern: re.Pattern[str], text: str, *, latest: bool = False) -> date | None:
    """The first date behind a phrase, or the latest (a press release compares, a cover page does not)."""
    days = [day for match in pattern.finditer(text) if (day := find_date(match[1]))]
    if not days:
        return None
    return max(days) if latest else days[0]


def _compact_date(digits: str) -> date | None:
    if not re.fullmatch(r"\d{8}", digits):
        return None
    return make_date(int(digits[:4]), int(digits[4:6]), int(digits[6:]))


def _first_heading(text: str, blocks: Sequence[Block]) -> str:
    for block in blocks[:40]:
        if block.kind is BlockKind.HEADING:
            return block.span.of(text)[:160]
    return blocks[0].span.of(text).split("\n")[0][:120] if blocks else ""
