"""Behaviour of the sentence splitter on finance prose."""

import pytest

from viska_assets.text.sentences import split_sentences


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Sales were approx. 4.2 bn. kr. in the year. Costs fell.", 2),
        ("The coupon is 3.5 per cent. on Jan. 5. It was paid.", 2),
        ("Alpha Corp. North America grew 5%.", 1),
        ("Sales rose[^1]. Next, costs fell.[^2] Done.", 3),
        ("The U.S. market grew. Europe fell.", 2),
        ("Alpha Inc. reported sales of $1.2 billion. Beta plc. did not.", 2),
        ("See Note 14. Leases total $22 million.", 2),
        ("Is it so? Yes! It is.", 3),
        ("Mr. Smith (see p. 4) said EPS was $2.37.", 1),
    ],
)
def test_sentence_count(text: str, count: int) -> None:
    assert len(split_sentences(text)) == count, [s.of(text) for s in split_sentences(text)]
