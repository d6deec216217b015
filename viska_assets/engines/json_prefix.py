"""Whether a stream of characters can still become one JSON object: the sign of life of an answer that is under way."""

from enum import Enum, auto

_SPACE = " \t\n\r"
_NUMBER = frozenset("+-.eE0123456789")
_WORDS = ("true", "false", "null")


class _At(Enum):
    VALUE = auto()
    FIRST_KEY = auto()
    KEY = auto()
    COLON = auto()
    AFTER = auto()
    FIRST_ITEM = auto()
    STRING = auto()
    ESCAPE = auto()
    UNICODE = auto()
    WORD = auto()
    NUMBER = auto()
    END = auto()


class JsonPrefix:
    """Fed piece by piece; ``feed`` says whether what came so far is the beginning of a JSON object.

    Strings, escapes, numbers by their characters, words and nesting are followed; nothing is kept but where it stands,
    so that a runaway answer costs no memory here.
    """

    def __init__(self, deepest: int = 64) -> None:
        self._at, self._stack, self._deepest = _At.VALUE, "", deepest
        self._is_key, self._word, self._hex = False, "", 0
        self._alive = True

    @property
    def is_whole(self) -> bool:
        """Whether the object is closed."""
        return self._alive and self._at is _At.END

    def feed(self, piece: str) -> bool:
        """Goes on by a piece; False from the first character on that no JSON object can hold there."""
        for character in piece:
            if not self._alive:
                break
            self._alive = self._step(character)
        return self._alive

    def _step(self, c: str) -> bool:
        match self._at:
            case _At.STRING:
                return self._in_string(c)
            case _At.ESCAPE:
                self._at, self._hex = (_At.UNICODE, 0) if c == "u" else (_At.STRING, 0)
                return c in '"\\/bfnrtu'
            case _At.UNICODE:
                self._hex += 1
                if self._hex == 4:
                    self._at = _At.STRING
                return c in "0123456789abcdefABCDEF"
            case _At.WORD:
                self._word += c
                if self._word in _WORDS:
                    self._at = _At.AFTER
                return any(word.startswith(self._word) for word in _WORDS)
            case _At.NUMBER if c in _NUMBER:
                return True
            case _At.NUMBER:
                self._at = _At.AFTER
        return c in _SPACE or self._between(c)

    def _in_string(self, c: str) -> bool:
        if c == "\\":
            self._at = _At.ESCAPE
        elif c == '"':
            self._at = _At.COLON if self._is_key else _At.AFTER
        return c >= " "

    def _between(self, c: str) -> bool:
        if self._at in (_At.FIRST_KEY, _At.KEY) and c == '"':
            self._at, self._is_key = _At.STRING, True
            return True
        if self._at is _At.COLON and c == ":":
            self._at = _At.VALUE
            return True
        if self._at is _At.AFTER and c == ",":
            self._at = _At.KEY if self._stack[-1] == "{" else _At.VALUE
            return True
        if c in "}]":
            return self._close(c)
        return self._at in (_At.VALUE, _At.FIRST_ITEM) and self._open(c)

    def _close(self, c: str) -> bool:
        empty = _At.FIRST_KEY if c == "}" else _At.FIRST_ITEM
        if self._at not in (_At.AFTER, empty) or not self._stack or self._stack[-1] != {"}": "{", "]": "["}[c]:
            return False
        self._stack = self._stack[:-1]
        self._at = _At.AFTER if self._stack else _At.END
        return True

    def _open(self, c: str) -> bool:
        if not self._stack and c != "{":
            return False
        if c in "{[":
            self._stack += c
            self._at = _At.FIRST_KEY if c == "{" else _At.FIRST_ITEM
            return len(self._stack) <= self._deepest
        if c == '"':
            self._at, self._is_key = _At.STRING, False
            return True
        if c in "-0123456789":
            self._at = _At.NUMBER
            return True
        self._at, self._word = _At.WORD, c
        return any(word.startswith(c) for word in _WORDS)
