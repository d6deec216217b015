"""A throw-away copy of a text for detection: look-alikes folded to plain letters, hidden characters dropped.

Never stored and never shown: compatibility folding mints numbers ("75.0²" becomes "75.02").
"""

import unicodedata

from viska_assets.text.clean import clean

# Letters of other scripts that print like Latin ones (Unicode's confusables, those that attacks use).
_LATIN = str.maketrans(
    "аеорсухіјѕԁһӏԛԝкмтвнгАЕОРСУХІЈЅКМТВНοαερτυνικχΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
    "aeopcyxijsdhlqwkmtbhrAEOPCYXIJSKMTBHoaeptuvikxABEZHIKMNOPTYX",
)


def folded_characters(text: str) -> str:
    """The text in NFKC without hidden characters, homoglyphs as Latin letters, in one case; punctuation stays."""
    return unicodedata.normalize("NFKC", clean(text).text).translate(_LATIN).casefold()


def hidden_message(text: str) -> str:
    """What a text hides in characters that nobody sees, decoded; or the kind of suspicious run; otherwise empty."""
    for run in clean(text).removed:
        if run.is_suspicious:
            return run.decoded.strip() or run.kind.value
    return ""
