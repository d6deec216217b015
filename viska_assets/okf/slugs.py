"""Concept ids: the folder of a type and a slug of a name, the same for every spelling of it."""

import re
import unicodedata

from viska_assets.model.page import FOLDER_OF_TYPE, ConceptType

# the segments that Google's reference bundle code accepts (okf/src/reference_agent/bundle/paths.py)
_SEGMENT = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
_SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_LETTERS = str.maketrans(
    {"æ": "ae", "ø": "oe", "å": "aa", "ß": "ss", "ł": "l", "đ": "d", "þ": "th", "ð": "d", "œ": "oe"}
)
_LONGEST = 80
RESERVED_NAMES = frozenset({"index.md", "log.md"})


def slugify(name: str) -> str:
    """A name as a slug: lower-case ASCII words joined by hyphens, ``&`` read as "and".

    Raises:
        ValueError: The name holds no letter or digit that a slug can keep.
    """
    lowered = name.lower().translate(_LETTERS).replace("&", " and ").replace("'", "").replace("’", "")
    ascii_only = unicodedata.normalize("NFKD", lowered).encode("ascii", "ignore").decode("ascii")
    slug = re.sub(r"[^a-z0-9]+", "-", ascii_only).strip("-")[:_LONGEST].rstrip("-")
    if not slug:
        raise ValueError(f"no slug can be made of {name!r}; give the page a name with letters or digits")
    return slug


def concept_id(kind: ConceptType, name: str) -> str:
    """The id of a concept of this type and name: ``issuers/novo-nordisk``."""
    return f"{FOLDER_OF_TYPE[kind]}/{slugify(name)}"


def is_slug(segment: str) -> bool:
    """Whether a path segment is a slug as Viska writes them."""
    return _SLUG.fullmatch(segment) is not None


def is_portable_segment(segment: str) -> bool:
    """Whether Google's bundle code accepts a path segment."""
    return _SEGMENT.fullmatch(segment) is not None
