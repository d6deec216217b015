"""What HTML tags and inline styles mean to a reader: blocks, emphasis, superscripts and hidden text."""

import re
from dataclasses import dataclass
from functools import lru_cache

BLOCK_TAGS = frozenset(
    [
        "address",
        "article",
        "aside",
        "blockquote",
        "body",
        "center",
        "dd",
        "details",
        "div",
        "dl",
        "dt",
        "fieldset",
        "figcaption",
        "figure",
        "footer",
        "form",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "hr",
        "html",
        "legend",
        "li",
        "main",
        "nav",
        "ol",
        "p",
        "pre",
        "section",
        "summary",
        "table",
        "tbody",
        "td",
        "tfoot",
        "th",
        "thead",
        "tr",
        "ul",
        "caption",
    ]
)
SKIPPED_TAGS = frozenset(
    ["script", "style", "noscript", "template", "head", "title", "ix:header", "ix:hidden", "iframe", "object", "svg"]
)
BOLD_TAGS = frozenset(["b", "strong", "h1", "h2", "h3", "h4", "h5", "h6", "th"])
HEADINGS = {f"h{level}": level for level in range(1, 7)}

_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?:px|pt|em|%)?\s*(?:;|$|!)")
_BOLD = re.compile(r"font-weight\s*:\s*(?:bold|bolder|[6-9]00)|font\s*:[^;]*\bbold\b")
_NOT_BOLD = re.compile(r"font-weight\s*:\s*(?:normal|[1-5]00)")
_RAISED = re.compile(r"vertical-align\s*:\s*(?:super|text-top|top(?=[^;]*;?.*font-size\s*:\s*[4-7](?:\.\d+)?pt))")


@dataclass(frozen=True, slots=True)
class StyleMarks:
    """What one style attribute says; ``bold`` is None where it says nothing."""

    hidden: bool = False
    bold: bool | None = None
    raised: bool = False


_PLAIN = StyleMarks()


@lru_cache(maxsize=4096)
def read_style(style: str) -> StyleMarks:
    """The marks of an inline style."""
    lowered = style.lower()
    bold = True if _BOLD.search(lowered) else False if _NOT_BOLD.search(lowered) else None
    marks = StyleMarks(bool(_HIDDEN.search(lowered)), bold, "super" in lowered and bool(_RAISED.search(lowered)))
    return _PLAIN if marks == _PLAIN else marks


_FOOTNOTE = re.compile(r"\s*[(\[]?(?:\d{1,2}|[a-z])(?:\s*[,;&]\s*[(\[]?(?:\d{1,2}|[a-z])[)\]]?)*[)\]]?\s*")
_SUPERSCRIPTS = str.maketrans(
    "0123456789()abcdefghijklmnoprstuvwxyz",
    "⁰¹²³⁴⁵⁶⁷⁸⁹⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ",
)


def superscripted(raw: str) -> str:
    """A raised footnote mark in superscript characters, so that its digits never join the number before it.

    Anything longer (a trade mark, an ordinal ending, a raised word) stays as it is.
    """
    return raw.translate(_SUPERSCRIPTS) if _FOOTNOTE.fullmatch(raw) else raw


@lru_cache(maxsize=1024)
def tag_name(tag: str) -> str:
    """A tag without its namespace, in lower case; inline-XBRL tags keep an ``ix:`` in front."""
    if tag[0] != "{":
        return tag.lower()
    namespace, _, local = tag[1:].partition("}")
    local = local.lower()
    return f"ix:{local}" if "inlineXBRL" in namespace else local
