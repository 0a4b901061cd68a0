"""The settings file of a host: one TOML file, every key known, every value checked."""

import re
from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from tabletools.errors import ToolError
from tabletools.pit.settings import HOST, TABLE, Setting, Settings, TableSettings
from tabletools.text_file import read_text, toml_of

_HOST = {setting.name: setting for setting in HOST}
_TABLE = {setting.name: setting for setting in TABLE}
_KINDS = {
    str: "a text",
    int: "a whole number",
    bool: "true or false",
    list: "a list of texts",
    dict: "a section",
}
# Keys that mark a file as that of a host, not of a table.
_OURS = frozenset((*_HOST, "table")) - {"port"}


def is_ours(path: Path) -> bool:
    """Whether a file is that of a host, judged by its keys."""
    try:
        values = toml_of(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return any(name in _OURS for name in values)


def read(path: Path, *, tables_only: bool = False) -> Settings:
    """The settings of a file. tables_only: only tables are allowed in it. Raises ToolError."""
    text = read_text(path)
    try:
        raw = toml_of(text)
    except ValueError as error:
        step = "correct it; docs/SERVE.md has an example"
        raise ToolError(f"not a TOML file: {error}", where=str(path), step=step) from error
    place = _Place(path, text)
    listed = raw.pop("table", [])
    if not isinstance(listed, list) or not all(isinstance(each, dict) for each in listed):
        place.refuse("table", "tables are sections", "write each below a line [[table]]")
    if tables_only and raw:
        place.refuse(
            next(iter(raw)),
            f"{next(iter(raw))!r} is not a table",
            "a file of tables has [[table]] sections only; use --config",
        )
    values = _check(raw, _HOST, place)
    tables = [
        TableSettings(**_check(each, _TABLE, place.within(number)))
        for number, each in enumerate(listed)
    ]
    _verify_apart(tables, place)
    return replace(Settings(), **values, tables=tuple(tables))


def _verify_apart(tables: list[TableSettings], place: "_Place") -> None:
    for number, table in enumerate(tables):
        for other in tables[:number]:
            for name in ("name", "device", "port"):
                if getattr(table, name) == getattr(other, name):
                    what = f"{name} {getattr(table, name)!r} is used by another table too"
                    place.within(number).refuse(name, what, "each table has its own")


def _check(
    raw: Mapping[str, Any], known: Mapping[str, Setting], place: "_Place"
) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, value in raw.items():
        if name not in known:
            near = get_close_matches(name, known, n=1, cutoff=0.0)[0]
            place.refuse(name, f"no key {name!r}", f"did you mean {near}?")
        values[name] = _value(known[name], value, place)
    for setting in known.values():
        if setting.default is None and setting.name not in values:
            what = f"the key {setting.name} is missing: {setting.meaning}"
            place.refuse("", what, f"add a line: {setting.name} = ...")
    return values


def _value(setting: Setting, value: Any, place: "_Place") -> Any:
    is_right = type(value) is setting.kind
    if setting.kind is list:
        is_right = is_right and all(isinstance(each, str) for each in value)
    if not is_right:
        what = f"{setting.name} = {value!r} is not {_KINDS[setting.kind]}"
        place.refuse(setting.name, what, setting.meaning)
    if setting.kind is int and not setting.low <= value <= setting.high:
        what = f"{setting.name} = {value} is out of range"
        place.refuse(setting.name, what, setting.meaning, f"{setting.low}..{setting.high}")
    return tuple(value) if setting.kind is list else value


class _Place:
    """A position in a file, for messages. section: number of the table, -1: before any."""

    def __init__(self, path: Path, text: str, section: int = -1) -> None:
        self._path = path
        self._text = text
        self._section = section

    def within(self, section: int) -> "_Place":
        """The place of a table."""
        return _Place(self._path, self._text, section)

    def refuse(self, name: str, what: str, step: str, limit: str = "") -> None:
        """Raise ToolError for a key."""
        where = f"{self._path}, line {self._line(name)}"
        raise ToolError(what, where=where, limit=limit, step=step)

    def _line(self, name: str) -> int:
        """The line of a key; that of its section when it is not found."""
        section, begins = -1, 1
        pattern = rf"\s*\[?(table\.)?[\"']?{re.escape(name)}[\"']?\s*([]=.]|$)"
        for number, line in enumerate(self._text.splitlines(), 1):
            if re.match(r"\s*\[\[\s*[\"']?table[\"']?\s*\]\]", line):
                section += 1
                begins = number if section == self._section else begins
            elif section == self._section and name and re.match(pattern, line):
                return number
        return begins
