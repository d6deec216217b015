"""Properties: a value formatted in any style reads back as itself, and every span points at printed digits."""

from decimal import Decimal

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.ingest.conftest import evidence_in, page, table
from viska_assets.ingest.plain_cells import read_plain_cell
from viska_assets.ingest.reading import read_document
from viska_assets.model.evidence import Unit
from viska_assets.text.cells import read_cell

VALUES = st.builds(lambda digits, places: Decimal(digits).scaleb(-places), st.integers(0, 10**9), st.integers(0, 2))
SCALES = st.sampled_from(
    [
        ("(in thousands)", 3),
        ("(In millions, except per share data)", 6),
        ("(dollars in billions)", 9),
        ("$000s", 3),
        ("US$'000", 3),
        ("(Millions of dollars)", 6),
        ("", 0),
    ]
)
SIGNS = st.sampled_from(["{}", "({})", "-{}", "\u2212{}", "( {} )"])
CURRENCIES = st.sampled_from([("$", "USD"), ("\u20ac", "EUR"), ("\u00a3", "GBP"), ("US$", "USD")])
SPLITS = st.sampled_from(["one", "sign apart", "all apart"])


def grouped(value: Decimal, mark: str, point: str) -> str:
    whole, _, decimals = f"{value:,f}".partition(".")
    return whole.replace(",", mark) + (point + decimals if decimals else "")


def cells(currency: str, sign: str, number: str, split: str) -> str:
    """The number over one, two or four cells, as filings set it."""
    before, _, after = sign.partition("{}")
    parts = {
        "one": [currency + before + number + after],
        "sign apart": [currency, before + number, after],
        "all apart": [currency, before.strip() + number, after.strip()],
    }[split]
    return "".join(f"<td>{part}</td>" for part in parts)


@settings(max_examples=200)
@given(VALUES, SCALES, SIGNS, CURRENCIES, SPLITS)
def test_a_formatted_amount_reads_back(
    value: Decimal, scale: tuple[str, int], sign: str, currency: tuple[str, str], split: str
) -> None:
    note, power = scale
    if value.adjusted() + power > 14:
        return
    row = cells(currency[0], sign, grouped(value, ",", "."), split)
    document = page(
        f"<p>{note}</p><table><tr><td></td><td colspan=3>2024</td></tr><tr><td>Sales</td>{row}</tr></table>"
    )
    (found,) = [one for one in evidence_in(document) if one.cell]
    negative = sign != "{}"
    assert found.value == (-value if negative else value).scaleb(power)
    assert found.quantum == Decimal(1).scaleb(value.as_tuple().exponent + power)
    assert (found.unit, found.currency) == (Unit.MONEY, currency[1])
    assert found.span.of(document.text) == grouped(value, ",", ".")


@settings(max_examples=100)
@given(
    VALUES,
    st.sampled_from(
        [("da", "Omsætning og resultat til årets udgang", "."), ("de", "Der Umsatz und das Ergebnis", ".")]
    ),
)
def test_numerals_are_read_by_the_language_of_the_document(value: Decimal, language: tuple[str, str, str]) -> None:
    _, words, mark = language
    printed = grouped(value, mark, ",")
    document = read_document(
        f"<p>{words} {words}</p>{table('mio. EUR | 2024', f'Resultat | {printed} EUR')}".encode(), "x.html"
    )
    (found,) = [one for one in evidence_in(document) if one.cell]
    assert found.value in (value, value.scaleb(6))
    assert found.span.of(document.text) == printed


@settings(max_examples=100)
@given(
    st.lists(
        st.tuples(VALUES, st.sampled_from(["million", "billion", "thousand", "%", "shares", "bps"])),
        min_size=1,
        max_size=4,
    )
)
def test_spans_of_prose_point_at_the_printed_digits(numbers: list[tuple[Decimal, str]]) -> None:
    words = " and ".join(
        f"${value:,f} {unit}" if unit in ("million", "billion", "thousand") else f"{value:,f} {unit}"
        for value, unit in numbers
    )
    document = page(f"<p>Caf\u00e9\u00ad \u200bnote: it was {words} there.</p>")
    for one in evidence_in(document):
        printed = one.span.of(document.text)
        assert printed in {f"{value:,f}" for value, _ in numbers}
        assert printed in one.printed


@settings(max_examples=60)
@given(
    st.binary(max_size=400),
    st.sampled_from(["x.html", "x.txt", "x.md", "x.csv", "x.eml", "x.pdf", "x.docx", "x.xlsx", "x"]),
)
def test_any_bytes_are_read_or_refused(data: bytes, name: str) -> None:
    from viska_assets.ingest.errors import ReadingError

    try:
        document = read_document(data, name)
    except ReadingError as error:
        assert error.file == name or name == "x.eml"
        return
    for one in evidence_in(document):
        assert document.text[one.span.start : one.span.end]


@settings(max_examples=300)
@given(
    VALUES,
    st.sampled_from(["{}", "${}", "$({})", "({})", "{}%", "({}%)", "({})%", "$ {}"]),
    st.sampled_from([None, Unit.MONEY, Unit.SHARES, Unit.PERCENT, Unit.PER_SHARE, Unit.COUNT]),
)
def test_the_plain_reading_of_a_cell_is_the_full_one(value: Decimal, form: str, unit: Unit | None) -> None:
    text = form.format(f"{value:,f}")
    plain = read_plain_cell(text, unit=unit, currency="USD")
    full = read_cell(text, unit=unit, currency="USD")
    if plain is None:
        return
    assert full is not None
    for name in ("value", "quantum", "unit", "currency", "sign", "span", "scale", "bound"):
        assert getattr(plain, name) == getattr(full, name), name
