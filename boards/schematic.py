"""Draws a board's schematic of each role: field, isolation, terminal, circuit, pin of each line.

    python boards/wiring.py            writes them beside WIRING.md
    python boards/check_boards.py      says which are out of date

Pins come from board.py, circuits from circuits.py, terminals and what each line is from
wiring.in.md. Every value is in the drawing once, marked with the part it belongs to.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

from board_files import HERE, Board
from circuits import FIELD_V, ROLES, SUPPLY_V, Circuit

_TERMINAL = re.compile(r"^\| (J\d+-\d+) \| \$(\w+) \|(.*)\|\s*$", re.MULTILINE)
_NAMED = re.compile(r"^\| [^|]+ \| \$(\w+) \|(?:[^|\n]*\|)*? ([^|\n]+) \|\s*$", re.MULTILINE)
_CAMERA = {
    "sda": "SDA",
    "scl": "SCL",
    "data": "D0",
    "pclk": "PCLKO",
    "line": "LVLD",
    "frame": "FVLD",
}

_ROW, _HIGH_ROW, _TOP = 84, 144, 196
_DEVICE_X, _LED_X, _COUPLER_X, _COUPLER_WIDTH = 20, 276, 356, 64
_TERMINAL_X, _PULL_X, _SERIES_X, _CAPACITOR_X, _PIN_X = 500, 590, 670, 770, 860
_WIDTH = 1110
_BELOW = 24  # from the anode of a coupler to its cathode, from collector to emitter


@dataclass(frozen=True)
class Wire:
    """One line of the drawing.

    Attributes:
        what: it is, as the page says.
        to: what is at its end, empty where the circuit says it.
        couplers: numbers of its optocouplers on the page.
    """

    terminal: str
    signal: str
    what: str
    pin: str
    circuit: Circuit
    to: str = ""
    couplers: tuple[str, ...] = ()


def roles_of(board: Board) -> list[str]:
    """Return the roles that run on a board."""
    return [role for role in ROLES if role not in board.facts["unfit_roles"]]


def wires(board: Board, role: str) -> list[Wire]:
    """Return every line of a role that ends at a pin, in the order of the terminals."""
    text = (HERE / "wiring.in.md").read_text(encoding="utf-8")
    pins = board.data["PINS"] | board.data["ANALOG"]
    for bus in ("UART", "SPI"):
        pins |= {f"{bus}_{name}": pin for name, pin in board.data[bus].items()}
    wiring = ROLES[role]
    names = _names(text, wiring.number)
    lines = []
    for terminal, signal, rest in _TERMINAL.findall(text):
        if signal not in wiring.circuits:
            continue
        circuit = wiring.circuits[signal]
        # Numbers are those of a wheel; the last cell of J3 is a colour, the first of J5 a ring.
        is_numbered = role == "roulette"
        couplers = tuple(re.findall(r"optocoupler (\d)", rest)) if is_numbered else ()
        to = max((cell.strip() for cell in rest.split("|")), key=len)
        to = to if signal.startswith(("UART", "SPI")) else "3.3 V, GND"
        pin = _pin(board, pins[signal])
        lines.append(Wire(terminal, signal, names[signal], pin, circuit, to, couplers))
    if wiring.camera:
        lines += [
            Wire(
                "module",
                f"CAMERA_{key}",
                f"camera: {name}",
                _pin(board, pin),
                Circuit(),
                "HM01B0 module; 3.3 V, GND",
            )
            for key, name in _CAMERA.items()
            for pin in (board.data["CAMERA"][key],)
        ]
    return lines


def svg_of(board: Board, role: str) -> str:
    """Return the drawing of a role on a board."""
    rows = wires(board, role)
    heights = [_HIGH_ROW if wire.circuit.field == "level" else _ROW for wire in rows]
    height = _TOP + sum(heights) + 24
    title = f"{board.facts['name']}, {role.replace('_', ' ')}"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}"'
        ' font-family="sans-serif" font-size="13" fill="none" stroke="black">',
        f'<rect width="{_WIDTH}" height="{height}" fill="white" stroke="none"/>',
        _text(16, 28, title, size=17),
        _text(16, 48, "Written by make gen from board.py, circuits.py and wiring.in.md.", size=11),
        *_supplies(board),
        f'<rect x="{_PIN_X}" y="{_TOP}" width="234" height="{sum(heights)}"/>',
    ]
    y = _TOP
    for wire, row_height in zip(rows, heights, strict=True):
        parts += [f'<g id="{wire.signal}">', *_row(wire, y + 38), "</g>"]
        y += row_height
        parts.append(_line(16, y, _WIDTH - 16, y, "#ddd"))
    return "\n".join([*parts, "</svg>", ""])


def _names(text: str, number: int) -> dict[str, str]:
    """Return what each signal is: by the table of the role, else by that of a wheel."""
    parts = re.split(r"(?m)^## ", text)
    tables = [part for part in parts if part.startswith("2. Pins")]
    tables += [part for part in parts if f"Set `role = {number}`" in part]
    names = {}
    for table in tables:
        for signal, what in _NAMED.findall(table):
            names[signal] = re.split(r": |, when|, active| loop open|, \$", what)[0]
    return names


def _pin(board: Board, pin: int) -> str:
    place = board.facts["header"].get(str(pin))
    return f"GPIO{pin}" + (f", {place}" if place else "")


def _supplies(board: Board) -> Iterator[str]:
    """The two supplies, which have no wire in common."""
    power = {key: text.split(" (")[0] for key, text in board.facts["power"].items()}
    yield '<g id="supplies">'
    yield _text(_DEVICE_X, 92, f"{FIELD_V} V supply, SELV")
    yield _line(150, 88, 250, 88)
    yield _box(180, 80, 40, 16, "fuse 0.5 A slow", part="fuse")
    yield _text(256, 92, f"{FIELD_V} V: contacts, barriers, lamp")
    yield _text(_DEVICE_X, 122, f"{FIELD_V} V ground")
    yield _line(150, 118, 250, 118)
    yield _text(256, 122, f"{FIELD_V} V GND: never joined with GND", size=11)
    yield _text(_TERMINAL_X, 80, "J1-1, 5 V 1 A")
    yield _line(590, 76, _PIN_X, 76)
    yield _diode(700, 76)
    yield _text(690, 100, "1N5817", size=11, part="diode")
    yield _text(_PIN_X + 10, 80, power["in"])
    yield _text(_TERMINAL_X, 122, "J1-2, GND")
    yield _line(590, 118, _PIN_X, 118)
    yield _text(_PIN_X + 10, 122, power["ground"], size=11)
    yield _text(_TERMINAL_X, 148, f"J1-3, {SUPPLY_V} V")
    yield _line(590, 144, _PIN_X, 144)
    yield _text(_PIN_X + 10, 148, power["out"], size=11)
    yield "</g>"
    yield _text(_DEVICE_X, _TOP - 10, f"field, {FIELD_V} V where a coupler is", size=11)
    yield _text(_TERMINAL_X - 20, _TOP - 10, f"controller, {SUPPLY_V} V", size=11)


def _row(wire: Wire, y: int) -> Iterator[str]:
    circuit = wire.circuit
    yield _text(_DEVICE_X, y - 20, wire.what)
    yield from _FIELDS[circuit.field](wire, y)
    yield f'<circle cx="{_TERMINAL_X}" cy="{y}" r="4" fill="white"/>'
    yield _text(_TERMINAL_X + 8, y - 8, wire.terminal, part="terminal")
    yield _line(_TERMINAL_X + 4, y, _PIN_X, y)
    if circuit.pull_up_ohm:
        yield from _resistor_up(_PULL_X, y, circuit.pull_up_ohm)
    if circuit.pull_down_ohm:
        yield from _resistor_down(_PULL_X, y, circuit.pull_down_ohm)
    if circuit.series_ohm:
        yield _box(_SERIES_X, y - 6, 44, 12, _ohm(circuit.series_ohm), part="series")
    if circuit.capacitor_nf:
        yield from _capacitor_down(_CAPACITOR_X, y, circuit.capacitor_nf)
    if circuit.drives:
        yield f'<path d="M {_PIN_X - 8} {y - 5} L {_PIN_X - 18} {y} L {_PIN_X - 8} {y + 5} Z"/>'
    yield _text(_PIN_X + 10, y - 2, wire.signal)
    yield _text(_PIN_X + 10, y + 14, wire.pin, size=11, part="pin")


def _open_drain(wire: Wire, y: int) -> Iterator[str]:
    yield _box(_DEVICE_X, y - 12, 200, 28)
    yield _text(_DEVICE_X + 8, y + 6, f"OUT, pulls low; {SUPPLY_V} V, GND", size=11)
    yield _line(_DEVICE_X + 200, y, _TERMINAL_X - 4, y)


def _led_resistor(wire: Wire, y: int) -> str:
    return _box(_LED_X, y - 6, 44, 12, f"{_ohm(wire.circuit.led_ohm)} 0.5 W", part="led")


def _barrier(wire: Wire, y: int) -> Iterator[str]:
    yield _text(_LED_X - 44, y + 4, f"{FIELD_V} V", size=11)
    yield _line(_LED_X - 14, y, _COUPLER_X, y)
    yield _led_resistor(wire, y)
    yield _box(_DEVICE_X, y + 14, 180, 22)
    yield _text(_DEVICE_X + 8, y + 29, f"NPN output; {FIELD_V} V, {FIELD_V} V GND", size=11)
    yield _line(_DEVICE_X + 180, y + _BELOW, _COUPLER_X, y + _BELOW)
    yield from _coupler(wire, y, 0)
    yield from _ground(_TERMINAL_X - 50, y + _BELOW)


def _loop(wire: Wire, y: int) -> Iterator[str]:
    yield _text(_DEVICE_X, y + 4, f"{FIELD_V} V", size=11)
    yield _line(_DEVICE_X + 34, y, 90, y)
    yield _contact(90, y, closed=True)
    yield _line(120, y, _COUPLER_X, y)
    yield _text(66, y + 18, "closed while shut", size=9)
    yield _led_resistor(wire, y)
    yield from _led_ground(y)
    yield from _coupler(wire, y, 0)
    yield from _ground(_TERMINAL_X - 50, y + _BELOW)


def _level(wire: Wire, y: int) -> Iterator[str]:
    """One output and one coupler an axis; the first one's emitter is the second's collector."""
    for place, axis in enumerate("XY"):
        row = y + place * 60
        yield _box(_DEVICE_X, row - 11, 180, 22)
        yield _text(_DEVICE_X + 8, row + 4, f"PNP output {axis}, on while level", size=11)
        yield _line(_DEVICE_X + 180, row, _COUPLER_X, row)
        yield _led_resistor(wire, row)
        yield from _led_ground(row)
        yield from _coupler(wire, row, place)
    x = _COUPLER_X + _COUPLER_WIDTH
    yield _line(x, y + _BELOW, x + 24, y + _BELOW)
    yield _line(x + 24, y + _BELOW, x + 24, y + 60)
    yield _line(x, y + 60, x + 24, y + 60)
    yield _line(x, y, _TERMINAL_X - 4, y)
    yield from _ground(_TERMINAL_X - 50, y + 60 + _BELOW)


def _led_ground(y: int) -> Iterator[str]:
    yield _line(_COUPLER_X - 30, y + _BELOW, _COUPLER_X, y + _BELOW)
    yield _text(_COUPLER_X - 34, y + _BELOW + 4, f"{FIELD_V} V GND", size=9, anchor="end")


def _coupler(wire: Wire, y: int, place: int) -> Iterator[str]:
    """An optocoupler: LED on the left, transistor on the right."""
    x, right = _COUPLER_X, _COUPLER_X + _COUPLER_WIDTH
    number = f" {wire.couplers[place]}" if place < len(wire.couplers) else ""
    yield f'<rect x="{x}" y="{y - 8}" width="{_COUPLER_WIDTH}" height="40" fill="white"/>'
    yield _led(x, y)
    yield f'<path d="M {x + 32} {y - 8} L {x + 32} {y + 32}" stroke-dasharray="3 2"/>'
    yield f'<path d="M {x + 44} {y + 3} L {x + 44} {y + 21}" stroke-width="2"/>'
    yield f'<path d="M {right} {y} L {x + 56} {y} L {x + 44} {y + 9}"/>'
    yield f'<path d="M {x + 44} {y + 15} L {x + 56} {y + _BELOW} L {right} {y + _BELOW}"/>'
    yield _text(x + 32, y - 12, f"PC817{number}", anchor="middle", size=11, part="coupler")
    if wire.circuit.field != "level":
        yield _line(right, y, _TERMINAL_X - 4, y)
        yield _line(right, y + _BELOW, _TERMINAL_X - 50, y + _BELOW)
    elif place:
        yield _line(right, y + _BELOW, _TERMINAL_X - 50, y + _BELOW)


def _led(x: int, y: int) -> str:
    """From an anode at y to a cathode below."""
    return (
        f'<path d="M {x} {y} L {x + 16} {y} L {x + 16} {y + 7}'
        f" M {x + 9} {y + 7} L {x + 23} {y + 7} L {x + 16} {y + 17} Z"
        f" M {x + 9} {y + 17} L {x + 23} {y + 17} M {x + 16} {y + 17}"
        f' L {x + 16} {y + _BELOW} L {x} {y + _BELOW}"/>'
    )


def _lamp(wire: Wire, y: int) -> Iterator[str]:
    """A relay whose LED is on the controller's side."""
    x, right = _COUPLER_X, _COUPLER_X + _COUPLER_WIDTH
    source, load, back = f"{FIELD_V} V, J8-3", "lamp, 0.1 A at most", f"J8-4, {FIELD_V} V GND"
    if wire.signal != "LAMP":  # a driver that limits current has a minus of its own
        source, load, back = "driver +", "light, 0.3 A", "driver -, no ground"
    yield _text(_DEVICE_X, y + 4, source, size=11)
    yield _line(90, y, x, y)
    yield f'<circle cx="{_LED_X - 40}" cy="{y}" r="11" fill="white"/>'
    yield f'<path d="M {_LED_X - 48} {y - 8} l 16 16 m -16 0 l 16 -16"/>'
    yield _text(_LED_X - 26, y - 8, load, size=9)
    yield f'<rect x="{x}" y="{y - 8}" width="{_COUPLER_WIDTH}" height="40" fill="white"/>'
    yield _text(x + 32, y - 12, "AQY212EH", anchor="middle", size=11, part="relay")
    yield f'<path d="M {x} {y} L {x + 12} {y} L {x + 20} {y + 20} M {x + 12} {y + _BELOW}'
    yield f' L {x} {y + _BELOW}"/>'
    yield f'<path d="M {x + 32} {y - 8} L {x + 32} {y + 32}" stroke-dasharray="3 2"/>'
    yield f'<g transform="translate({2 * right} 0) scale(-1 1)">{_led(right, y)}</g>'
    yield _line(x - 30, y + _BELOW, x, y + _BELOW)
    yield _text(x - 34, y + _BELOW + 4, back, size=9, anchor="end")
    yield _line(right, y, _TERMINAL_X - 4, y)
    yield _line(right, y + _BELOW, _TERMINAL_X - 50, y + _BELOW)
    yield _text(_TERMINAL_X - 64, y + _BELOW - 4, "J8-2", size=9)
    yield from _ground(_TERMINAL_X - 50, y + _BELOW)


def _to_ground(wire: Wire, y: int) -> Iterator[str]:
    yield from _ground(_DEVICE_X + 30, y)
    yield _line(_DEVICE_X + 30, y, 130, y)
    yield _contact(130, y, closed=False)
    yield _line(160, y, _TERMINAL_X - 4, y)


def _lid(wire: Wire, y: int) -> Iterator[str]:
    yield _text(_DEVICE_X, y + 4, f"{SUPPLY_V} V", size=11)
    yield _line(_DEVICE_X + 34, y, 130, y)
    yield _contact(130, y, closed=True)
    yield _text(106, y + 18, "closed while shut", size=9)
    yield _line(160, y, _TERMINAL_X - 4, y)


def _wire_to(wire: Wire, y: int) -> Iterator[str]:
    yield _box(_DEVICE_X, y - 12, 220, 28)
    yield _text(_DEVICE_X + 8, y + 6, wire.to, size=11)
    yield _line(_DEVICE_X + 220, y, _TERMINAL_X - 4, y)


_FIELDS = {
    "open drain": _open_drain,
    "barrier": _barrier,
    "loop": _loop,
    "level": _level,
    "contact": _to_ground,
    "lid": _lid,
    "line": _wire_to,
    "lamp": _lamp,
}


def _contact(x: int, y: int, *, closed: bool) -> str:
    # Open contacts lie above the line, closed ones touch it.
    end = y - 2 if closed else y - 12
    return (
        f'<circle cx="{x + 2}" cy="{y}" r="2"/><circle cx="{x + 28}" cy="{y}" r="2"/>'
        f"{_line(x + 4, y, x + 28, end)}"
    )


def _diode(x: int, y: int) -> str:
    # A Schottky diode, anode on the left.
    return (
        f'<path fill="white" d="M {x} {y - 7} L {x} {y + 7} L {x + 14} {y} Z"/>'
        f"{_line(x + 14, y - 7, x + 14, y + 7)}"
    )


def _ground(x: int, y: int) -> Iterator[str]:
    yield _line(x, y, x, y + 8)
    yield _line(x - 8, y + 8, x + 8, y + 8)
    yield _line(x - 4, y + 11, x + 4, y + 11)
    yield _text(x + 12, y + 13, "GND", size=9)


def _resistor_up(x: int, y: int, ohm: int) -> Iterator[str]:
    yield _line(x, y, x, y - 30)
    yield f'<rect x="{x - 6}" y="{y - 26}" width="12" height="20" fill="white"/>'
    yield _text(x + 10, y - 12, _ohm(ohm), size=11, part="pull_up")
    yield _text(x + 6, y - 27, f"{SUPPLY_V} V", size=9)
    yield f'<circle cx="{x}" cy="{y}" r="2" fill="black"/>'


def _resistor_down(x: int, y: int, ohm: int) -> Iterator[str]:
    yield _line(x, y, x, y + 28)
    yield f'<rect x="{x - 6}" y="{y + 5}" width="12" height="18" fill="white"/>'
    yield _text(x + 10, y + 18, _ohm(ohm), size=11, part="pull_down")
    yield from _ground(x, y + 26)
    yield f'<circle cx="{x}" cy="{y}" r="2" fill="black"/>'


def _capacitor_down(x: int, y: int, nf: int) -> Iterator[str]:
    yield _line(x, y, x, y + 8)
    yield _line(x - 8, y + 8, x + 8, y + 8)
    yield _line(x - 8, y + 12, x + 8, y + 12)
    yield _line(x, y + 12, x, y + 20)
    yield _line(x - 6, y + 20, x + 6, y + 20)
    yield _text(x + 12, y + 16, f"{nf} nF", size=11, part="capacitor")
    yield f'<circle cx="{x}" cy="{y}" r="2" fill="black"/>'


def _box(x: int, y: int, width: int, height: int, label: str = "", *, part: str = "") -> str:
    box = f'<rect x="{x}" y="{y}" width="{width}" height="{height}" fill="white"/>'
    if not label:
        return box
    below = _text(x + width // 2, y + height + 12, label, anchor="middle", size=11, part=part)
    return box + below


def _ohm(ohm: int) -> str:
    return f"{ohm / 1000:g} kohm" if ohm >= 1000 else f"{ohm} ohm"


def _line(x: int, y: int, to_x: int, to_y: int, colour: str = "") -> str:
    stroke = f' stroke="{colour}"' if colour else ""
    return f'<path d="M {x} {y} L {to_x} {to_y}"{stroke}/>'


def _text(
    x: int, y: int, text: str, *, anchor: str = "start", size: int = 13, part: str = ""
) -> str:
    mark = f' data-part="{part}"' if part else ""
    return (
        f'<text x="{x}" y="{y}" text-anchor="{anchor}" font-size="{size}" fill="black"'
        f' stroke="none"{mark}>{escape(text)}</text>'
    )
