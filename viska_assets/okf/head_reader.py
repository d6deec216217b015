"""From the strings of a frontmatter mapping to the typed head of a page, tolerant of pages edited by hand."""

from collections.abc import Callable
from datetime import datetime
from typing import TypeVar

from pydantic import ValidationError

from viska_assets.model.page import Frontmatter, Generated, SourceEntry
from viska_assets.okf.errors import OkfError
from viska_assets.okf.frontmatter import Mapping, YamlValue
from viska_assets.okf.issue import Issue, Level
from viska_assets.okf.timestamps import read_timestamp, write_timestamp

_Value = TypeVar("_Value")
_KNOWN = frozenset(Frontmatter.model_fields) - {"extra"}
_SOURCE_KEYS = frozenset(SourceEntry.model_fields) - {"extra"}
_LOCATOR_KINDS = {
    frozenset({"row", "column"}): "cell",
    frozenset({"row"}): "row",
    frozenset({"cell"}): "grid",
    frozenset({"quote"}): "quote",
}


class HeadReader:
    """Turns the strings of a frontmatter mapping into the typed head."""

    def __init__(self, mapping: Mapping, path: str, remarks: list[Issue]) -> None:
        self._values = mapping.values
        self._lines = mapping.lines
        self._path = path
        self._remarks = remarks

    def frontmatter(self) -> Frontmatter:
        """The typed head; raises OkfError where a value does not fit."""
        values = self._values
        known: dict[str, object] = {key: value for key, value in values.items() if key in _KNOWN}
        extra: dict[str, object] = {key: value for key, value in values.items() if key not in _KNOWN}
        if "type" not in known or not known["type"]:
            raise OkfError("the page has no type", path=self._path, line=1, mend="add a line such as type: Issuer")
        known.setdefault("title", self._path.rpartition("/")[2].removesuffix(".md"))
        timestamp = self._moment("timestamp", known, extra)
        generated = self._generated(timestamp, known)
        known["generated"] = generated
        known["timestamp"] = timestamp or generated.at
        if timestamp is None:
            extra.pop("timestamp", None)
        stale_after = self._moment("stale_after", known, extra)
        known["stale_after"] = stale_after
        verified = known.pop("verified", [])
        known["verified"] = [self._actor("verified", entry) for entry in _as_list(verified)]
        known["sources"] = [self._source(at, entry) for at, entry in enumerate(_as_list(known.get("sources", [])))]
        for key in ("tags", "aliases", "supersedes", "superseded_by"):
            if known.get(key) == "":
                del known[key]
        if known.get("identifiers") == "":
            del known["identifiers"]
        return self._validated(lambda: Frontmatter.model_validate({**known, "extra": extra}), "")

    def _moment(self, key: str, known: dict[str, object], extra: dict[str, object]) -> datetime | None:
        text = known.pop(key, None)
        if text is None:
            return None
        moment = read_timestamp(text) if isinstance(text, str) else None
        if moment is None:
            extra[key] = text
            self._remark_timestamp(key, str(text))
        return moment

    def _remark_timestamp(self, key: str, text: str) -> None:
        message = f"{key} {text!r} is not a datetime with a UTC offset and is read as absent"
        line = self._lines.get(key, 1)
        hint = 'write it as "2026-06-30T00:00:00+00:00"'
        self._remarks.append(Issue(self._path, line, 1, "TIMESTAMP", message, Level.WARNING, hint))

    def _generated(self, timestamp: datetime | None, known: dict[str, object]) -> Generated:
        entry = known.get("generated")
        if isinstance(entry, dict) and timestamp is not None and "at" not in entry:
            entry = {**entry, "at": write_timestamp(timestamp)}
        if entry is None:
            mend = 'add generated: {by: "human:<id>", at: <timestamp with offset>}'
            raise OkfError("the page does not say who wrote it and when", path=self._path, line=1, mend=mend)
        return self._actor("generated", entry)

    def _actor(self, key: str, entry: object) -> Generated:
        at = entry.get("at") if isinstance(entry, dict) else None
        moment = read_timestamp(at) if isinstance(at, str) else None
        if not isinstance(entry, dict) or moment is None:
            message = f"{key} needs the keys by and at, at with a UTC offset"
            line = self._lines.get(key, 1)
            raise OkfError(message, path=self._path, line=line, mend='write {by: "human:<id>", at: "…+00:00"}')
        return self._validated(lambda: Generated.model_validate({**entry, "at": moment}), key)

    def _source(self, at: int, entry: YamlValue | object) -> SourceEntry:
        place = f"sources.{at}"
        if not isinstance(entry, dict):
            line = self._lines.get(place, 1)
            raise OkfError(
                "a source is not a mapping", path=self._path, line=line, mend="write - id: … and resource: …"
            )
        values: dict[str, object] = {key: value for key, value in entry.items() if key in _SOURCE_KEYS}
        extra = {key: value for key, value in entry.items() if key not in _SOURCE_KEYS}
        locator = values.get("locator")
        if isinstance(locator, dict) and "kind" not in locator:
            kind = _LOCATOR_KINDS.get(frozenset(locator))
            if kind is None:
                mend = "give row and column, row, cell, or quote"
                line = self._lines.get(f"{place}.locator", 1)
                raise OkfError("a locator has no known form", path=self._path, line=line, mend=mend)
            values["locator"] = {**locator, "kind": kind}
        values.setdefault("id", str(at + 1))
        if values.get("chunk") == "":
            del values["chunk"]
        return self._validated(lambda: SourceEntry.model_validate({**values, "extra": extra}), place)

    def _validated(self, build: Callable[[], _Value], place: str) -> _Value:
        try:
            return build()
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            steps = [str(step) for step in first["loc"] if step != "extra"]
            where = ".".join([place, *steps] if place else steps)
            line = next((self._lines[key] for key in _enclosing(where) if key in self._lines), 1)
            message = f"{where}: {first['msg'][:1].lower()}{first['msg'][1:]}"
            raise OkfError(message, path=self._path, line=line) from error


def _enclosing(place: str) -> list[str]:
    steps = place.split(".")
    return [".".join(steps[:length]) for length in range(len(steps), 0, -1)]


def _as_list(value: object) -> list[object]:
    if value == "" or value is None:
        return []
    return value if isinstance(value, list) else [value]
