"""Limits of a table: the printed table of 2011, multiples, maximum per player and chance."""

import pytest

from tabletools.games import roulette
from tabletools.games.roulette import RouletteSlip
from tabletools.rules.violation import RuleViolation

# Rulebook 3.5 as printed in hc2011 2:2(3), in EUR; 45 by READING-10.
MINIMA = [["2"], ["2.50", "5"], ["7.50", "10"], ["15", "20"], "25 30 35 40 45 50".split()]
MINIMA.append(["75", "100"])
PRINTED = {
    1: (100, 200, 300, 400, 500, 1000),
    2: (200, 400, 600, 800, 1000, 2000),
    3: (300, 600, 900, 1200, 1500, 3000),
    4: (400, 800, 1200, 1600, 2000, 4000),
    6: (600, 1200, 1800, 2400, 3000, 6000),
    12: (2000, 3000, 4000, 5000, 6000, 10000),
    18: (4000, 6000, 8000, 10000, 10000, 10000),
}
BETS = {
    1: {"bet": "straight", "numbers": ["0"]},
    2: {"bet": "split", "numbers": ["1", "2"]},
    3: {"bet": "street", "numbers": ["1", "2", "3"]},
    4: {"bet": "corner", "numbers": ["1", "2", "4", "5"]},
    5: {"bet": "top_line"},
    6: {"bet": "six_line", "numbers": ["1", "2", "3", "4", "5", "6"]},
    12: {"bet": "column", "index": 2},
    18: {"bet": "red"},
}
FRENCH_2011 = roulette.rules_of("hc2011", "french")
DOUBLE_2011 = roulette.rules_of("hc2011", "american00")
FRENCH_2023 = roulette.rules_of("hc2023", "french")


def cents(euros: str) -> int:
    whole, _, part = euros.partition(".")
    return int(whole) * 100 + int(part or 0)


def bets(rules, *asked):
    """asked: (player, stake, width) each."""
    return [
        roulette.accept(rules, RouletteSlip(id=str(i), player=player, stake=stake, **BETS[width]))
        for i, (player, stake, width) in enumerate(asked)
    ]


def refusal(rules, limits, placed):
    with pytest.raises(RuleViolation) as error:
        roulette.verify_limits(rules, limits, placed)
    return error.value.code.name, error.value.where


@pytest.mark.parametrize(
    ("minimum", "width", "maximum"),
    [
        (minimum, width, row[column])
        for width, row in PRINTED.items()
        for column, minima in enumerate(MINIMA)
        for minimum in minima
    ],
)
@pytest.mark.parametrize("rules", [FRENCH_2011, DOUBLE_2011], ids=lambda r: r.name)
def test_3_5_printed_maxima_2011(rules, minimum, width, maximum):
    """The largest multiple of the minimum within the printed maximum is taken, one more not."""
    least = cents(minimum)
    limits = roulette.limits_of(rules, least)
    most = maximum * 100 - maximum * 100 % least
    roulette.verify_limits(rules, limits, bets(rules, ("p", most, width)))
    above = bets(rules, ("p", most + least, width))
    assert refusal(rules, limits, above) == ("above_maximum", "bets[0].stake")


@pytest.mark.parametrize(
    ("minimum", "width", "usable"), [(3500, 1, 49000), (1500, 1, 39000), (3000, 1, 48000)]
)
def test_3_5_usable_maximum_is_a_multiple(minimum, width, usable):
    """Rulebook 3.5: minimum 35 leaves 490 of the 500, minimum 15 leaves 390 of the 400."""
    limits = roulette.limits_of(FRENCH_2011, minimum)
    above = bets(FRENCH_2011, ("p", usable + minimum, width))
    with pytest.raises(RuleViolation, match=f"in multiples {usable} "):
        roulette.verify_limits(FRENCH_2011, limits, above)


def test_reading_11_no_maximum_for_the_top_line():
    """hc2011 prints none for five numbers; a table may set one."""
    limits = roulette.limits_of(DOUBLE_2011, 500)
    roulette.verify_limits(DOUBLE_2011, limits, bets(DOUBLE_2011, ("p", 10**9, 5)))
    limits = roulette.limits_of(DOUBLE_2011, 500, maximum={5: 50000})
    above = bets(DOUBLE_2011, ("p", 50500, 5))
    assert refusal(DOUBLE_2011, limits, above) == ("above_maximum", "bets[0].stake")


def test_1_1_8_only_multiples_of_the_minimum():
    """Below the minimum, and between multiples, is refused."""
    limits = roulette.limits_of(FRENCH_2023, 500)
    for stake, code in ((499, "below_minimum"), (501, "not_a_multiple"), (1, "below_minimum")):
        placed = bets(FRENCH_2023, ("p", 500, 1), ("p", stake, 2))
        assert refusal(FRENCH_2023, limits, placed) == (code, "bets[1].stake")


def test_reading_7_displayed_minimum_governs_and_ten_thousand_is_the_maximum():
    """hc2023: a EUR 2 table is a table; EUR 10,000 per chance is the printed maximum."""
    limits = roulette.limits_of(FRENCH_2023, 200)
    roulette.verify_limits(FRENCH_2023, limits, bets(FRENCH_2023, ("p", 200, 1)))
    roulette.verify_limits(FRENCH_2023, limits, bets(FRENCH_2023, ("p", 1_000_000, 18)))
    above = bets(FRENCH_2023, ("p", 1_000_200, 1))
    assert refusal(FRENCH_2023, limits, above) == ("above_maximum", "bets[0].stake")


def test_1_1_6_maximum_is_per_player_and_chance():
    """Stakes of one player on one chance add up, at any place; other players are separate."""
    limits = roulette.limits_of(FRENCH_2023, 500, maximum={1: 2000})
    split_up = bets(FRENCH_2023, ("p", 1500, 1), ("q", 2000, 1), ("p", 500, 1))
    roulette.verify_limits(FRENCH_2023, limits, split_up)
    above = bets(FRENCH_2023, ("p", 1500, 1), ("q", 2000, 1), ("p", 1000, 1))
    assert refusal(FRENCH_2023, limits, above) == ("above_maximum", "bets[2].stake")


def test_1_1_6_different_chances_do_not_add_up():
    """Another number is another chance, so is another kind of bet."""
    limits = roulette.limits_of(FRENCH_2023, 500, maximum={1: 2000, 2: 2000})
    numbers = [["17"], ["18"], ["17", "18"]]
    kinds = ["straight", "straight", "split"]
    placed = [
        roulette.accept(
            FRENCH_2023,
            RouletteSlip(id=kind, player="p", bet=kind, numbers=n, stake=2000),
        )
        for kind, n in zip(kinds, numbers, strict=True)
    ]
    roulette.verify_limits(FRENCH_2023, limits, placed)


def test_2_1_3_own_minimum_for_columns_dozens_and_even_chances():
    """The special minimum applies to 12 and 18 numbers, with its multiples."""
    limits = roulette.limits_of(FRENCH_2023, 500, special_minimum=1200)
    roulette.verify_limits(FRENCH_2023, limits, bets(FRENCH_2023, ("p", 500, 6)))
    for width in (12, 18):
        roulette.verify_limits(FRENCH_2023, limits, bets(FRENCH_2023, ("p", 2400, width)))
        for stake, code in ((1000, "below_minimum"), (1500, "not_a_multiple")):
            placed = bets(FRENCH_2023, ("p", stake, width))
            assert refusal(FRENCH_2023, limits, placed) == (code, "bets[0].stake")


@pytest.mark.parametrize(
    ("name", "widths"), [("dozen", []), ("column", [12]), ("even_chance", [18])]
)
def test_2_2_2_tables_without_some_bets(name, widths):
    """A table may do without columns, dozens or even chances; the others stay."""
    limits = roulette.limits_of(FRENCH_2023, 500, not_offered=[name])
    for width in (1, 2, 3, 4, 6, 12, 18):
        placed = bets(FRENCH_2023, ("p", 500, width))
        if width in widths:
            assert refusal(FRENCH_2023, limits, placed) == ("bet_not_offered", "bets[0].bet")
        else:
            roulette.verify_limits(FRENCH_2023, limits, placed)
    if name == "dozen":
        slip = roulette.RouletteSlip(id="1", bet="dozen", index=1, stake=500)
        placed = [roulette.accept(FRENCH_2023, slip)]
        assert refusal(FRENCH_2023, limits, placed) == ("bet_not_offered", "bets[0].bet")


def test_an_imprisoned_stake_is_not_measured_again():
    """Half a stake en prison is neither a multiple nor part of this round's maximum."""
    limits = roulette.limits_of(FRENCH_2023, 500, maximum={18: 1000})
    old = roulette.RouletteSlip(id="old", player="p", bet="red", stake=250, state="prison2")
    placed = [roulette.accept(FRENCH_2023, old), *bets(FRENCH_2023, ("p", 1000, 18))]
    roulette.verify_limits(FRENCH_2023, limits, placed)


@pytest.mark.parametrize(
    ("rules", "arguments", "where"),
    [
        (FRENCH_2011, {"minimum": 300}, "maximum"),
        (FRENCH_2011, {"minimum": 0}, "minimum"),
        (FRENCH_2011, {"minimum": 500, "special_minimum": 250}, "special_minimum"),
        (FRENCH_2023, {"minimum": 500, "special_minimum": 0}, "special_minimum"),
        (FRENCH_2011, {"minimum": 500, "maximum": {1: 20001}}, "maximum.1"),
        (FRENCH_2023, {"minimum": 500, "maximum": {1: 499}}, "maximum.1"),
        (FRENCH_2023, {"minimum": 500, "maximum": {7: 500}}, "maximum.7"),
        (
            FRENCH_2023,
            {"minimum": 500, "special_minimum": 1000, "maximum": {18: 999}},
            "maximum.18",
        ),
        (FRENCH_2023, {"minimum": 500, "not_offered": ["red"]}, "not_offered[0]"),
    ],
)
def test_limits_that_contradict_the_rules(rules, arguments, where):
    """Limits themselves are checked: a figure above the printed one, or no figure at all."""
    with pytest.raises(RuleViolation) as error:
        roulette.limits_of(rules, **arguments)
    assert (error.value.code.name, error.value.where) == ("limits_invalid", where)


def test_2_2_3_a_table_may_set_lower_maxima():
    """The printed figures "only indicate a maximum"; a width left out keeps the printed one."""
    limits = roulette.limits_of(FRENCH_2011, 500, maximum={1: 10000})
    assert (limits.maximum[1], limits.maximum[18]) == (10000, 600000)
    own = roulette.limits_of(FRENCH_2011, 100, maximum={1: 5000})
    assert dict(own.maximum) == {1: 5000}
