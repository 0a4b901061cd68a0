"""Every board is right, and every kind of wrong board is refused with both users named."""

import copy
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from board_files import HERE, Board, BoardError, load, names, parse_data
from check_boards import CAMERA_PINS, ROLES, check, main, pin_users

# Pin numbers of the emulated board as the rig and the wheel model were given them.
EMULATED = {
    "INPUT_1": 2,
    "INPUT_2": 3,
    "INPUT_3": 4,
    "INPUT_4": 5,
    "INPUT_5": 6,
    "INPUT_6": 7,
    "INPUT_7": 27,
    "INPUT_8": 28,
    "BUTTON": 8,
    "TILT": 9,
    "DOME": 10,
    "MAINTENANCE": 21,
    "LAMP": 11,
}
# Header places read off the makers' pin-out drawings.
PLACES = {
    "rpi_pico2": {"0": "pin 1", "2": "pin 4", "11": "pin 15", "16": "pin 21", "28": "pin 34"},
    "rpi_pico": {"1": "pin 2", "5": "pin 7", "15": "pin 20", "22": "pin 29", "26": "pin 31"},
    "esp32_s3": {"4": "J1-4", "17": "J1-10", "14": "J1-20", "1": "J3-4", "21": "J3-18"},
}
# Where the third and the fourth rim sensor end: by hand, of the same drawings.
MORE_RIMS = {
    "rpi_pico2": ("GPIO27 (pin 32)", "GPIO28 (pin 34)"),
    "rpi_pico": ("GPIO27 (pin 32)", "GPIO28 (pin 34)"),
    "esp32_s3": ("GPIO40 (J3-8)", "GPIO41 (J3-7)"),
}


# First image of each board: its folder in MicroPython's ports/.
IMAGES = {"rpi_pico2": "RPI_PICO2", "rpi_pico": "RPI_PICO", "esp32_s3": "ESP32_GENERIC_S3"}
# RAM in KiB and flash in MiB, from the makers' data sheets.
MEMORY = {"rpi_pico2": (520, 4), "rpi_pico": (264, 2), "esp32_s3": (512, 8)}


def board_with(name: str = "rpi_pico2", /, **changes: object) -> Board:
    """Return the board with entries of its dicts changed: PINS={"LAMP": 2} changes one pin."""
    board = copy.deepcopy(load(name))
    for key, change in changes.items():
        table = board.facts if key in board.facts else board.data
        table[key] = {**table[key], **change} if isinstance(change, dict) else change
    return board


@pytest.mark.parametrize("name", names())
def test_board_is_right(name):
    """Each board passes its own check and gives every role one pin of its own."""
    board = load(name)
    assert check(board) == []
    assert set(board.data["PINS"]) == set(ROLES)
    pins = [pin for pin, _ in pin_users(board.data)]
    camera = len(CAMERA_PINS[board.data["CAMERA"]["kind"]])
    assert len(pins) == len(set(pins)) == 20 + camera


def test_every_board_is_compared_with_its_makers_papers():
    """Of each board but the emulated one a few places and an image are written down here."""
    assert set(PLACES) == set(IMAGES) == set(MEMORY) == set(names()) - {"emulated"}


def test_emulated_pins_are_the_agreed_ones():
    """The rig's virtual board answers on these numbers."""
    data = load("emulated").data
    assert data["PINS"] == EMULATED
    assert data["UART"] == {"id": 0, "tx": 0, "rx": 1, "baud": 115200}
    assert data["SPI"] | {"baud": 0} == {
        "id": 1,
        "sck": 14,
        "miso": 12,
        "mosi": 15,
        "latch": 13,
        "baud": 0,
    }
    assert set(data["ACTIVE"].values()) == {1}


@pytest.mark.parametrize("name", sorted(PLACES))
def test_header_places(name):
    """The header of board.json agrees with the maker's drawing."""
    header = load(name).facts["header"]
    assert {pin: header[pin] for pin in PLACES[name]} == PLACES[name]


# What is wrong: (what is changed, what the one line must say). No pin of a Pico 2 is free: where a
# signal moves to GPIO 27, INPUT_7 moves to the pin it left.
WRONG = {
    "two roles": (
        {"PINS": {"LAMP": 2}},
        ["pin 2 is used twice, by INPUT_1 and by LAMP"],
    ),
    "role and bus": (
        {"PINS": {"INPUT_6": 14}},
        ["pin 14 is used twice, by SPI sck and by INPUT_6"],
    ),
    "unknown pin": ({"PINS": {"TILT": 31}}, ["pin 31 of TILT is unknown", "Raspberry Pi Pico 2"]),
    "reserved pin": (
        {"PINS": {"LAMP": 25}},
        ["pin 25 is reserved, by the board (on-board LED)", "used by LAMP"],
    ),
    "unknown role": ({"ACTIVE": {"BELL": 0}}, ["ACTIVE: role BELL is unknown"]),
    "level": ({"ACTIVE": {"TILT": 2}}, ["active level of TILT must be 0 or 1, is 2"]),
    "pull": ({"PULLS": {"TILT": "down"}}, ["pull of TILT is 'down'", "(None, 'up')"]),
    "output": ({"OUTPUTS": ("LAMP", "DOME")}, ["OUTPUTS must be ('LAMP',)"]),
    "uart id": ({"UART": {"id": 2}}, ["UART: id 2 is unknown", "['0', '1']"]),
    "uart route": (
        {"UART": {"tx": 27}, "PINS": {"INPUT_7": 0}},
        ["UART: tx of id 0 cannot be pin 27, only [0, 12, 16, 28]"],
    ),
    "shuffler uart": ({"MACHINE_UART": 2}, ["MACHINE_UART: id 2 is unknown", "['0', '1']"]),
    "shuffler route": (
        {"PINS": {"INPUT_4": 27, "INPUT_7": 5}},
        ["MACHINE_UART: rx of id 1 cannot be pin 27, only [5, 9, 21]"],
    ),
    "spi route": (
        {"SPI": {"sck": 27}, "PINS": {"INPUT_7": 14}},
        ["SPI: sck of id 1 cannot be pin 27, only [10, 14, 26]"],
    ),
    "camera": ({"CAMERA": {"kind": "webcam"}}, ["CAMERA: kind is 'webcam'", "hm01b0"]),
    "camera route": (
        {"CAMERA": {"sda": 27}, "PINS": {"INPUT_7": 16}},
        ["CAMERA: sda cannot be pin 27, only [0, 4, 8, 12, 16, 20]"],
    ),
    "supply": (
        {"SUPPLY": {"low_mv": 5400}},
        ["SUPPLY: low_mv 5400 is not below high_mv"],
    ),
    "supply key": ({"SUPPLY": {"gain": 3}}, ["SUPPLY: must hold adc, times, low_mv, high_mv"]),
    "supply pin": ({"SUPPLY": {"adc": 26}}, ["SUPPLY: pin 26 is used by ANALOG_1 too"]),
    "baud": ({"UART": {"baud": 300}}, ["UART: baud must be 9600..921600, is 300"]),
    "bus key": ({"SPI": {"cs": 16}}, ["SPI: cs is unknown"]),
    "reserved drift": (
        {"RESERVED": {30: "mine"}},
        ["RESERVED differs from reserved_pins of board.json at pins [30]"],
    ),
    "name": ({"BOARD": "other"}, ["must be the folder's name, 'rpi_pico2'"]),
    "mcu": ({"MCU": "RP2040"}, ["MCU 'RP2040' differs from mcu 'RP2350'"]),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_board_is_named(case):
    """One fault gives one line, with the file, the pin and both users."""
    changes, parts = WRONG[case]
    [problem] = check(board_with(**changes))
    assert problem.startswith("boards/rpi_pico2/board.py: ")
    assert all(part in problem for part in parts), problem


@pytest.mark.parametrize(
    ("role", "constraint"),
    [("LAMP", "input_only"), ("TILT", "strapping"), ("TILT", "no_pull"), ("LAMP", "glitch")],
)
def test_unsuitable_pin_is_named(role, constraint):
    """A pin that exists but does not suit its role says which limit and why."""
    pin = EMULATED[role]
    board = board_with(constraints={str(pin): {"kind": constraint, "text": "the reason"}})
    [problem] = check(board)
    assert f"pin {pin} does not suit {role} ({constraint}: the reason)" in problem


def test_lamp_on_a_glitching_pin_is_refused():
    """On the ESP32-S3 the lamp must not flash at power-up."""
    problems = check(board_with("esp32_s3", PINS={"LAMP": 2}))
    assert any("pin 2 does not suit LAMP (glitch: " in problem for problem in problems)


@pytest.mark.parametrize(("table", "role"), [("PINS", "INPUT_5"), ("ACTIVE", "DOME")])
def test_missing_role_is_named(table, role):
    """A role without a pin or level is named."""
    board = board_with()
    del board.data[table][role]
    assert check(board) == [f"boards/rpi_pico2/board.py: {table}: role {role} is missing"]


def test_missing_name_and_wrong_type():
    """A board that lacks a name, or has one of the wrong kind, is refused before its pins."""
    board = board_with(ARRAY_ACTIVE="low")
    del board.data["SPI"]
    board.facts["clock"] = 1
    assert check(board) == [
        "boards/rpi_pico2/board.py: SPI is missing",
        "boards/rpi_pico2/board.py: ARRAY_ACTIVE must be of type int, is 'low'",
        "boards/rpi_pico2/board.json: clock is unknown",
    ]


def test_images_of_micropython_are_named_with_their_processor():
    """What `tabletool flash` goes by: names of images, processor, USB."""
    for changed, why in (
        ({"processor": ""}, "a board with builds names its processor"),
        ({"usb": "2e8a:0005"}, "must hold builds (list), processor (str), usb (list)"),
        ({"chip": "RP2350"}, "must hold builds (list), processor (str), usb (list)"),
    ):
        [problem] = check(board_with(micropython=changed))
        assert problem.startswith("boards/rpi_pico2/board.py: micropython of board.json")
        assert problem.endswith(why)


def test_a_board_with_soft_interrupts_says_which_roles_it_does_not_run():
    """In its data, so that `tabletool flash` refuses them: prose stops nobody."""
    problems = check(board_with(interrupts="soft"))
    assert [problem.split(": ")[-1] for problem in problems] == [
        f"{role} needs hard interrupts" for role in ("roulette", "money_wheel", "shuffler")
    ]
    [problem] = check(board_with(interrupts="often"))
    assert problem.endswith("interrupts of board.json must be hard or soft, is 'often'")


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("import machine\n", ":1: a board is data only"),
        ("PINS = {}\nPINS['A'] = 1\n", ":2: a board is data only"),
        ("A = 1\nB = A + 1\n", ":2: a board is data only"),
        ("PINS = {\n    'TILT': 1,\n    'TILT': 2,\n}\n", ":3: 'TILT' appears twice"),
    ],
)
def test_board_that_is_not_data(tmp_path, text, where):
    """Code in board.py, and a role written twice, are refused with their line."""
    path = tmp_path / "board.py"
    path.write_text(text)
    with pytest.raises(BoardError) as refusal:
        parse_data(path)
    assert where in str(refusal.value)


def copy_of_boards(tmp_path: Path) -> Path:
    """Return a copy of the boards folder."""
    return Path(shutil.copytree(HERE, tmp_path / "boards", ignore=shutil.ignore_patterns("*.pyc")))


def test_wiring_that_drifts_is_named(tmp_path, capsys):
    """A pin moved in board.py makes page and drawing out of date, and the check says so."""
    folder = copy_of_boards(tmp_path)
    path = folder / "esp32_s3" / "board.py"
    path.write_text(path.read_text().replace('"INPUT_6": 16', '"INPUT_6": 47'))
    assert main(["--boards", str(folder)]) == 1
    assert capsys.readouterr().err.splitlines() == [
        f"check_boards: error: boards/esp32_s3/{name}: out of date; write it again with make gen"
        for name in ("WIRING.md", "schematic-card_shoe.svg", "schematic-draw_machine.svg")
    ]


@pytest.mark.parametrize("name", sorted(PLACES))
def test_wiring_names_every_pin(name):
    """The technician's tables give each role and bus line its pin and header place."""
    board = load(name)
    text = (board.folder / "WIRING.md").read_text()
    for pin, user in pin_users(board.data):
        place = f"GPIO{pin} ({board.facts['header'][str(pin)]})"
        assert f"| {place} |" in text, (user, place)
    assert "$" not in text


@pytest.mark.parametrize("name", sorted(MORE_RIMS))
def test_two_more_rim_sensors_have_their_terminals(name):
    """On J4; pulled up and active low, so that an open terminal reads "no ball"."""
    board = load(name)
    text = (board.folder / "WIRING.md").read_text()
    for terminal, signal, pin in zip(
        ("J4-6", "J4-7"), ("INPUT_7", "INPUT_8"), MORE_RIMS[name], strict=True
    ):
        assert f"| {terminal} | {pin} | collector of optocoupler" in text
        assert (board.data["ACTIVE"][signal], board.data["PULLS"][signal]) == (0, "up")


def test_broken_files_are_named(tmp_path, capsys):
    """A missing board.py, a broken board.json and an unknown board each give one line."""
    folder = copy_of_boards(tmp_path)
    (folder / "rpi_pico" / "board.json").write_text('{"id": \n')
    (folder / "esp32_s3" / "board.json").unlink()
    assert main(["--boards", str(folder), "rpi_pico", "esp32_s3", "stm32"]) == 1
    lines = capsys.readouterr().err.splitlines()
    assert f"stm32: no such board; there are {', '.join(names())}" in lines[0]
    assert "board.json: cannot be read" in lines[1]
    assert "board.json:2: not JSON" in lines[2]
    assert main(["--boards", str(tmp_path / "boards" / "tests")]) == 1
    assert "no board here" in capsys.readouterr().err


def test_command_line():
    """The command passes as `make check` calls it."""
    command = [sys.executable, str(HERE / "check_boards.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{len(names())} boards checked: {', '.join(names())}\n"


def test_board_json_facts():
    """Facts the build and the size budget rely on."""
    for name, (ram_kib, flash_mib) in MEMORY.items():
        facts = json.loads((HERE / name / "board.json").read_text())
        assert facts["micropython"]["builds"][0] == IMAGES[name]
        assert (facts["ram_bytes"], facts["flash_bytes"]) == (ram_kib << 10, flash_mib << 20)
