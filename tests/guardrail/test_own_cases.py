"""Worked cases of our own: what a figure, a date, a name or a range may cite, by kind."""

# ruff: noqa: E501 (one case a line)

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))

from cases import run_case

TABLE = "Table: Income statement (in millions, USD)\n| | FY2025 | FY2024 |\n| Net sales | 5,127 | 4,800 |\n| Operating income | 938 | (62) |\n| Net income | 717 | 655 |\n| Diluted EPS (USD) | 3.14 | 2.86 |\n| Effective tax rate | 23.6% | 20.9% |"

CASES = [
    ("pct-01", "Margin rose 120 bps.", "Margin increased by 1.2 percentage points.", "grounded", {}),
    ("pct-02", "Margin rose 1.2%.", "Margin increased by 1.2 percentage points.", "ungrounded", {}),
    ("pct-05", "Margin rose 1.2 pp.", "Margin increased by 120 basis points.", "grounded", {}),
    ("ccy-07", "The price was £4.50.", "Share price 450p", "grounded", {}),
    ("ccy-07b", "The price was £450.", "Share price 450p", "ungrounded", {}),
    ("ccy-08", "The target is 850 kr.", "Price target: SEK 850", "ungrounded", {"page_currency": "DKK"}),
    ("ccy-10", "Sales were ¥5 billion.", "Net sales 5,000 million yen", "grounded", {}),
    ("cell-07", "Sales were 1,234.", "| Sales | 1,234(1) | 1,100 |", "grounded", {}),
    ("cell-08", "Impairment was $0.", "| Impairment |  | 14 |", "ungrounded", {}),
    ("cell-10", "Net sales were 1,234.", "| Net sales | $ | 1,234 |", "grounded", {}),
    (
        "derived-04",
        "Net sales grew 6.81%.",
        TABLE,
        "grounded",
        {"derivation": {"expr": "(a-b)/b*100", "a": "5,127", "b": "4,800", "result": "6.81%"}},
    ),
    ("derived-08", "The net margin was 14.0%.", TABLE, "ungrounded", {}),
    (
        "derived-10",
        "Sales per share.. The ratio was 2.",
        TABLE,
        "ungrounded",
        {"derivation": {"expr": "a-b", "a": "5,127", "b": "3.14", "result": "2"}},
    ),
    (
        "ident-07",
        "CIK 353278 filed a 20-F.",
        "Central Index Key: 0000353278; annual report on Form 20-F",
        "ungrounded",
        {},
    ),
    ("ident-08", "ISIN DK0062498333 is listed.", "ISIN: DK0062498333", "grounded", {}),
    ("ident-10", "ISIN DK0062498334 is listed.", "ISIN: DK0062498333", "ungrounded", {}),
    ("ident-11", "Accession 0000353278-25-000012 was filed.", "Accession Number: 0000353278-25-000012", "grounded", {}),
    ("label-06", "Net income was $655 million in FY2024.", TABLE, "grounded", {}),
    ("label-07", "EPS was $3.14 in FY2025.", TABLE, "grounded", {}),
    ("label-10", "Gross profit was $5,127 million.", TABLE, "ungrounded", {}),
    (
        "period-04",
        "Q2 net sales were $900 million.",
        "Six months ended June 30, 2026: net sales 900 (USD million)",
        "ungrounded",
        {"issuer_fye": "12-31"},
    ),
    ("period-09", "On 13/07/2026 cash was $50 million.", "As of July 13, 2026, cash was $50 million.", "grounded", {}),
    ("period-13", "FY26 guidance is 8%.", "FY2026 guidance: 8%", "grounded", {}),
    ("period-15", "In 2019 the plant opened.", "The plant opened in 2019; 2018 units were sold.", "grounded", {}),
    ("period-16", "H2 2026 revenue was EUR 5m.", "1H26 revenue: EUR 5 million", "ungrounded", {}),
    ("range-02", "Guidance is 10% to 12% growth.", "We expect growth of 10-12%.", "grounded", {}),
    ("range-08", "Guidance is at most 12%.", "We expect growth of 10% to 12%.", "grounded", {}),
    ("range-09", "Guidance is $4.0-4.3 billion.", "Outlook: between $4.0 billion and $4.2 billion", "ungrounded", {}),
    ("range-10", "Growth will be at least 12%.", "We expect growth of 10% to 12%.", "ungrounded", {}),
    ("ratio-04", "The split was 1-for-10.", "a ten-for-one stock split", "ungrounded", {}),
    ("ratio-05", "The split was ten-for-one.", "a 10-for-1 stock split", "grounded", {}),
    ("ratio-08", "Leverage is 2.4x.", "Net debt / EBITDA: 2.3", "ungrounded", {}),
    ("round-05", "Net income was $700 million.", TABLE, "ungrounded", {}),
    ("round-08", "The value was 2.5.", "value 2.45", "grounded", {}),
    ("round-13", "Sales were over $5.1 billion.", TABLE, "grounded", {}),
    ("round-16", "Sales were more than $5 billion.", TABLE, "grounded", {}),
    ("scale-13", "Debt was €3.2 trillion.", "Total debt (EUR bn): 3,104", "ungrounded", {}),
    ("scale-15", "Turnover was DKK 5.1 billion.", "Omsætning 5,1 mia. kr.", "grounded", {"source_locale": "da"}),
    ("scale-17", "Turnover was DKK 5.1 billion.", "Omsætning 5,1 mia.", "grounded", {"source_locale": "da"}),
    (
        "scale-22",
        "Restructuring cost $659.",
        "total restructuring charges of $1.1 billion and $659 for the years ended June 30",
        "grounded",
        {},
    ),
    ("scope-02", "Costs were $3m [c2].", "(c1) Sales were $5 million. (c2) Costs were $3 million.", "grounded", {}),
    ("scope-07", "Costs were $3m [c1].", "(c1) Sales were $5 million. (c2) Costs were $3 million.", "ungrounded", {}),
    ("sep-13", "Revenue was INR 12.3456 billion.", "Revenue from operations ₹ 1,234.56 crore", "grounded", {}),
    ("sep-15", "Revenue was $11,11.11 million.", "Revenue was $1,111.11 million.", "ungrounded", {}),
    ("sep-18", "Revenue was $1,23,456.", "Revenue was $123,456.", "ungrounded", {}),
    ("sign-03", "Operating income was $(62) million in FY2024.", TABLE, "grounded", {}),
    ("sign-04", "Operating income was -$62 million in FY2024.", TABLE, "grounded", {}),
    ("sign-06", "Operating income was −62 million in FY2024.", TABLE, "grounded", {}),
    ("sign-10", "Sales rose 5.2%.", "Organic growth of (5.2)%", "ungrounded", {}),
    ("sign-19", "Net loss was $717 million.", TABLE, "ungrounded", {}),
    ("unicode-01", "Net sales were 1,234.", "Net sales were １,２３４.", "grounded", {}),
    ("unicode-03", "Net sales were 1,234.", "Net sales were 1\u00a0234.", "grounded", {}),
    ("unicode-11", "Net sales were 1,0З4.", "Net sales were 1,034.", "ungrounded", {}),
    ("unicode-13", "Net sales were 𝟏,𝟐𝟑𝟒.", "Net sales were 1,234.", "ungrounded", {}),
    ("word-02", "Two-thirds of sales are in the US.", "two thirds of sales come from the US", "grounded", {}),
    ("word-10", "Half of sales are in the US.", "50% of sales come from the US", "ungrounded", {}),
    ("word-12", "Sales rose two and a half percent.", "Sales rose 2.5%", "grounded", {}),
    ("bug-01", "The grant was $50 million.", "The grant of $150 million", "ungrounded", {}),
    ("bug-06", "The close/SMA50 > 1 threshold holds; price 412.35 USD.", "price 412.35 USD", "grounded", {}),
    ("bug-12", "Price 3.350", "3.350", "grounded", {}),
    ("bug-14", "Sales were $4.2bn.", "Sales were USD 4.2 billion", "grounded", {}),
    ("bug-22", "Revenue was $1200.", "Revenue was $1,200", "grounded", {}),
    ("bug-24", "Revenue was USD 890,000,000.", "Revenue was $890 million", "grounded", {}),
    ("bug-26", "Share was 85%.", "count: 35 of 85", "ungrounded", {}),
    ("lbl", "Net sales were $5,127 million and operating income was $938 million in FY2025.", TABLE, "grounded", {}),
    ("lbl2", "Operating income fell to $938 million in FY2025.", TABLE, "grounded", {}),
    ("ph", "Phase 2 started.", "The Phase III trial has begun", "ungrounded", {}),
    ("yr", "The company was founded in 1903.", "The company was founded in 1903 and has 80 plants.", "grounded", {}),
    ("gd", "Net sales in FY2025 were $5,127 million, up from $4,800 million in FY2024.", TABLE, "grounded", {}),
    ("gd2", "In FY2025, Alpha Inc. had net sales of $5,127 million.", "Alpha Inc. " + TABLE, "grounded", {}),
    (
        "gd3",
        "Free cash flow is expected at DKK 35-45 billion in 2026.",
        "Free cash flow for 2026 is expected to be between DKK 35 billion and DKK 45 billion.",
        "grounded",
        {},
    ),
]


@pytest.mark.parametrize(("name", "text", "source", "expect", "extra"), CASES, ids=[case[0] for case in CASES])
def test_own_case(name: str, text: str, source: str, expect: str, extra: dict) -> None:
    outcome = run_case({"id": name, "text": text, "source_text": source, "expect": expect, **extra})
    assert outcome.passed, [(f.code, f.message) for f in outcome.verdict.findings]
