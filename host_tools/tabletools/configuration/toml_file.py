"""The configuration of one table as a TOML file: one line per key, by name, with all keys.

All, so that a file describes a table completely, and a key added by a release is not overlooked.
"""

import re
from collections.abc import Sequence
from pathlib import Path

from tablespec.config_keys import KEYS
from tabletools.configuration.change_plan import verify
from tabletools.configuration.key_names import find, line_of, verify_range
from tabletools.errors import ToolError
from tabletools.text_file import read_text, toml_of


def dump(values: Sequence[int], heading: str) -> str:
    """Return the file of these values, by key number; heading: for its first line."""
    lines = [f"# {heading}", *(line_of(key, values[key.number]) for key in KEYS)]
    return "\n".join([*lines, ""])


def read(path: Path) -> list[int]:
    """Return the values of a file by key number, index 0 unused. Raises ToolError."""
    return parsed(read_text(path), str(path))


def parsed(text: str, path: str) -> list[int]:
    """Return the values of the text of a file, as `read` does. path: of it, for errors."""
    try:
        entries = toml_of(text)
    except ValueError as error:
        raise ToolError(
            f"not a configuration file: {error}",
            where=path,
            step="`tabletool config dump PORT --out FILE` writes one",
        ) from error
    values = [0] * (len(KEYS) + 1)
    for name, value in entries.items():
        where = f"{path}, line {_line(text, name)}"
        key = find(name, where)
        if type(value) is not int:
            raise ToolError(
                f"{name} = {value!r} is not a whole number",
                where=where,
                limit=f"{key.low}..{key.high}",
            )
        verify_range(key, value, where)
        values[key.number] = value
    missing = [key for key in KEYS if key.name not in entries]
    if missing:
        raise ToolError(
            f"{len(missing)} of {len(KEYS)} keys are missing: "
            + ", ".join(key.name for key in missing),
            where=path,
            step=f"add for example the factory's: {missing[0].name} = {missing[0].default}",
        )
    verify(values, path)
    return values


def _line(text: str, name: str) -> int:
    """The line of a key, 1 when it is written in a way only TOML understands."""
    for number, line in enumerate(text.splitlines(), 1):
        if re.match(rf"\s*[\[\"']*{re.escape(name)}[\]\"']*\s*([=.#]|$)", line):
            return number
    return 1
