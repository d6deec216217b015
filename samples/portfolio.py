"""The sample's positions, prices and news: an invented portfolio of real securities at illustrative prices."""

from collections.abc import Sequence

HOLDINGS = (
    ("position", "ticker", "isin", "quantity", "cost", "currency", "as_of"),
    ("Apple Inc.", "AAPL", "US0378331005", "12000", "171.20", "USD", "2024-11-29"),
    ("NVIDIA Corporation", "NVDA", "US67066G1040", "8500", "48.35", "USD", "2024-11-29"),
    ("Amazon.com, Inc.", "AMZN", "US0231351067", "6400", "139.75", "USD", "2024-11-29"),
    ("The Procter & Gamble Company", "PG", "US7427181091", "3000", "148.10", "USD", "2024-11-29"),
)
# The same portfolio earlier: 2,000 shares of Apple were bought since.
EARLIER_HOLDINGS = (
    HOLDINGS[0],
    *(
        (name, ticker, isin, "10000" if ticker == "AAPL" else quantity, cost, currency, "2024-11-04")
        for name, ticker, isin, quantity, cost, currency, _ in HOLDINGS[1:]
    ),
)
# Round invented closes: true ones of these days are not at hand, and the column source says so.
CLOSES = {
    "AAPL": ("222.00", "225.00", "229.00", "235.00"),
    "NVDA": ("136.00", "148.00", "145.00", "138.00"),
    "AMZN": ("196.00", "208.00", "203.00", "207.00"),
    "PG": ("166.00", "168.00", "171.00", "179.00"),
}
DAYS = ("2024-11-04", "2024-11-12", "2024-11-20", "2024-11-29")
NEWS = """Apple's services business reaches a quarter of net sales

CUPERTINO, November 12, 2024 (Viska Sample Wire) - Apple Inc. (AAPL) took almost a quarter of its net sales from
services in fiscal 2024, its annual report shows.

Total net sales were $391.0 billion in fiscal 2024, up 2% from $383.3 billion a year earlier. Services net sales were
$96.2 billion, up 13%.

Net income declined to $93.7 billion from $97.0 billion, as a one-time tax charge of $10.2 billion weighed on
the result.

Net sales in Greater China fell 8% to $67.0 billion.

This is a sample text of the Viska project. Its figures are those of the company's filing; the wire is invented.
"""


def build_holdings() -> bytes:
    """The positions as CSV."""
    return _csv(HOLDINGS)


def build_earlier_holdings() -> bytes:
    """The positions at the first of the days with closes."""
    return _csv(EARLIER_HOLDINGS)


def build_prices() -> bytes:
    """Daily closes of the held tickers as CSV, marked illustrative."""
    rows = [
        (day, ticker, close, "USD", "illustrative")
        for ticker, closes in CLOSES.items()
        for day, close in zip(DAYS, closes, strict=True)
    ]
    return _csv([("date", "ticker", "close", "currency", "source"), *rows])


def build_news() -> bytes:
    """A news text."""
    return NEWS.encode()


def _csv(rows: Sequence[Sequence[str]]) -> bytes:
    return "".join(",".join(f'"{cell}"' if "," in cell else cell for cell in row) + "\n" for row in rows).encode()
