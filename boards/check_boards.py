"""Finds what is wrong with the boards: pins used twice, unknown, reserved, unfit; roles missing.

    python boards/check_boards.py [--boards FOLDER] [NAME ...]

Exit code 0: all is well; 1: problems, one line each, naming file, pin and both users.
"""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import board_shape
import wiring
from board_files import HERE, Board, BoardError, load, names

INPUTS = (
    "INPUT_1",
    "INPUT_2",
    "INPUT_3",
    "INPUT_4",
    "INPUT_5",
    "INPUT_6",
    "INPUT_7",
    "INPUT_8",
    "BUTTON",
    "TILT",
    "DOME",
    "MAINTENANCE",
)
OUTPUTS = ("LAMP",)
ROLES = INPUTS + OUTPUTS
ANALOG = ("ANALOG_1",)
BUS_PINS = {"UART": ("tx", "rx"), "SPI": ("sck", "mosi", "miso", "latch")}
# The serial line of an attached machine takes the pins of two inputs.
MACHINE_PINS = {"tx": "INPUT_3", "rx": "INPUT_4"}
# Pins of a camera by its kind; none: the board plays no dice.
CAMERA_PINS = {
    "none": (),
    "port": (),
    "hm01b0": ("sda", "scl", "data", "pclk", "line", "frame"),
}
# What a board measures of itself, by what; nothing at all: it does not.
MEASURES = {
    "SUPPLY": ("adc", "times", "low_mv", "high_mv"),
    "CHIP": ("adc", "low_c", "high_c"),
}
# Of the images of MicroPython for a board: their names (none: no port has it), the processor as
# mpy-cross names it, "vendor:product" of the USB port it shows.
MICROPYTHON = {"builds": list, "processor": str, "usb": list}
# Roles whose edges may not wait for a scheduler: `python -m hil_tests.physics.stalls`.
_HARD_ONLY = ("roulette", "money_wheel", "shuffler")
# Bits per second the bus runs at: the link's usual rates; 74HC165 at 3.3 V over a slip ring.
BAUD = {"UART": (9_600, 921_600), "SPI": (100_000, 2_000_000)}


def check(board: Board) -> list[str]:
    """Return every problem of one board as a line of text; empty when it is right."""
    shape = list(board_shape.problems(board))
    if shape:
        return shape
    users = list(pin_users(board.data))
    problems = [
        *_double_use(users),
        *_unfit_pins(board, users),
        *_role_problems(board),
        *_bus_problems(board),
        *_camera_problems(board),
        *_measure_problems(board, users),
        *_reserved_differs(board),
        *_micropython_problems(board),
        *_unfit_problems(board),
        *_dice_problems(board),
    ]
    problems = [f"boards/{board.name}/board.py: {text}" for text in problems]
    return problems or wiring.check(board)


def pin_users(data: dict[str, Any]) -> Iterator[tuple[int, str]]:
    """Yield (pin, user) for every pin board.py gives away, buses first."""
    for bus, ends in BUS_PINS.items():
        for end in ends:
            if end in data[bus]:
                yield data[bus][end], f"{bus} {end}"
    camera = data["CAMERA"]
    for end in CAMERA_PINS.get(camera.get("kind"), ()):
        if end in camera:
            yield camera[end], f"CAMERA {end}"
    yield from ((pin, role) for role, pin in (data["PINS"] | data["ANALOG"]).items())


def _double_use(users: list[tuple[int, str]]) -> Iterator[str]:
    owner: dict[int, str] = {}
    for pin, user in users:
        if pin in owner:
            yield f"pin {pin} is used twice, by {owner[pin]} and by {user}"
        owner.setdefault(pin, user)


def _unfit_pins(board: Board, users: list[tuple[int, str]]) -> Iterator[str]:
    facts = board.facts
    for pin, user in users:
        reserved = facts["reserved_pins"].get(str(pin)) or board.data["RESERVED"].get(pin)
        if reserved:
            yield f"pin {pin} is reserved, by the board ({reserved}) and used by {user}"
        elif pin not in facts["usable_pins"]:
            yield f"pin {pin} of {user} is unknown: {facts['name']} has {facts['usable_pins']}"
        else:
            yield from _breaks_constraint(
                facts["constraints"].get(str(pin)), pin, user, board.data
            )


def _breaks_constraint(
    constraint: dict[str, str] | None, pin: int, user: str, data: dict[str, Any]
) -> Iterator[str]:
    kind = constraint["kind"] if constraint else ""
    text = constraint["text"] if constraint else ""
    drives = user in data["OUTPUTS"] or user in ("UART tx", "SPI sck", "SPI mosi", "SPI latch")
    if (
        (kind == "input_only" and drives)
        or (kind == "strapping" and not drives)
        or (kind == "glitch" and user in data["OUTPUTS"])
        or (kind == "no_pull" and data["PULLS"].get(user))
    ):
        yield f"pin {pin} does not suit {user} ({kind}: {text})"


def _role_problems(board: Board) -> Iterator[str]:
    data = board.data
    yield from _name_problems("PINS", data["PINS"], ROLES)
    yield from _name_problems("ANALOG", data["ANALOG"], ANALOG)
    for role, pin in data["ANALOG"].items():
        if pin not in board.facts["analog_pins"]:
            yield f"pin {pin} of {role} has no converter: {board.facts['analog_pins']} have"
    yield from _name_problems("ACTIVE", data["ACTIVE"], ROLES)
    yield from _name_problems("PULLS", data["PULLS"], INPUTS)
    if data["OUTPUTS"] != OUTPUTS:
        yield f"OUTPUTS must be {OUTPUTS}, is {data['OUTPUTS']}"
    for role, level in [*data["ACTIVE"].items(), ("ARRAY_ACTIVE", data["ARRAY_ACTIVE"])]:
        if level not in (0, 1):
            yield f"active level of {role} must be 0 or 1, is {level!r}"
    allowed = (None, *board.facts["pulls"])
    for role, pull in data["PULLS"].items():
        if pull not in allowed:
            yield f"pull of {role} is {pull!r}; {board.facts['name']} has {allowed}"


def _name_problems(table: str, have: dict[str, Any], wanted: tuple[str, ...]) -> Iterator[str]:
    yield from (f"{table}: role {role} is missing" for role in wanted if role not in have)
    yield from (f"{table}: role {role} is unknown" for role in have if role not in wanted)


def _bus_problems(board: Board) -> Iterator[str]:
    for bus, ends in BUS_PINS.items():
        have = board.data[bus]
        wanted = ("id", *ends, "baud")
        yield from (f"{bus}: {key} is missing" for key in wanted if key not in have)
        yield from (f"{bus}: {key} is unknown" for key in have if key not in wanted)
        low, high = BAUD[bus]
        if not low <= have.get("baud", low) <= high:
            yield f"{bus}: baud must be {low}..{high}, is {have['baud']}"
        yield from _route_problems(board, bus, board.data[bus])
    pins = board.data["PINS"]
    port = {"id": board.data["MACHINE_UART"]}
    port |= {end: pins[role] for end, role in MACHINE_PINS.items() if role in pins}
    yield from _route_problems(board, "MACHINE_UART", port)
    if port["id"] == board.data["UART"].get("id"):
        yield f"MACHINE_UART: id {port['id']} is that of UART, the link to the host"


def _camera_problems(board: Board) -> Iterator[str]:
    have = board.data["CAMERA"]
    kind = have.get("kind")
    if kind not in CAMERA_PINS:
        yield f"CAMERA: kind is {kind!r}; there are {', '.join(CAMERA_PINS)}"
        return
    pins = CAMERA_PINS[kind]
    wanted = ("kind", "i2c", *pins) if pins else ("kind",)
    yield from (f"CAMERA: {key} is missing" for key in wanted if key not in have)
    yield from (f"CAMERA: {key} is unknown" for key in have if key not in wanted)
    if pins and "data" in have:
        routes = board.facts["i2cs"].get(str(have.get("i2c")))
        if routes is None:
            yield f"CAMERA: i2c {have.get('i2c')} is unknown: {list(board.facts['i2cs'])} are"
        else:
            for end, usable in routes.items():
                if have.get(end) not in usable:
                    yield f"CAMERA: {end} cannot be pin {have.get(end)}, only {usable}"


def _measure_problems(board: Board, users: list[tuple[int, str]]) -> Iterator[str]:
    pins = dict(users)
    for table, wanted in MEASURES.items():
        have = board.data[table]
        if have and tuple(have) != wanted:
            yield f"{table}: must hold {', '.join(wanted)}, or nothing; holds {', '.join(have)}"
        elif have and have[wanted[-2]] >= have[wanted[-1]]:
            yield f"{table}: {wanted[-2]} {have[wanted[-2]]} is not below {wanted[-1]}"
        elif have and table == "SUPPLY" and have["adc"] in pins:
            yield f"{table}: pin {have['adc']} is used by {pins[have['adc']]} too"


def _route_problems(board: Board, bus: str, have: dict[str, Any]) -> Iterator[str]:
    """Check that the numbered UART or SPI reaches its pins (the latch is an ordinary pin)."""
    routes = board.facts["spis" if bus == "SPI" else "uarts"]
    route = routes.get(str(have.get("id")))
    if route is None:
        yield f"{bus}: id {have.get('id')} is unknown: {board.facts['name']} has {list(routes)}"
    elif route != "any":
        for end, pins in route.items():
            if end in have and have[end] not in pins:
                yield f"{bus}: {end} of id {have['id']} cannot be pin {have[end]}, only {pins}"


def _reserved_differs(board: Board) -> Iterator[str]:
    facts = {int(pin): text for pin, text in board.facts["reserved_pins"].items()}
    if facts != board.data["RESERVED"]:
        pins = sorted(p for p in {*facts, *board.data["RESERVED"]})
        differ = [p for p in pins if facts.get(p) != board.data["RESERVED"].get(p)]
        yield f"RESERVED differs from reserved_pins of board.json at pins {differ}"
    if board.data["BOARD"] != board.name or board.facts["id"] != board.name:
        yield f"BOARD and the id of board.json must be the folder's name, {board.name!r}"
    if board.data["MCU"] != board.facts["mcu"]:
        yield f"MCU {board.data['MCU']!r} differs from mcu {board.facts['mcu']!r} of board.json"


def _unfit_problems(board: Board) -> Iterator[str]:
    unfit, interrupts = board.facts["unfit_roles"], board.facts["interrupts"]
    if interrupts not in ("hard", "soft"):
        yield f"interrupts of board.json must be hard or soft, is {interrupts!r}"
    if interrupts == "soft":
        for role in _HARD_ONLY:
            if role not in unfit:
                yield f"unfit_roles of board.json: {role} needs hard interrupts"
    for role, why in unfit.items():
        if not isinstance(why, str) or not why:
            yield f"unfit_roles of board.json: {role} must say why, with what was measured"


def _dice_problems(board: Board) -> Iterator[str]:
    """How long a frame of dice takes the table's reader there: shortest and longest, seconds."""
    took = board.facts["dice_frame_s"]
    if took and not ([type(s) for s in took] == [int, int] and took == sorted(took)):
        yield f"dice_frame_s of board.json must be [least, most] in seconds or [], is {took!r}"


def _micropython_problems(board: Board) -> Iterator[str]:
    have = board.facts["micropython"]
    shape = {name: type(value) for name, value in have.items()}
    if shape != MICROPYTHON:
        names = ", ".join(f"{name} ({kind.__name__})" for name, kind in MICROPYTHON.items())
        yield f"micropython of board.json must hold {names}"
    elif have["builds"] and not have["processor"]:
        yield "micropython of board.json: a board with builds names its processor"


def check_folder(folder: Path, wanted: list[str]) -> tuple[list[str], list[str]]:
    """Return (boards checked, problems) for the boards wanted, all when none is named."""
    present = names(folder)
    if not present:
        return [], [f"{folder}: no board here; a board is a folder with a board.py"]
    problems = [
        f"{name}: no such board; there are {', '.join(present)}"
        for name in wanted
        if name not in present
    ]
    checked = [name for name in present if name in wanted or not wanted]
    for name in checked:
        try:
            problems += check(load(name, folder))
        except BoardError as error:
            problems.append(str(error))
    return checked, problems


def main(argv: list[str] | None = None) -> int:
    """Check the boards named on the command line; print what was found; return the exit code."""
    parser = argparse.ArgumentParser(description="Check the pins and roles of the boards.")
    parser.add_argument("--boards", type=Path, default=HERE, help="folder of the boards")
    parser.add_argument("names", nargs="*", metavar="NAME", help="boards to check (all)")
    options = parser.parse_args(argv)
    checked, problems = check_folder(options.boards, options.names)
    for problem in problems:
        print(f"check_boards: error: {problem}", file=sys.stderr)
    if not problems:
        print(f"{len(checked)} boards checked: {', '.join(checked)}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
