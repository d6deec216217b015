"""Whether a text states an amount: the coarse look that decides where no exemption from citing is given."""

import re

_AMOUNT = re.compile(
    r"(?=[$€£¥%‰\d])(?:[$€£¥%‰]|(?<![\w.-])(?:"
    r"\d{1,3}(?:,\d{3})+(?![\w-])"
    r"|\d+\.\d+(?![\w.-])"
    r"|\d[\d.,]*\s?(?:thousand|million|billion|trillion|bn|mn|tn|bps?|pp|percent|per cent|times|x)\b"
    r"|\d{7,}(?![\w-])))",
    re.IGNORECASE,
)


def has_amount(text: str) -> bool:
    """Whether a text holds money, a percentage, a decimal, a grouped or scaled number, or one too long for a year."""
    return _AMOUNT.search(text) is not None
