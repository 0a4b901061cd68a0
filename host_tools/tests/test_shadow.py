"""The shadow settlement against vectors written by hand from the rulebook."""

from fractions import Fraction
from itertools import product

import pytest

from tabletools.shadow import Impossible, Unjudged, judge
from tabletools.shadow.verdict import Verdict


def came_to(game, rules, outcome, *bets, stake=100, **more):
    """What bets come to, each of player p and 100 cents if it says no other."""
    some = [{"id": str(n), "player": "p", "stake": stake, **bet} for n, bet in enumerate(bets)]
    return judge({"game": game, "rules": rules, "bets": some, "outcome": outcome, **more})


def net(game, rules, outcome, bet, **more):
    """Winnings less what is lost, in stakes of 100."""
    [found] = came_to(game, rules, outcome, bet, **more)
    return Fraction(found.win - found.lost) / 100


ROULETTE = [
    # variant, pocket, bet, the six fields of the answer for a stake of 100
    ("french", "0", {"bet": "straight", "numbers": ["0"]}, ("win", 3500, 100, 0, 0, None)),
    ("french", "3", {"bet": "cheval", "numbers": ["3", "0"]}, ("win", 1700, 100, 0, 0, None)),
    ("quick", "2", {"bet": "street", "numbers": ["0", "1", "2"]}, ("win", 1100, 100, 0, 0, None)),
    ("french", "35", {"bet": "Carré", "numbers": ["32", "33", "35", "36"]},
     ("win", 800, 100, 0, 0, None)),
    ("american00", "00", {"bet": "top_line"}, ("win", 600, 100, 0, 0, None)),
    ("french", "36", {"bet": "colonne", "index": 3}, ("win", 200, 100, 0, 0, None)),
    ("french", "0", {"bet": "dozen", "index": 1}, ("lose", 0, 0, 0, 100, None)),
    ("french", "32", {"bet": "red"}, ("win", 100, 100, 0, 0, None)),
    ("french", "33", {"bet": "red"}, ("lose", 0, 0, 0, 100, None)),
    ("french", "0", {"bet": "low"}, ("half", 0, 50, 0, 50, None)),
    ("french", "0", {"bet": "pair", "choice": "prison"}, ("prison", 0, 0, 100, 0, "prison1")),
    ("french", "0", {"bet": "red", "state": "prison1"}, ("half", 0, 25, 0, 75, None)),
    ("french", "0", {"bet": "red", "state": "prison1", "choice": "prison"},
     ("prison", 0, 0, 50, 50, "prison2")),
    ("french", "0", {"bet": "red", "state": "prison2"}, ("lose", 0, 0, 0, 100, None)),
    ("french", "1", {"bet": "red", "state": "prison2"}, ("push", 0, 100, 0, 0, None)),
    ("american", "0", {"bet": "red", "choice": "prison"}, ("half", 0, 50, 0, 50, None)),
    ("american00", "00", {"bet": "red"}, ("lose", 0, 0, 0, 100, None)),
    ("quick", "0", {"bet": "red"}, ("lose", 0, 0, 0, 100, None)),
]  # fmt: skip


@pytest.mark.parametrize(("variant", "pocket", "bet", "wanted"), ROULETTE)
def test_roulette(variant, pocket, bet, wanted):
    """Rulebook 3.2 to 3.4."""
    [found] = came_to("roulette", "hc2023", {"pocket": pocket}, bet, variant=variant)
    assert found == wanted


@pytest.mark.parametrize(
    ("variant", "bet"),
    [
        ("french", {"bet": "split", "numbers": ["3", "4"]}),
        ("french", {"bet": "split", "numbers": ["0", "00"]}),
        ("american00", {"bet": "corner", "numbers": ["0", "1", "2", "3"]}),
        ("quick", {"bet": "dozen", "index": 1}),
        ("american", {"bet": "red", "state": "prison1"}),
        ("french", {"bet": "top line"}),
        ("french", {"bet": "basket"}),
    ],
)
def test_bets_that_no_cloth_has(variant, bet):
    """No verdict is given on them."""
    with pytest.raises((Impossible, ValueError)):
        came_to("roulette", "hc2023", {"pocket": "1"}, bet, variant=variant)


def test_edges_of_roulette():
    """Rulebook 3.6: 1/37 of a straight bet, 1/74 of an even chance with half on zero."""
    pockets = [str(n) for n in range(37)]
    for bet, edge in (
        ({"bet": "straight", "numbers": ["5"]}, Fraction(1, 37)),
        ({"bet": "passe"}, Fraction(1, 74)),
    ):
        nets = [net("roulette", "hc2011", {"pocket": p}, bet, variant="french") for p in pockets]
        assert sum(nets) / -37 == edge


# Edge of each bet over every throw, rulebook chapters 5, 6 and 14, as ways lost of all throws.
DICE_EDGES = [
    ("sic_bo", "hc2023", {"bet": "small"}, 6),
    ("sic_bo", "hc2023", {"bet": "single", "on": [4]}, 17),
    ("sic_bo", "hc2011", {"bet": "single", "on": [4]}, 8),
    ("sic_bo", "hc2023", {"bet": "two", "on": [2, 5]}, 6),
    ("sic_bo", "hc2023", {"bet": "double", "on": [1]}, 40),
    ("sic_bo", "hc2011", {"bet": "double", "on": [1]}, 24),
    ("sic_bo", "hc2023", {"bet": "total", "on": [9]}, 16),
    ("sic_bo", "hc2011", {"bet": "total", "on": [12]}, 41),
    ("sic_bo", "hc2011", {"bet": "total", "on": [17]}, 33),
    ("sic_bo", "hc2023", {"bet": "any_triple"}, 30),
    ("sic_bo", "hc2023", {"bet": "specific_triple", "on": [6]}, 35),
    ("rocket7", "hc2011", {"bet": "low"}, 1),
    ("rocket7", "hc2011", {"bet": "high"}, 1),
    ("rocket7", "hc2011", {"bet": "single", "on": [6]}, 1),
    ("rocket7", "hc2011", {"bet": "specific7", "on": [2, 5]}, 2),
    ("rocket7", "hc2011", {"bet": "double", "on": [2]}, 3),
    ("rocket7", "hc2011", {"bet": "total", "on": [5]}, 4),
    ("rocket7", "hc2011", {"bet": "any7"}, 6),
    ("diceball", "hc2023", {"bet": "seven_out"}, 6),
    ("barbut", "hc2023", {"bet": "A"}, Fraction(1, 2)),
    ("barbut", "hc2023", {"bet": "B"}, Fraction(1, 2)),
]


@pytest.mark.parametrize(("game", "rules", "bet", "ways"), DICE_EDGES)
def test_edges_of_dice(game, rules, bet, ways):
    """Each bet over all throws loses exactly what the rulebook computed."""
    dice = 3 if game == "sic_bo" else 2
    throws = product(range(1, 7), repeat=dice)
    assert sum(net(game, rules, {"dice": list(throw)}, bet) for throw in throws) == -ways


DICEBALL = [
    ([3, 4], {"bet": "run", "state": "run3"}, ("lose", 0, 0, 0, 100, None)),
    ([1, 1], {"bet": "run"}, ("stand", 0, 0, 100, 0, "run1")),
    ([1, 1], {"bet": "run", "state": "run3"}, ("win", 100, 0, 100, 0, None)),
    ([3, 4], {"bet": "slam", "state": "slam11"}, ("lose", 0, 0, 0, 100, None)),
    ([3, 4], {"bet": "slam", "state": "slam12"}, ("win", 100, 100, 0, 0, None)),
    ([3, 4], {"bet": "slam", "state": "slam19"}, ("win", 500, 100, 0, 0, None)),
    ([3, 4], {"bet": "slam", "state": "slam20"}, ("win", 1500, 100, 0, 0, None)),
    ([3, 3], {"bet": "slam", "state": "slam23"}, ("win", 3500, 100, 0, 0, None)),
    ([2, 2], {"bet": "hard", "on": [2]}, ("win", 500, 0, 100, 0, None)),
    ([1, 3], {"bet": "hard", "on": [2]}, ("stand", 0, 0, 100, 0, None)),
    ([5, 1], {"bet": "place", "on": [[1, 2], [1, 5]]}, ("win", 100, 0, 100, 0, None)),
    ([6, 1], {"bet": "place", "on": [[1, 2], [1, 5]]}, ("lose", 0, 0, 0, 100, None)),
]


@pytest.mark.parametrize(("dice", "bet", "wanted"), DICEBALL)
def test_diceball(dice, bet, wanted):
    """Rulebook chapter 7."""
    assert came_to("diceball", "hc2023", {"dice": dice}, bet) == [wanted]


def test_wheels():
    """By the number, by the odds of the table, by the mark, by the jackpot."""
    ten, red = {"bet": "segment", "on": [10]}, {"bet": "segment", "on": [45, "red"]}
    linked = {"bet": "segment", "on": [45], "choice": "jackpot"}
    for rules, game, outcome, bet, table, winnings in (
        ("hc2011", "big_wheel", {"pays": 10}, ten, None, 10),
        ("hc2011", "big_wheel", {"pays": 5}, ten, None, -1),
        ("hc2023", "money_wheel", {"pays": 10}, ten, {"odds": {"10": 9}}, 9),
        ("hc2011", "big_wheel", {"pays": 45, "mark": "red"}, red, None, 45),
        ("hc2011", "big_wheel", {"pays": 45, "mark": "black"}, red, None, -1),
        ("hc2011", "big_wheel", {"pays": 45, "jackpot": 120}, linked, None, 120),
    ):
        assert net(game, rules, outcome, bet, table=table) == winnings


@pytest.mark.parametrize(
    ("game", "rules", "bet"),
    [("barbut", "hc2023", {"bet": "A"}), ("big_wheel", "hc2011", {"bet": "segment", "on": [1]})],
)
def test_a_void_decides_nothing(game, rules, bet):
    """The stake stands for the next throw or turn."""
    assert came_to(game, rules, {"void": "?"}, bet) == [Verdict("stand", live=100)]


def test_what_is_not_judged_is_said():
    """A game the shadow does not know, and an edition that has no such game."""
    with pytest.raises(Unjudged):
        came_to("poker_room", "oostende2011", {})
    with pytest.raises(Impossible):
        came_to("barbut", "hc2011", {"dice": [1, 1]}, {"bet": "A"})
