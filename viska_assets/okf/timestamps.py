"""OKF timestamps: ISO 8601 with an explicit UTC offset, read strictly and written in one form."""

import re
from datetime import datetime

# OKF v0.2 since 2026-08-20: a date alone, or a time without an offset, is not a timestamp
_TIMESTAMP = re.compile(r"\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?(?:[Zz]|[+-]\d{2}:?\d{2})")


def read_timestamp(text: str) -> datetime | None:
    """The moment a timestamp names, or None where it is not a datetime with an offset."""
    if _TIMESTAMP.fullmatch(text) is None:
        return None
    try:
        return datetime.fromisoformat(text.upper())
    except ValueError:
        return None


def write_timestamp(moment: datetime) -> str:
    """A moment as OKF has it, offset included."""
    return moment.isoformat()
