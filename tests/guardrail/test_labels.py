"""Which row a text names: under a heading that names a metric, each row is of the metric that its own label names."""

from dataclasses import replace

import pytest
from support import table_chunk

from viska_assets.guardrail.labels import Naming, naming_of
from viska_assets.guardrail.reading import ChunkReading

ROWS = {
    "Research and development": ("500", "450"),
    "Selling, general and administrative": ("300", "280"),
    "Stores": ("90", "80"),
    "Total operating expenses": ("890", "810"),
}


@pytest.mark.parametrize(
    ("text", "row", "naming"),
    [
        ("Operating expenses were $300 million", 1, Naming.OTHER),
        ("Selling, general and administrative expenses were $300 million", 1, Naming.NAMED),
        ("Research and development within operating expenses was $500 million", 0, Naming.NAMED),
        ("Operating expenses of stores were $90 million", 2, Naming.NAMED),
        ("Operating expenses were $890 million", 3, Naming.NAMED),
        ("Research and development was $300 million", 1, Naming.OTHER),
    ],
)
def test_a_heading_above_a_row_does_not_name_the_row(text: str, row: int, naming: Naming) -> None:
    chunk = table_chunk(rows=ROWS)
    under_heading = tuple(replace(e, row_path=("Operating expenses", *e.row_path)) for e in chunk.evidence)
    reading = ChunkReading(replace(chunk, evidence=under_heading))
    assert naming_of(text, under_heading[2 * row], reading)[0] is naming
