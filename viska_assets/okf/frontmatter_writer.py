"""Writing the YAML head of a page: fixed key order, fixed quoting, no folding; same values, same bytes."""

import re
from collections.abc import Mapping, Sequence

from viska_assets.okf.errors import OkfError

_PLAIN = re.compile(r"[A-Za-z/][A-Za-z0-9_/.()%+-]*(?: [A-Za-z0-9_/.()%+-]+)*")
_WORDS_WITH_A_TYPE = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})
_SHORT_ESCAPES = {"\n": "\\n", "\t": "\\t", "\r": "\\r", '"': '\\"', "\\": "\\\\"}
# libyaml refuses an implicit key of more than 1024 characters (YAML 1.1 §7.4.2)
_LONGEST_KEY = 200


def write_scalar(value: str) -> str:
    """One string as YAML: plain where every reader takes it for a string, double-quoted otherwise."""
    if _PLAIN.fullmatch(value) and value.lower() not in _WORDS_WITH_A_TYPE:
        return value
    return '"' + "".join(_escape(character) for character in value) + '"'


def _escape(character: str) -> str:
    short = _SHORT_ESCAPES.get(character)
    if short is not None:
        return short
    if character.isprintable():
        return character
    code = ord(character)
    if 0xD800 <= code <= 0xDFFF:
        raise OkfError("a value holds a lone surrogate", mend="decode the source text properly")
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def write_flow(value: object) -> str:
    """A value on one line: ``[a, b]``, ``{key: value}`` or a scalar."""
    if isinstance(value, str):
        return write_scalar(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(key)}: {write_flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, Sequence):
        return "[" + ", ".join(write_flow(item) for item in value) + "]"
    raise OkfError(f"frontmatter cannot hold a {type(value).__name__}", mend="give a string, a list or a mapping")


def write_entry(key: str, value: object) -> str:
    """One top-level key with its value, ended by a line break; a list of mappings stands in block form."""
    if isinstance(value, str | Mapping) or not isinstance(value, Sequence) or not value:
        return f"{_key(key)}: {write_flow(value)}\n"
    if not all(isinstance(item, Mapping) and item for item in value):
        return f"{_key(key)}: {write_flow(value)}\n"
    lines = [f"{_key(key)}:"]
    for item in value:
        marker = "  - "
        for name, inner in item.items():
            lines.append(f"{marker}{_key(name)}: {write_flow(inner)}")
            marker = "    "
    return "\n".join(lines) + "\n"


def _key(key: object) -> str:
    if not isinstance(key, str) or not key or len(key) > _LONGEST_KEY or key == "<<":
        raise OkfError(f"frontmatter cannot hold the key {str(key)[:40]!r}", mend="use a short non-empty string")
    return write_scalar(key)
