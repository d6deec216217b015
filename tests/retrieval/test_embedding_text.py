"""What a chunk is embedded by: prose as it stands, a table by its words."""

from hypothesis import given
from hypothesis import strategies as st

from viska_assets.model.document import BlockKind
from viska_assets.retrieval.embedding_text import embedding_text, words_of_table

TABLE = """| Year Ended December 31,
| 2022 | 2023 | Change
SUPPLEMENTAL INFORMATION:
Cash paid for interest (1) | $1,561 | $(2,608) | 67 %
Shares, basic | 10,189 | — | n/a
Total | USD 1.5 | 2.5x | (3.2)%
- | 82 | -"""


def test_a_table_keeps_its_headers_labels_and_years() -> None:
    assert words_of_table(TABLE).splitlines() == [
        "Year Ended December 31,",
        "2022 | 2023 | Change",
        "SUPPLEMENTAL INFORMATION:",
        "Cash paid for interest (1)",
        "Shares, basic",
        "Total",
    ]


def test_the_prefix_stands_before_and_other_kinds_stay_whole() -> None:
    assert embedding_text("Acme 10-K", "Sales | 12", "table") == "Acme 10-K\nSales"
    assert embedding_text("Acme 10-K", "Sales | 12", "paragraph") == "Acme 10-K\nSales | 12"
    assert embedding_text("", "Sales rose by 12%.", "paragraph") == "Sales rose by 12%."


def test_a_table_of_numbers_alone_stays_whole() -> None:
    assert embedding_text("", "1 | 2\n3 | 4", "table") == "1 | 2\n3 | 4"


@given(
    prefix=st.text(max_size=20),
    text=st.text(alphabet="ab 19|2.,$%()—\n", max_size=60),
    kind=st.sampled_from([kind.value for kind in BlockKind]),
)
def test_nothing_is_embedded_that_does_not_stand_there(prefix: str, text: str, kind: str) -> None:
    found = embedding_text(prefix, text, kind)
    assert found.startswith(prefix)
    assert len(found.replace(" ", "")) <= len(prefix) + 1 + len(text)
    assert set(found) <= set(prefix + text + "\n |")
    assert bool(found.strip()) == bool((prefix + text).strip())
