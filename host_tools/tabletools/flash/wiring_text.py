"""The wiring of a board for a role, from boards/<board>/WIRING.md: its tables as columns."""

import re
from itertools import zip_longest

from tabletools.errors import ToolError
from tabletools.flash.boards import Kind

_PINS = "Pins at a glance"
_BESIDE = "beside this page"  # a reader of the text has no page; the command names the file


def wiring_of(kind: Kind, role: int) -> list[str]:
    """Return text lines: every pin, then the differences of that role, if it is not roulette."""
    file = kind.folder / "WIRING.md"
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise ToolError("cannot read the wiring", where=str(file), step="make gen") from error
    parts = re.split(r"(?m)^## ", text)
    wanted = [p for p in parts if _PINS in p.split("\n")[0] or f"Set `role = {role}`" in p]
    return [line for part in wanted for line in _text(part)]


def _text(part: str) -> list[str]:
    heading, *lines = part.strip().splitlines()
    text = [re.sub(r"^\d+\. ", "", heading)]
    rows: list[list[str]] = []
    for line in [*lines, ""]:
        if _BESIDE in line:
            continue
        if line.startswith("|"):
            rows.append([cell.strip() for cell in line.strip("|").split("|")])
            continue
        text += _columns(rows)
        rows = []
        text.append(line)
    return text


def _columns(rows: list[list[str]]) -> list[str]:
    rows = [row for row in rows if set("".join(row)) != {"-"}]
    widths = [max(map(len, column)) for column in zip_longest(*rows, fillvalue="")]
    return [
        "  " + "  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=False)).rstrip()
        for row in rows
    ]
