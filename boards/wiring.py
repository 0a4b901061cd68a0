"""Writes each board's WIRING.md and schematics from one text and the board's own pin numbers.

    python boards/wiring.py            write them again
    python boards/wiring.py --check    say which are out of date (exit code 1)

The text is wiring.in.md here, or the board's own wiring.in.md. Its $INPUT_1 becomes the pin
of that role, $UART_tx for that of a bus; a pin number typed by hand would drift from board.py.
"""

import sys
import textwrap
from pathlib import Path
from string import Template
from typing import Any

import schematic
from board_files import HERE, Board, BoardError, load, names

_LEVELS = {0: "low", 1: "high"}


def text_of(board: Board) -> str:
    """Return WIRING.md of the board. Raises BoardError when the text names an unknown value."""
    source = board.folder / "wiring.in.md"
    if not source.exists():
        source = board.folder.parent / "wiring.in.md"
    template = Template(source.read_text(encoding="utf-8"))
    unused = [
        role
        for role in board.data["PINS"] | board.data["ANALOG"]
        if role not in template.get_identifiers()
    ]
    if unused:
        raise BoardError(f"{source}: roles {unused} are not wired; give each a row")
    try:
        return template.substitute(_values(board))
    except (KeyError, ValueError) as error:
        raise BoardError(f"{source}: unknown or broken placeholder: {error}") from error


def check(board: Board) -> list[str]:
    """Return a problem for each file that is missing or differs from what board.py says."""
    try:
        files = files_of(board)
    except BoardError as error:
        return [str(error)]
    return [
        f"boards/{board.name}/{name}: out of date; write it again with make gen"
        for name, wanted in files.items()
        if not (path := board.folder / name).exists() or path.read_text(encoding="utf-8") != wanted
    ]


def files_of(board: Board) -> dict[str, str]:
    """Name -> text of what is written for a board. Raises BoardError.

    A board with a text of its own is none that anybody wires, and has no schematic.
    """
    files = {"WIRING.md": text_of(board)}
    if not (board.folder / "wiring.in.md").exists():
        for role in schematic.roles_of(board):
            files[f"schematic-{role}.svg"] = schematic.svg_of(board, role)
    return files


def _values(board: Board) -> dict[str, str]:
    data, facts = board.data, board.facts
    pins = data["PINS"] | data["ANALOG"]
    values = {role: _pin(facts, pin) for role, pin in pins.items()}
    for bus in ("UART", "SPI"):
        for key, value in data[bus].items():
            values[f"{bus}_{key}"] = str(value) if key in ("id", "baud") else _pin(facts, value)
    values |= {f"{role}_active": _LEVELS[level] for role, level in data["ACTIVE"].items()}
    values |= {f"power_{key}": text for key, text in facts["power"].items()}
    values |= {key: str(facts[key]) for key in ("id", "name", "mcu", "revision", "vendor")}
    for key, value in data["CAMERA"].items():
        text = str(value) if key in ("kind", "i2c") else _pin(facts, value)
        values[f"CAMERA_{key}"] = text
    values["camera"] = _camera(values, facts)
    values["MACHINE_UART"] = str(data["MACHINE_UART"])
    values["first_pin"] = str(data["PINS"]["INPUT_1"])
    notes = [*facts["notes"], *_unfit(facts)]
    values["notes"] = "\n".join(_wrap(f"- {note}", "  ") for note in notes)
    values["reserved"] = "\n".join(
        f"| GPIO{pin} | {reason} |" for pin, reason in data["RESERVED"].items()
    )
    return values


def _unfit(facts: dict[str, Any]) -> list[str]:
    """Return a note for each role that does not run there, but for that of the camera."""
    return [
        f"**No {role} on this board**, and `tabletool flash` refuses it: {why}."
        for role, why in facts["unfit_roles"].items()
        if role != "dice_tray"
    ]


def _wrap(text: str, indent: str = "") -> str:
    """Return a text in lines of a page. indent: of all lines but the first."""
    return textwrap.fill(
        text, 118, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def _camera(values: dict[str, str], facts: dict[str, Any]) -> str:
    """Return the rows of the camera's wires and who reads its frames, or why there are none."""
    if unfit := facts["unfit_roles"].get("dice_tray", ""):
        return _wrap(f"**Not on this board**, and `tabletool flash` refuses it: {unfit}.")
    if values["CAMERA_kind"] != "hm01b0":
        return "Frames come over a port of the emulator: there is no camera to wire."
    rows = (
        ("sda", "SDA, 4.7 kohm to 3.3 V"),
        ("scl", "SCL, 4.7 kohm to 3.3 V"),
        ("data", "D0, the one data line"),
        ("pclk", "PCLKO"),
        ("line", "LVLD (line valid)"),
        ("frame", "FVLD (frame valid)"),
    )
    lines = ["| camera module | pin |", "|---|---|"]
    lines += [f"| {text} | {values[f'CAMERA_{key}']} |" for key, text in rows]
    lines.append("| VCC, GND | 3.3 V, ground |")
    if facts["dice_frame_s"]:
        least, most = facts["dice_frame_s"]
        took = f"Reading a frame of dice takes this board {least} to {most} s"
        how = "`dice_reading` 1 and a commissioned tray (`tabletool commission-tray`)"
        text = f"{took}. It reads them with {how}; by default the host does (`dice_reading` 2)."
        lines += ["", _wrap(text)]
    return "\n".join(lines)


def _pin(facts: dict[str, Any], pin: int) -> str:
    """Return "GPIO2 (pin 4)", or "GPIO2" when the board has no header."""
    place = facts["header"].get(str(pin))
    return f"GPIO{pin} ({place})" if place else f"GPIO{pin}"


def main(argv: list[str]) -> int:
    """Write or check every WIRING.md; return the exit code."""
    boards = [load(name) for name in names()]
    if argv == ["--check"]:
        problems = [problem for board in boards for problem in check(board)]
        print("\n".join(problems) or "WIRING.md and schematics of every board are up to date")
        return 1 if problems else 0
    for board in boards:
        for name, text in files_of(board).items():
            Path(board.folder / name).write_text(text, encoding="utf-8")
    print(f"wrote WIRING.md and schematics of {len(boards)} boards in {HERE.name}/")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
