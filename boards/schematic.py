"""Draws each board's schematic.svg: every terminal, its circuit and its pin.

    python boards/wiring.py            writes it beside WIRING.md
    python boards/check_boards.py      says when it is out of date

Pins come from board.py, terminals from the tables of wiring.in.md; the circuits are the ones that
page describes, as data here, so that a test can compute currents and levels from them.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

from board_files import HERE, Board

SUPPLY_V = 3.3
_ROW = re.compile(r"^\| (J\d+-\d+) \| \$(\w+) \|(.*)\|\s*$", re.MULTILINE)


@dataclass(frozen=True)
class Circuit:
    """What is between a terminal and its pin, from the terminal on; 0: not there.

    coupler: the terminal is the collector of an optocoupler. pull_up_ohm: to 3.3 V. series_ohm,
    then capacitor_nf to ground at the pin. drives: the pin drives the terminal.
    """

    pull_up_ohm: int = 0
    series_ohm: int = 0
    capacitor_nf: int = 0
    coupler: bool = False
    drives: bool = False


HALL = Circuit(pull_up_ohm=4700, series_ohm=1000, capacitor_nf=10)
COUPLED = Circuit(pull_up_ohm=4700, capacitor_nf=1, coupler=True)
LOOP = Circuit(pull_up_ohm=4700, coupler=True)
CONTACT = Circuit(pull_up_ohm=4700, series_ohm=1000, capacitor_nf=100)
SENT = Circuit(series_ohm=100, drives=True)
CIRCUITS = {
    "UART_tx": SENT,
    "UART_rx": Circuit(pull_up_ohm=10_000),
    "INPUT_1": HALL,
    "INPUT_2": HALL,
    "INPUT_3": HALL,
    "INPUT_6": HALL,
    "INPUT_4": COUPLED,
    "INPUT_5": COUPLED,
    "INPUT_7": COUPLED,
    "INPUT_8": COUPLED,
    "SPI_sck": SENT,
    "SPI_latch": SENT,
    "SPI_miso": Circuit(),
    "BUTTON": CONTACT,
    "MAINTENANCE": CONTACT,
    "TILT": LOOP,
    "DOME": LOOP,
    "LAMP": Circuit(series_ohm=330, drives=True),
}

_PITCH, _TOP = 74, 64
_TERMINAL_X, _PULL_UP_X, _SERIES_X, _CAPACITOR_X, _PIN_X = 330, 420, 500, 600, 700
_WIDTH = 960


@dataclass(frozen=True)
class Wire:
    """One row of the drawing."""

    terminal: str
    signal: str
    to: str
    pin: str


def wires(board: Board) -> list[Wire]:
    """Every wire of the page that ends at a pin, in the order of the page."""
    text = (HERE / "wiring.in.md").read_text(encoding="utf-8")
    pins = dict(board.data["PINS"])
    for bus in ("UART", "SPI"):
        pins |= {f"{bus}_{name}": pin for name, pin in board.data[bus].items()}
    header = board.facts["header"]
    lines = []
    for terminal, signal, rest in _ROW.findall(text):
        if signal not in CIRCUITS:
            continue
        # The slip ring of J5 and the colours of J3 are columns of their own.
        cells = [cell.strip() for cell in rest.split("|")]
        to = max(cells, key=len)
        place = header.get(str(pins[signal]))
        pin = f"GPIO{pins[signal]}" + (f", {place}" if place else "")
        lines.append(Wire(terminal, signal, to, pin))
    return lines


def svg_of(board: Board) -> str:
    """The drawing of a board."""
    rows = wires(board)
    height = _TOP + _PITCH * len(rows) + 24
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}"'
        ' font-family="sans-serif" font-size="13" fill="none" stroke="black">',
        f'<rect width="{_WIDTH}" height="{height}" fill="white" stroke="none"/>',
        _text(16, 28, f"{board.facts['name']}: terminals, circuits, pins", size=17),
        _text(16, 48, "Written by make gen from board.py and wiring.in.md. Grounds are J1-2."),
        f'<rect x="{_PIN_X}" y="{_TOP}" width="240" height="{_PITCH * len(rows)}"/>',
    ]
    for number, wire in enumerate(rows):
        parts += _row(wire, _TOP + _PITCH * number + 40)
    return "\n".join([*parts, "</svg>", ""])


def _row(wire: Wire, y: int) -> Iterator[str]:
    circuit = CIRCUITS[wire.signal]
    yield f'<circle cx="{_TERMINAL_X}" cy="{y}" r="4" fill="white"/>'
    yield _text(_TERMINAL_X - 12, y - 4, wire.terminal, anchor="end")
    yield _text(_TERMINAL_X - 12, y + 12, wire.to, anchor="end", size=11)
    yield _line(_TERMINAL_X + 4, y, _PIN_X, y)
    if circuit.coupler:
        x = _TERMINAL_X + 16
        yield f'<rect x="{x}" y="{y - 12}" width="52" height="24" fill="white"/>'
        yield _text(x + 26, y + 4, "PC817", anchor="middle", size=11)
    if circuit.pull_up_ohm:
        yield from _resistor_up(_PULL_UP_X, y, circuit.pull_up_ohm)
    if circuit.series_ohm:
        yield f'<rect x="{_SERIES_X}" y="{y - 6}" width="44" height="12" fill="white"/>'
        yield _text(_SERIES_X + 22, y + 20, _ohm(circuit.series_ohm), anchor="middle", size=11)
    if circuit.capacitor_nf:
        yield from _capacitor_down(_CAPACITOR_X, y, circuit.capacitor_nf)
    if circuit.drives:
        yield f'<path d="M {_PIN_X - 8} {y - 5} L {_PIN_X - 18} {y} L {_PIN_X - 8} {y + 5} Z"/>'
    yield _text(_PIN_X + 10, y - 2, wire.signal)
    yield _text(_PIN_X + 10, y + 14, wire.pin, size=11)


def _resistor_up(x: int, y: int, ohm: int) -> Iterator[str]:
    yield _line(x, y, x, y - 30)
    yield f'<rect x="{x - 6}" y="{y - 26}" width="12" height="20" fill="white"/>'
    yield _text(x + 10, y - 12, _ohm(ohm), size=11)
    yield _text(x + 4, y - 29, "3.3 V", size=9)
    yield f'<circle cx="{x}" cy="{y}" r="2" fill="black"/>'


def _capacitor_down(x: int, y: int, nf: int) -> Iterator[str]:
    yield _line(x, y, x, y + 8)
    yield _line(x - 8, y + 8, x + 8, y + 8)
    yield _line(x - 8, y + 12, x + 8, y + 12)
    yield _line(x, y + 12, x, y + 20)
    yield _line(x - 6, y + 20, x + 6, y + 20)
    yield _text(x + 12, y + 16, f"{nf} nF", size=11)
    yield f'<circle cx="{x}" cy="{y}" r="2" fill="black"/>'


def _ohm(ohm: int) -> str:
    return f"{ohm / 1000:g} kohm" if ohm >= 1000 else f"{ohm} ohm"


def _line(x: int, y: int, to_x: int, to_y: int) -> str:
    return f'<path d="M {x} {y} L {to_x} {to_y}"/>'


def _text(x: int, y: int, text: str, *, anchor: str = "start", size: int = 13) -> str:
    return (
        f'<text x="{x}" y="{y}" text-anchor="{anchor}" font-size="{size}" fill="black"'
        f' stroke="none">{escape(text)}</text>'
    )
