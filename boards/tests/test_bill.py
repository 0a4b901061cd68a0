"""The bill can be bought: each line is complete, totals add up, counts are those drawn."""

import csv
import io
import re
from collections import Counter
from decimal import Decimal

import pytest

from bill import bill, csv_of, files_of, table_of, totals
from board_files import BoardError, load
from circuits import ROLES
from schematic import wires

BOARD = load("rpi_pico2")


def quantity(part):
    """Role -> number of a part."""
    (line,) = [line for line in bill() if line.part == part]
    return line.quantity


def test_totals_add_up():
    """As a person adds the columns of the file that a spreadsheet opens."""
    rows = list(csv.DictReader(io.StringIO(csv_of(bill()))))
    *parts, last = rows
    for role in ROLES:
        total = sum(Decimal(row["price_eur"]) * int(row[role]) for row in parts)
        assert abs(total - int(last[role])) <= Decimal("0.5")
        assert 300 < total < 5000
    assert totals(bill())["roulette"] == int(last["roulette"])


def test_every_line_is_in_the_table_and_once():
    """Part, number and alternative, with a figure or a dash for each role."""
    lines = bill()
    rows = table_of(lines).splitlines()[2:-1]
    assert len(rows) == len(lines) == len({line.part for line in lines})
    for row, line in zip(rows, lines, strict=True):
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        assert cells[0] == line.part
        assert cells[1] == f"{line.maker} {line.number}"
        assert cells[2] == line.alternative != line.number
        assert len(cells) == 5 + len(ROLES)
        assert cells[3] in ("yes", "in part", "no")


def test_every_line_can_be_ordered():
    """Maker, number and another number; no kind of part, and no part of anybody."""
    for line in bill():
        for text in (line.number, line.alternative):
            assert re.search(r"\d", text), line.part
            assert not re.search(r"class|assortment|another maker|of one kind", text), line.part
        assert line.maker != "class"


def test_what_no_page_shows_says_what_to_check():
    """A number that is verified names the page; every doubt is named."""
    for line in bill():
        page, doubt, rest = line.verified.partition("no: ")
        assert not doubt or "check" in rest, line.part
        assert doubt or re.search(r"\(|board\.json|as the", page), line.part


# Beside the drawing, by wiring.in.md: an RS-232 transceiver (every role); each hall switch, of a
# ring, an index, a flapper and 38 pockets, with five registers and a regulator; a wall plate.
BESIDE = {
    "roulette": {"10 kohm": 38, "100 nF": 5 + 3 + 38 + 5, "1 uF": 2},
    "money_wheel": {"100 nF": 5 + 4},
    "shuffler": {"100 nF": 5},
    "card_shoe": {"10 kohm": 1, "4.7 kohm": 1, "1 Mohm": 1, "100 nF": 5 + 2},
    "dice_tray": {
        "1 Mohm": 3,
        "100 kohm": 3,
        "10 kohm": 2 * 3,
        "1 kohm": 3,
        "100 nF": 5 + 3 * 3,
    },
    "draw_machine": {"100 nF": 5},
}


@pytest.mark.parametrize("role", ROLES)
def test_resistors_and_capacitors_are_those_of_the_drawing_and_the_page(role):
    """Each value has a line with as many as a table of the role needs."""
    counts = Counter(BESIDE[role])
    for wire in wires(BOARD, role):
        circuit = wire.circuit
        ohms = (circuit.pull_up_ohm, circuit.pull_down_ohm, circuit.series_ohm)
        counts.update(
            f"{ohm / 1000:g} kohm" if ohm >= 1000 else f"{ohm} ohm" for ohm in ohms if ohm
        )
        counts.update([f"{circuit.capacitor_nf} nF"] if circuit.capacitor_nf else [])
    lines = [line for line in bill() if line.part.startswith(("resistor", "capacitor"))]
    bought = {line.part.split(" ", 1)[1]: line.quantity[role] for line in lines}
    del bought["2.2 kohm 0.5 W"]
    assert {value: count for value, count in bought.items() if count} == counts


@pytest.mark.parametrize("role", ROLES)
def test_counts_are_those_of_the_drawing(role):
    """Couplers with their resistors, relays, plugs, hall switches; no part that is not drawn."""
    drawn = wires(BOARD, role)
    couplers = sum(wire.circuit.couplers for wire in drawn)
    assert quantity("optocoupler")[role] == couplers == quantity("resistor 2.2 kohm 0.5 W")[role]
    lamps = sum(wire.circuit.field == "lamp" for wire in drawn)
    assert quantity("photo-MOS relay")[role] == lamps == (3 if role == "dice_tray" else 1)
    plugs = {wire.terminal.split("-")[0] for wire in drawn} - {"module"} | {"J1"}
    assert quantity("plug and header")[role] == len(plugs)
    is_level = any(wire.circuit.field == "level" for wire in drawn)
    assert quantity("inclination sensor")[role] == is_level
    if role in ("roulette", "money_wheel"):
        ring = [w for w in drawn if w.signal in ("INPUT_1", "INPUT_2", "INPUT_3")]
        assert quantity("hall switch")[role] == len(ring) == 3
    barriers = sum(wire.circuit.field == "barrier" for wire in drawn)
    lines = (
        "diffuse barrier at the rim",
        "reader head of the pockets",
        "card gate",
        "through-beam pair, short",
        "light curtain",
    )
    bought = sum(quantity(part)[role] for part in lines)
    # Ready and fault of a shuffler are outputs of the machine; long pairs cover two of a tray.
    bought += {"shuffler": 2, "dice_tray": 2}.get(role, 0)
    assert bought == barriers


def test_the_page_and_the_file_are_up_to_date():
    """`make gen` writes them."""
    for file, text in files_of().items():
        assert file.read_text(encoding="utf-8") == text


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('alternative = "RE200', 'other = "RE200', "line 2: alternative is missing"),
        ('alternative = "RE200-LF', 'alternative = "any board', "line 2: alternative is 'any"),
        ("price_eur = 10\n", "price_eur = 0\n", "line 2: price_eur is 0"),
        ("roulette = 1, money_wheel = 1", "roulette = 1", "line 1: quantity names"),
        ("roulette = 1, money", "roulette = -1, money", "line 1: quantity is"),
    ],
)
def test_an_incomplete_line_is_named(tmp_path, old, new, words):
    """By its number, with what it lacks."""
    from bill import PARTS

    file = tmp_path / "parts.toml"
    text = PARTS.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))
    with pytest.raises(BoardError, match=words):
        bill(file)
