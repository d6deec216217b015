"""Untrusted text into markdown: everything that could be read as markup, link or image becomes plain text."""

import re
import unicodedata

_SPECIAL = re.compile(r"([\\`*_\[\]<>#|~&])")
_LINE_START = re.compile(r"^(\s*)([-+=:]|\d+[.)])")
_LINK_LIKE = re.compile(r"(?i)\b(https?|ftp|file|javascript|data|mailto)(?=:)|\b(www)(?=\.)")


def escape_markdown(text: str) -> str:
    """The text on one line, in NFC, with every character that markdown reads as markup escaped.

    An address loses its scheme's colon or the dot after www to an escape, so that no renderer turns it into a link.
    """
    flat = " ".join(unicodedata.normalize("NFC", text).split())
    printable = "".join(c for c in flat if c.isprintable())
    escaped = _SPECIAL.sub(r"\\\1", printable)
    escaped = _LINK_LIKE.sub(r"\g<0>\\", escaped)
    return _LINE_START.sub(r"\1\\\2", escaped) if not escaped[:1].isdigit() else escaped
