"""Pages that were opened before, parsed and cut into claims once: a page's text is its key, so nothing grows stale."""

from functools import lru_cache

from viska_assets.model.claim_unit import ClaimUnit
from viska_assets.okf.claims import claim_units
from viska_assets.okf.page import ParsedPage, parse_page

KEPT = 512


@lru_cache(maxsize=KEPT)
def opened_page(text: str, path: str) -> ParsedPage:
    """A page from its text."""
    return parse_page(text, path)


def units_of(parsed: ParsedPage) -> tuple[ClaimUnit, ...]:
    """The claims of a page."""
    return _units(parsed.text, parsed.path)


@lru_cache(maxsize=KEPT)
def _units(text: str, path: str) -> tuple[ClaimUnit, ...]:
    return claim_units(opened_page(text, path))
