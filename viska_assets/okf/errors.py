"""The one exception of the room: a page that cannot be read or written, with its place and its mend."""


class OkfError(ValueError):
    """A page that cannot be read or must not be written.

    ``line`` counts from 1 in the file and is 0 where no line applies; ``mend`` says what to do about it.
    """

    def __init__(self, message: str, *, path: str = "", line: int = 0, mend: str = "") -> None:
        self.message = message
        self.path = path
        self.line = line
        self.mend = mend
        place = f"{path}:{line}: " if line else f"{path}: " if path else ""
        super().__init__(f"{place}{message}" + (f" ({mend})" if mend else ""))
