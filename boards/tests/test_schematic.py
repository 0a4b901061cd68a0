"""The drawings have every wired pin of each role once, and work by the data sheets."""

import math
import re
import xml.etree.ElementTree as ET
from functools import cache

import pytest

from board_files import HERE, load, names
from circuits import ROLES, SUPPLY_V
from schematic import roles_of, svg_of

WIRED = [name for name in names() if not (HERE / name / "wiring.in.md").exists()]
DRAWN = [(name, role) for name in WIRED for role in roles_of(load(name))]
# RP2040 and RP2350 data sheets, IO electrical characteristics, 3.3 V: input levels; what a pin
# drives at most.
LOW_V, HIGH_V, DRIVES_MA = 0.8, 2.0, 12.0
# DRV5023 data sheet, electrical characteristics: output sinks 20 mA through 50 ohm at most.
HALL_OHM, HALL_MA = 50, 20.0
# PC817 data sheet: CTR of 50 % at 5 mA, 0.2 V when saturated at 1 mA; LED of 1.2 V and 50 mA.
CTR, SATURATED_V, LED_V, COUPLER_MA = 0.5, 0.2, 1.2, 50
# AQY212EH data sheet: 550 mA; its LED operates at 3 mA at most.
LOOP_V, LOOP_W, RELAY_MA, LAMP_MA, LIGHT_MA = 24.0, 0.5, 550, 100, 300
# PULLS of every board is "up": at least 50 kohm (RP2350 data sheet, pull-up 32 to 86 kohm).
PULL_UP_OHM = 32_000

# What a role wires, read off the tables of wiring.in.md by hand.
EVERY = {"UART_tx", "UART_rx", "BUTTON", "MAINTENANCE", "LAMP"}
INPUTS = {
    "roulette": {f"INPUT_{n}" for n in range(1, 9)} | {"SPI_sck", "SPI_latch", "SPI_miso"},
    "money_wheel": {"INPUT_1", "INPUT_2", "INPUT_3", "ANALOG_1"},
    "shuffler": {"INPUT_1", "INPUT_2", "INPUT_4", "INPUT_5", "INPUT_6", "ANALOG_1"},
    "card_shoe": {f"INPUT_{n}" for n in range(1, 7)} | {"ANALOG_1"},
    "dice_tray": {f"INPUT_{n}" for n in range(1, 9)}
    | {f"CAMERA_{end}" for end in ("sda", "scl", "data", "pclk", "line", "frame")},
    "draw_machine": {"INPUT_1", "INPUT_2", "INPUT_4", "INPUT_5", "INPUT_6", "ANALOG_1"},
}
LOOPS = {
    "roulette": {"TILT", "DOME"},
    "money_wheel": {"TILT", "DOME"},
    "shuffler": set(),
    "card_shoe": {"DOME"},
    "dice_tray": {"TILT", "DOME"},
    "draw_machine": {"DOME"},
}


@cache
def drawn(name, role):
    """Signal -> part -> its texts, as drawn."""
    root = ET.fromstring(svg_of(load(name), role))
    rows = {}
    for group in root.iter("{http://www.w3.org/2000/svg}g"):
        if "id" not in group.attrib:
            continue
        parts = rows.setdefault(group.get("id"), {})
        for text in group.iter("{http://www.w3.org/2000/svg}text"):
            if part := text.get("data-part"):
                parts.setdefault(part, []).append(text.text)
    return rows


def value(parts, part):
    """The number of a part in ohm or nF, 0 where there is none; equal ones are one."""
    texts = set(parts.get(part, []))
    if not texts:
        return 0
    (text,) = texts
    number, unit = re.match(r"([\d.]+) (kohm|ohm|nF)", text).groups()
    return float(number) * (1000 if unit == "kohm" else 1)


@pytest.mark.parametrize(("name", "role"), DRAWN)
def test_every_wired_pin_is_drawn_once(name, role):
    """Each signal of the role, with the pin of board.py, and no other."""
    board, rows = load(name), dict(drawn(name, role))
    assert rows.pop("supplies")["diode"] == ["1N5817"]
    assert set(rows) == EVERY | INPUTS[role] | LOOPS[role]
    data = board.data
    pins = data["PINS"] | data["ANALOG"]
    for bus in ("UART", "SPI", "CAMERA"):
        pins |= {f"{bus}_{end}": pin for end, pin in data[bus].items()}
    texts = []
    for signal, parts in rows.items():
        (pin,) = parts["pin"]
        (terminal,) = parts["terminal"]
        texts += [pin, terminal] if terminal != "module" else [pin]
        assert re.match(rf"GPIO{pins[signal]}\b", pin), signal
    assert len(texts) == len(set(texts))
    assert "$" not in svg_of(board, role)


def test_every_role_is_drawn():
    """All six on the reference board; elsewhere those that run there."""
    assert [role for name, role in DRAWN if name == "rpi_pico2"] == list(ROLES) == list(INPUTS)
    assert [role for name, role in DRAWN if name == "esp32_s3"] == ["card_shoe", "draw_machine"]
    assert "dice_tray" not in [role for name, role in DRAWN if name == "rpi_pico"]


def test_the_page_names_the_values_of_the_drawing():
    """Of resistors and capacitors, as wiring.in.md writes them."""
    text = " ".join((HERE / "wiring.in.md").read_text().split())
    for name, role in DRAWN:
        for parts in drawn(name, role).values():
            for part in ("led", "pull_up", "pull_down", "series", "capacitor"):
                assert all(each in text for each in parts.get(part, []))


@pytest.mark.parametrize("role", ROLES)
def test_an_input_reaches_both_levels(role):
    """Low by what pulls it, high by its resistor, and in time for what it reports."""
    for signal, parts in drawn("rpi_pico2", role).items():
        pull_up = value(parts, "pull_up")
        if not pull_up:
            continue
        sunk_ma = SUPPLY_V / pull_up * 1000
        couplers = len(parts.get("coupler", []))
        if couplers:
            led_ma = (LOOP_V - LED_V) / value(parts, "led") * 1000
            assert led_ma < COUPLER_MA
            assert led_ma**2 / 1e6 * value(parts, "led") < LOOP_W / 2
            assert led_ma * CTR > 5 * sunk_ma
            assert couplers * SATURATED_V <= LOW_V / 2
        else:
            assert sunk_ma < HALL_MA
            assert SUPPLY_V * HALL_OHM / pull_up < LOW_V / 2
        # From 0 V to the lowest high level: an interrupt comes then. Hall pulses last 52 ms.
        seconds = (pull_up + value(parts, "series")) * value(parts, "capacitor") * 1e-9
        rises_ms = seconds * math.log(SUPPLY_V / (SUPPLY_V - HIGH_V)) * 1000
        is_switch = value(parts, "capacitor") == 100
        assert rises_ms < (1.0 if is_switch else 0.1), signal
        assert is_switch <= (signal in ("BUTTON", "MAINTENANCE", "INPUT_5", "INPUT_6"))


@pytest.mark.parametrize(
    ("x_level", "y_level", "tilt_is_low"),
    [(True, True, True), (True, False, False), (False, True, False), (False, False, False)],
)
def test_tilt_is_low_only_while_both_axes_are_level(x_level, y_level, tilt_is_low):
    """Two transistors in series: each drops 0.2 V when on, and carries nothing when off."""
    drops = [SATURATED_V if on else SUPPLY_V for on in (x_level, y_level)]
    assert drawn("rpi_pico2", "roulette")["TILT"]["coupler"] == ["PC817 3", "PC817 4"]
    level_v = min(SUPPLY_V, sum(drops))
    assert level_v < LOW_V if tilt_is_low else level_v > HIGH_V


def test_the_lid_of_a_shuffler_reads_open_without_its_supply():
    """10 mA through the closed contact; open, the pull-down beats the pull-up in the chip."""
    ohm = value(drawn("rpi_pico2", "shuffler")["INPUT_4"], "pull_down")
    assert 9 < SUPPLY_V / ohm * 1000 < 11
    assert SUPPLY_V * ohm / (ohm + PULL_UP_OHM) < LOW_V / 2
    assert SUPPLY_V**2 / ohm < 0.25 / 2


@pytest.mark.parametrize("name", WIRED)
def test_no_supply_meets_another(name):
    """USB and the 5 V supply may be there at once: a diode is between them."""
    power = load(name).facts["power"]["in"]
    assert "1N5817" in power
    # Where the maker excludes two supplies at once, the page says so.
    if name == "esp32_s3":
        page = (HERE / name / "WIRING.md").read_text()
        assert "no USB cable plugged in" in page
        assert "One supply at a time" in page


@pytest.mark.parametrize("role", ROLES)
def test_a_relay_carries_the_lamp(role):
    """Its LED: at most what the pin drives, at least what it needs; no optocoupler is there. The
    two lights of a dice tray have one each."""
    for signal in ("LAMP", "INPUT_7", "INPUT_8") if role == "dice_tray" else ("LAMP",):
        parts = drawn("rpi_pico2", role)[signal]
        assert parts["relay"] == ["AQY212EH"]
        assert "coupler" not in parts
        assert COUPLER_MA < LAMP_MA < LIGHT_MA < 0.6 * RELAY_MA
        assert 3.0 < (SUPPLY_V - LED_V) / value(parts, "series") * 1000 < DRIVES_MA
