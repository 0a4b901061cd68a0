"""Reads a text file that a user named, or explains why it cannot be read."""

import tomllib
from pathlib import Path
from typing import Any

from tabletools.errors import ToolError


def read_text(path: Path) -> str:
    """Return the text of a file in UTF-8. Raises ToolError."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ToolError("not a text file", where=str(path), step="name another file") from error
    except OSError as error:
        what = f"cannot read the file: {(error.strerror or str(error)).lower()}"
        raise ToolError(what, where=str(path), step="check the name") from error


def toml_of(text: str) -> dict[str, Any]:
    """Return the keys of a text in TOML. Raises ValueError, also when it is nested too deeply."""
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("its values are nested too deeply") from None
