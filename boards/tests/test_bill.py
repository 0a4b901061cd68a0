"""The bill can be bought: each line is complete, totals add up, counts are those drawn."""

import csv
import io
from decimal import Decimal

import pytest

from bill import CLASS, bill, csv_of, files_of, table_of, totals
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
        assert cells[1].endswith(line.number)
        assert cells[2] == line.alternative != line.number
        assert len(cells) == 5 + len(ROLES)
        assert cells[3] in ("yes", "in part", "no")
        assert line.maker == CLASS or cells[1].startswith(line.maker)


def test_what_no_page_shows_says_what_to_check():
    """A number that is verified names the page; a class never is, and every doubt is named."""
    for line in bill():
        _, doubt, rest = line.verified.partition("no: ")
        assert not doubt or "check" in rest or rest.startswith(("any", "made for")), line.part
        assert (
            doubt
            or "(" in line.verified
            or "board.json" in line.verified
            or "as the" in line.verified
        )
        assert doubt or line.maker != CLASS, line.part


@pytest.mark.parametrize("role", ROLES)
def test_counts_are_those_of_the_drawing(role):
    """Couplers with their resistors, relays, plugs, hall switches; no part that is not drawn."""
    drawn = wires(BOARD, role)
    couplers = sum(wire.circuit.couplers for wire in drawn)
    assert quantity("optocoupler")[role] == couplers == quantity("resistor 2.2 kohm 0.5 W")[role]
    assert quantity("photo-MOS relay")[role] == sum(w.circuit.field == "lamp" for w in drawn) == 1
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
        ('alternative = "two smaller', 'other = "two smaller', "line 2: alternative is missing"),
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
