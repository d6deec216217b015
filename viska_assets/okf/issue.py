"""What the rooms of OKF say of a file: plain issues with a code and a place, before anyone judges them."""

from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    """Whether an issue breaks a rule or only advises."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True, order=True)
class Issue:
    """One remark on a file: ``line`` and ``column`` count from 1, ``start`` and ``end`` are characters of the file."""

    path: str
    line: int
    column: int
    code: str
    message: str
    level: Level = Level.ERROR
    hint: str = ""
    start: int = 0
    end: int = 0
