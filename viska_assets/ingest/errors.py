"""The one error of this room: a file that cannot be read, with the place in it and the mend."""


class ReadingError(ValueError):
    """Raised where a file cannot be read; says which file, where in it, and what would mend it."""

    def __init__(self, file: str, place: str, mend: str) -> None:
        super().__init__(f"{file}: {place}; {mend}")
        self.file = file
        self.place = place
        self.mend = mend
