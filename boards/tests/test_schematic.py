"""The drawing of each board has every wired pin once, and its circuits work by the data sheets."""

import math
import re
import xml.etree.ElementTree as ET

import pytest
from schematic import CIRCUITS, SUPPLY_V, svg_of, wires

from board_files import HERE, load, names

WIRED = [name for name in names() if not (HERE / name / "wiring.in.md").exists()]
# RP2040 and RP2350 data sheets, IO electrical characteristics, 3.3 V: input levels; what a pin
# drives at most.
LOW_V, HIGH_V, DRIVES_MA = 0.8, 2.0, 12.0
# DRV5023 data sheet, electrical characteristics: output sinks 20 mA through 50 ohm at most.
HALL_OHM, HALL_MA = 50, 20.0
# PC817 data sheet: CTR of 50 % at 5 mA, 0.2 V when saturated at 1 mA; LED of 1.2 V.
CTR, SATURATED_V, LED_V = 0.5, 0.2, 1.2
LOOP_V, LOOP_OHM, LOOP_W = 24.0, 2200, 0.5


@pytest.mark.parametrize("name", WIRED)
def test_every_wire_is_drawn_with_its_terminal_and_pin(name):
    """Each signal that has a circuit, once; the numbers are those of board.py."""
    board = load(name)
    drawn = wires(board)
    assert sorted(wire.signal for wire in drawn) == sorted(CIRCUITS)
    assert set(board.data["PINS"]) <= set(CIRCUITS)
    texts = [text.text for text in ET.fromstring(svg_of(board)).iter() if text.text]
    for wire in drawn:
        assert wire.terminal in texts
        assert wire.pin in texts
    for signal, pin in board.data["PINS"].items():
        (wire,) = [wire for wire in drawn if wire.signal == signal]
        assert re.match(rf"GPIO{pin}\b", wire.pin)


def test_the_page_names_the_values_of_the_drawing():
    """Of resistors and capacitors, as wiring.in.md writes them."""
    text = (HERE / "wiring.in.md").read_text()
    for circuit in CIRCUITS.values():
        for ohm in (circuit.pull_up_ohm, circuit.series_ohm):
            assert not ohm or (f"{ohm / 1000:g} kohm" if ohm >= 1000 else f"{ohm} ohm") in text
        assert not circuit.capacitor_nf or f"{circuit.capacitor_nf} nF" in text


@pytest.mark.parametrize("signal", [s for s, circuit in CIRCUITS.items() if circuit.pull_up_ohm])
def test_an_input_reaches_both_levels(signal):
    """Low by what pulls it, high by its resistor, and in time for what it reports."""
    circuit = CIRCUITS[signal]
    sunk_ma = SUPPLY_V / circuit.pull_up_ohm * 1000
    if circuit.coupler:
        led_ma = (LOOP_V - LED_V) / LOOP_OHM * 1000
        assert led_ma**2 / 1e6 * LOOP_OHM < LOOP_W / 2
        assert led_ma * CTR > 5 * sunk_ma
        assert SATURATED_V < LOW_V / 2
    else:
        assert sunk_ma < HALL_MA
        assert SUPPLY_V * HALL_OHM / circuit.pull_up_ohm < LOW_V / 2
    # From 0 V to the lowest high level: an interrupt comes then. Hall pulses last 52 ms and more.
    seconds = (circuit.pull_up_ohm + circuit.series_ohm) * circuit.capacitor_nf * 1e-9
    rises_ms = seconds * math.log(SUPPLY_V / (SUPPLY_V - HIGH_V)) * 1000
    assert rises_ms < (1.0 if signal in ("BUTTON", "MAINTENANCE") else 0.1)


def test_a_pin_drives_the_lamp():
    """LED of an optocoupler: at most what the pin drives, at least what its relay needs."""
    lamp_ma = (SUPPLY_V - LED_V) / CIRCUITS["LAMP"].series_ohm * 1000
    assert lamp_ma > 3.0  # AQY212: 3 mA at most to operate
    assert lamp_ma < DRIVES_MA
