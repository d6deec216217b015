"""Where the source of a markdown link ends: after ``](target "title")``, ``][label]`` or a bare ``]``."""

_CLOSER_OF = {'"': '"', "'": "'", "(": ")"}


def link_tail_end(content: str, bracket: int) -> int:
    """The offset after a link whose closing bracket stands at ``bracket``."""
    after = bracket + 1
    following = content[after : after + 1]
    if following == "(":
        end = _destination_end(content, after + 1)
        if end is not None:
            return end
    elif following == "[":
        close = content.find("]", after)
        if close >= 0:
            return close + 1
    return after


def _destination_end(content: str, at: int) -> int | None:
    at = _after_space(content, at)
    if content[at : at + 1] == "<":
        close = content.find(">", at)
        if close < 0:
            return None
        at = close + 1
    else:
        at = _after_bare_target(content, at)
    at = _after_space(content, at)
    closer = _CLOSER_OF.get(content[at : at + 1])
    if closer is not None:
        at = _after_title(content, at + 1, closer)
    at = _after_space(content, at)
    return at + 1 if content[at : at + 1] == ")" else None


def _after_space(content: str, at: int) -> int:
    while content[at : at + 1] in {" ", "\t", "\n"}:
        at += 1
    return at


def _after_bare_target(content: str, at: int) -> int:
    depth = 0
    while at < len(content):
        character = content[at]
        if character == "\\":
            at += 1
        elif character in " \t\n":
            break
        elif character == "(":
            depth += 1
        elif character == ")":
            if depth == 0:
                break
            depth -= 1
        at += 1
    return at


def _after_title(content: str, at: int, closer: str) -> int:
    while at < len(content) and content[at] != closer:
        at += 2 if content[at] == "\\" else 1
    return at + 1
