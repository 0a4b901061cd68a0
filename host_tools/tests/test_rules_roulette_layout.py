"""The cloth of roulette: every position, counted and checked against its geometry by hand."""

import pytest

from tabletools.games.roulette.layout import DOUBLE_ZERO, RED_NUMBERS, SINGLE_ZERO

# The customary cloth, counted by hand: 2 columns x 12 + 3 x 11 splits among 1..36, and so on.
COUNTS = {
    "single": {
        "straight": 37,
        "split": 57 + 3,
        "street": 12 + 2,
        "corner": 22 + 1,
        "top_line": 0,
        "six_line": 11,
        "dozen": 3,
        "column": 3,
    },
    "double": {
        "straight": 38,
        "split": 57 + 5,
        "street": 12 + 3,
        "corner": 22,
        "top_line": 1,
        "six_line": 11,
        "dozen": 3,
        "column": 3,
    },
}
ZERO_POSITIONS = {
    "single": {
        ("split", "0-1"),
        ("split", "0-2"),
        ("split", "0-3"),
        ("street", "0-1-2"),
        ("street", "0-2-3"),
        ("corner", "0-1-2-3"),
    },
    "double": {
        ("split", "0-1"),
        ("split", "0-2"),
        ("split", "00-2"),
        ("split", "00-3"),
        ("split", "0-00"),
        ("street", "0-1-2"),
        ("street", "0-00-2"),
        ("street", "00-2-3"),
        ("top_line", "0-00-1-2-3"),
    },
}
# Rulebook 3.1, customary order of the single-zero wheel; colours alternate around it.
SINGLE_ORDER = (
    "0 32 15 19 4 21 2 25 17 34 6 27 13 36 11 30 8 23 10 5 24 16 33 1 20 14 31 9 22 18 29 7 28 "
    "12 35 3 26"
)
WHEELS = [SINGLE_ZERO, DOUBLE_ZERO]


def row_and_column(number: str) -> tuple[int, int]:
    return divmod(int(number) - 1, 3)


def positions(wheel, kind):
    """Positions of a kind without a zero, as grid places."""
    return [
        [row_and_column(n) for n in p.numbers]
        for p in wheel.positions[kind]
        if not set(p.numbers) & set(wheel.zeros)
    ]


@pytest.mark.parametrize("wheel", WHEELS, ids=lambda w: w.name)
def test_3_2_counts_of_positions(wheel):
    """Each kind has the customary number of places."""
    expected = COUNTS[wheel.name] | dict.fromkeys("even odd low high red black".split(), 1)
    assert {kind: len(places) for kind, places in wheel.positions.items()} == expected


@pytest.mark.parametrize("wheel", WHEELS, ids=lambda w: w.name)
def test_3_2_positions_with_zero(wheel):
    """Exactly the customary places touch a zero (hand-written list)."""
    positions = {
        (kind, "-".join(p.numbers))
        for kind, places in wheel.positions.items()
        for p in places
        if set(p.numbers) & set(wheel.zeros) and kind != "straight"
    }
    assert positions == ZERO_POSITIONS[wheel.name]


@pytest.mark.parametrize("wheel", WHEELS, ids=lambda w: w.name)
def test_3_2_inside_positions_are_neighbours_on_the_cloth(wheel):
    """A split is two places at distance 1, a street a row, a corner a square, a line two rows."""
    for (r1, c1), (r2, c2) in positions(wheel, "split"):
        assert abs(r1 - r2) + abs(c1 - c2) == 1
    for places in positions(wheel, "street"):
        assert {c for _, c in places} == {0, 1, 2}
        assert len({r for r, _ in places}) == 1
    for kind, wide in (("corner", 2), ("six_line", 3)):
        for places in positions(wheel, kind):
            rows, columns = sorted({r for r, _ in places}), sorted({c for _, c in places})
            assert rows == [rows[0], rows[0] + 1]
            assert columns == list(range(columns[0], columns[0] + wide))
            assert len(set(places)) == 2 * wide


@pytest.mark.parametrize("wheel", WHEELS, ids=lambda w: w.name)
def test_3_2_no_place_is_listed_twice(wheel):
    """Numbers of a position differ, and no two positions of a kind are the same."""
    for kind, places in wheel.positions.items():
        assert all(len(set(p.numbers)) == len(p.numbers) for p in places)
        assert len(wheel.numbers_at[kind]) == len(places)


def test_3_1_colours_alternate_around_the_single_zero_wheel():
    """Red and black alternate on the customary wheel, an independent source of the colours."""
    order = [int(n) for n in SINGLE_ORDER.split()]
    assert len(set(order)) == 37
    assert {order[i] for i in range(1, 37, 2)} == set(RED_NUMBERS)


@pytest.mark.parametrize("wheel", WHEELS, ids=lambda w: w.name)
def test_3_2_outside_chances_cover_1_to_36_without_zero(wheel):
    """Dozens, columns and each pair of even chances part 1..36; no zero is in any."""
    whole = sorted(map(str, range(1, 37)))
    groups = [["dozen"], ["column"], ["even", "odd"], ["low", "high"], ["red", "black"]]
    for group in groups:
        numbers = [n for kind in group for p in wheel.positions[kind] for n in p.numbers]
        assert sorted(numbers) == whole


def test_3_2_dozens_and_columns_by_index():
    """Index 1..3: 1-12, 13-24, 25-36, and the columns that begin with 1, 2 and 3."""
    dozens = SINGLE_ZERO.positions["dozen"]
    columns = SINGLE_ZERO.positions["column"]
    assert [(p.index, p.numbers[0], p.numbers[-1]) for p in dozens] == [
        (1, "1", "12"),
        (2, "13", "24"),
        (3, "25", "36"),
    ]
    assert [(p.index, p.numbers[:3], p.numbers[-1]) for p in columns] == [
        (1, ("1", "4", "7"), "34"),
        (2, ("2", "5", "8"), "35"),
        (3, ("3", "6", "9"), "36"),
    ]
