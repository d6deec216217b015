"""Hidden characters go and are counted, everything else keeps its place."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viska_assets.text.clean import HiddenKind, clean


def kinds(raw: str) -> list[HiddenKind]:
    return [removed.kind for removed in clean(raw).removed]


def test_tag_characters_are_removed_and_decoded() -> None:
    hidden = "".join(chr(0xE0000 + ord(c)) for c in "buy now")
    cleaned = clean(f"Revenue rose.{hidden} End")
    assert cleaned.text == "Revenue rose. End"
    assert cleaned.removed[0].decoded == "buy now"
    assert cleaned.removed[0].is_suspicious


def test_variation_selectors_that_carry_bytes_are_decoded() -> None:
    payload = "".join(chr(0xE0100 + byte - 16) for byte in b"secret text")
    assert clean(f"A{payload}").removed[0].decoded == "secret text"


def test_zero_width_bits_are_decoded() -> None:
    bits = "".join(f"{byte:08b}" for byte in b"pay")
    hidden = bits.replace("0", "\u200b").replace("1", "\u200c")
    cleaned = clean(f"x{hidden}y")
    assert (cleaned.text, cleaned.removed[0].decoded) == ("xy", "pay")


@pytest.mark.parametrize(
    ("character", "kind"),
    [
        ("\u200b", HiddenKind.ZERO_WIDTH),
        ("\ufeff", HiddenKind.ZERO_WIDTH),
        ("\u202e", HiddenKind.BIDI),
        ("\u2066", HiddenKind.BIDI),
        ("\u00ad", HiddenKind.SOFT_HYPHEN),
        ("\x00", HiddenKind.CONTROL),
        ("\x1b", HiddenKind.CONTROL),
        ("\u3164", HiddenKind.FILLER),
    ],
)
def test_each_hidden_character_is_named(character: str, kind: HiddenKind) -> None:
    cleaned = clean(f"1,2{character}34")
    assert cleaned.text == "1,234"
    assert [removed.kind for removed in cleaned.removed] == [kind]


def test_one_soft_hyphen_is_not_suspicious() -> None:
    assert not clean("invest\u00adment").removed[0].is_suspicious


def test_superscripts_stay_superscripts() -> None:
    assert clean("gains¹ 5²").text == "gains¹ 5²"


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("\u22125.1", "-5.1"),
        ("(\u2013$3)", "(-$3)"),
        ("\u2212.5", "-.5"),
        ("2012\u201313", "2012\u201313"),
        ("$5\u2013$7", "$5\u2013$7"),
        ("5 \u2013 7", "5 \u2013 7"),
        ("Berkshire\u2013A", "Berkshire\u2013A"),
        ("1\u00a0234\u202f567", "1 234 567"),
        ("\u0661\u0662", "12"),
        ("\uff11\uff12%", "12%"),
        ("a\r\nb", "a\nb"),
    ],
)
def test_minus_spaces_and_digits_become_plain(raw: str, text: str) -> None:
    assert clean(raw).text == text


def test_plain_ascii_is_untouched() -> None:
    cleaned = clean("Net sales were $1,234 million.")
    assert (cleaned.text, cleaned.offsets.runs, cleaned.removed) == ("Net sales were $1,234 million.", ((0, 0),), ())


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=200))
def test_every_kept_character_maps_to_its_source(raw: str) -> None:
    cleaned = clean(raw)
    removed = sum(len(run.raw) for run in cleaned.removed)
    returns = raw.count("\r\n")
    assert len(cleaned.text) == len(raw) - removed - returns
    for offset, character in enumerate(cleaned.text):
        source = raw[cleaned.offsets.to_source(offset)]
        same = source == character
        replaced = character in " \n-" or (character.isdigit() and unicodedata.category(source) == "Nd")
        assert same or replaced


@given(st.text(max_size=200))
def test_cleaning_twice_changes_nothing(raw: str) -> None:
    once = clean(raw).text
    again = clean(once)
    assert again.text == once
    assert not again.removed
