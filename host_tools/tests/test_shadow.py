"""The shadow settlement against vectors written by hand from the rulebook."""

from collections import Counter
from fractions import Fraction
from itertools import combinations, product
from typing import NamedTuple

import pytest

from tabletools.shadow import Impossible, Unjudged, jackpots, judge, play_of
from tabletools.shadow.playing_cards import hand
from tabletools.shadow.poker_hands import FIVE, FOUR, THREE, best
from tabletools.shadow.verdict import Verdict


class Amounts(NamedTuple):
    """A verdict without its paragraphs, which `test_override_cases` has."""

    outcome: str
    win: Fraction | int
    back: Fraction | int
    live: Fraction | int
    lost: Fraction | int
    state: str | None


def came_to(game, rules, outcome, *bets, stake=100, **more):
    """The amounts of bets, each of player p and 100 cents unless stated."""
    some = [{"id": str(n), "player": "p", "stake": stake, **bet} for n, bet in enumerate(bets)]
    play = {"game": game, "rules": rules, "bets": some, "outcome": outcome, **more}
    return [Amounts(*verdict[:6]) for verdict in judge(play)]


def net(game, rules, outcome, bet, **more):
    """Winnings less what is lost, in stakes of 100."""
    [result] = came_to(game, rules, outcome, bet, **more)
    return Fraction(result.win - result.lost) / 100


ROULETTE = [
    # variant, pocket, bet, the six fields of the answer for a stake of 100
    ("french", "0", {"bet": "straight", "numbers": ["0"]}, ("win", 3500, 100, 0, 0, None)),
    ("french", "3", {"bet": "cheval", "numbers": ["3", "0"]}, ("win", 1700, 100, 0, 0, None)),
    ("quick", "2", {"bet": "street", "numbers": ["0", "1", "2"]}, ("win", 1100, 100, 0, 0, None)),
    (
        "french",
        "35",
        {"bet": "Carré", "numbers": ["32", "33", "35", "36"]},
        ("win", 800, 100, 0, 0, None),
    ),
    ("american00", "00", {"bet": "top_line"}, ("win", 600, 100, 0, 0, None)),
    ("french", "36", {"bet": "colonne", "index": 3}, ("win", 200, 100, 0, 0, None)),
    ("french", "0", {"bet": "dozen", "index": 1}, ("lose", 0, 0, 0, 100, None)),
    ("french", "32", {"bet": "red"}, ("win", 100, 100, 0, 0, None)),
    ("french", "33", {"bet": "red"}, ("lose", 0, 0, 0, 100, None)),
    ("french", "0", {"bet": "low"}, ("half", 0, 50, 0, 50, None)),
    ("french", "0", {"bet": "pair", "choice": "prison"}, ("prison", 0, 0, 100, 0, "prison1")),
    ("french", "0", {"bet": "red", "state": "prison1"}, ("half", 0, 25, 0, 75, None)),
    (
        "french",
        "0",
        {"bet": "red", "state": "prison1", "choice": "prison"},
        ("prison", 0, 0, 50, 50, "prison2"),
    ),
    ("french", "0", {"bet": "red", "state": "prison2"}, ("lose", 0, 0, 0, 100, None)),
    ("french", "1", {"bet": "red", "state": "prison2"}, ("push", 0, 100, 0, 0, None)),
    ("american", "0", {"bet": "red", "choice": "prison"}, ("half", 0, 50, 0, 50, None)),
    ("american00", "00", {"bet": "red"}, ("lose", 0, 0, 0, 100, None)),
    ("quick", "0", {"bet": "red"}, ("lose", 0, 0, 0, 100, None)),
]


@pytest.mark.parametrize(("variant", "pocket", "bet", "wanted"), ROULETTE)
def test_roulette(variant, pocket, bet, wanted):
    """Rulebook 3.2 to 3.4."""
    [result] = came_to("roulette", "hc2023", {"pocket": pocket}, bet, variant=variant)
    assert result == wanted


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
    with pytest.raises(Impossible):
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
    """The stake stays for the next throw or turn."""
    assert came_to(game, rules, {"void": "?"}, bet) == [Amounts("stand", 0, 0, 100, 0, None)]


def test_what_is_not_judged_is_said():
    """A game the shadow does not know, and an edition that has no such game."""
    with pytest.raises(Unjudged):
        came_to("tiddlywinks", "oostende2011", {})
    with pytest.raises(Impossible):
        came_to("barbut", "hc2011", {"dice": [1, 1]}, {"bet": "A"})


# Variant, punto, banco, bet, net winnings in stakes.
PUNTO_BANCO = [
    ("straight", "9S KD", "8H TC", {"bet": "punto"}, 1),
    ("straight", "2S KD 3C", "5H KC 2C", {"bet": "banco"}, None),
    ("straight", "2S KD 3C", "3H KC 2C", {"bet": "banco"}, 0),
    ("straight", "2S KD 2C", "3H KC 2C", {"bet": "banco"}, Fraction(1, 2)),
    ("straight", "2S KD 8C", "3H KC", {"bet": "banco"}, 1),
    ("straight", "6S KD", "5H KC 2C", {"bet": "banco"}, 1),
    ("straight", "6S KD", "2H KC 4C", {"bet": "egalite"}, 8),
    ("straight", "6S KD", "2H KC 4C", {"bet": "super_egalite", "on": [6]}, 45),
    ("straight", "6S KD", "2H KC 4C", {"bet": "super_egalite", "on": [7]}, -1),
    ("straight", "KS QD 8H", "7H KC", {"bet": "punto_pair"}, -1),
    ("straight", "KS KD 8H", "7H KC", {"bet": "punto_pair"}, 11),
    ("commission", "6S KD", "7H KC", {"bet": "banco"}, Fraction(19, 20)),
]


@pytest.mark.parametrize(("variant", "punto", "banco", "bet", "wanted"), PUNTO_BANCO)
def test_punto_banco(variant, punto, banco, bet, wanted):
    """Rulebook 9.9; None: the drawing rules deal otherwise."""
    rules = "hc2011" if variant == "commission" else "hc2023"
    round_ = ("punto_banco", rules, {"punto": punto, "banco": banco}, bet)
    if wanted is None:
        with pytest.raises(Impossible):
            net(*round_, variant=variant)
    else:
        assert net(*round_, variant=variant) == wanted


def test_a_fault_leaves_what_was_decided():
    """A pair is seen at once, and none has 5 beside a natural; nine to nine is possible."""
    outcome = {"punto": "9S KD", "banco": "9H", "void": "jam"}
    bets = [{"bet": name} for name in ("punto", "banco", "egalite", "punto_pair", "banco_pair")]
    bets.append({"bet": "super_egalite", "on": [5]})
    results = came_to("punto_banco", "hc2023", outcome, *bets)
    assert [line.outcome for line in results] == ["void", "void", "void", "lose", "void", "lose"]
    outcome = {"player": "9S KD", "banker": "2H 3H", "void": "power"}
    [results] = came_to("baccarat", "de-live", outcome, {"bet": "player"})
    assert results == ("void", 0, 100, 0, 0, None)


ONE_CARD_GAMES = [
    ("high_low", {"communal": "AS", "bank": "KS"}, {"bet": "high"}, ("win", 100, 100, 0, 0, None)),
    (
        "high_low",
        {"communal": "2S", "bank": "2D"},
        {"bet": "low"},
        ("prison", 0, 0, 100, 0, "locked"),
    ),
    (
        "high_low",
        {"communal": "2S", "bank": "2D"},
        {"bet": "egalite"},
        ("win", 1000, 0, 100, 0, "locked"),
    ),
    (
        "high_low",
        {"communal": "2S", "bank": "3D"},
        {"bet": "low", "state": "locked"},
        ("push", 0, 100, 0, 0, None),
    ),
    ("red_dog", {"cards": "5S 5D 5C"}, {"bet": "bet"}, ("win", 1100, 100, 0, 0, None)),
    ("red_dog", {"cards": "5S 5D 6C"}, {"bet": "bet"}, ("push", 0, 100, 0, 0, None)),
    ("red_dog", {"cards": "AS KD"}, {"bet": "bet"}, ("push", 0, 100, 0, 0, None)),
    ("red_dog", {"cards": "7S 5D 6C"}, {"bet": "bet"}, ("win", 500, 100, 0, 0, None)),
    ("red_dog", {"cards": "2S AD 2C"}, {"bet": "extra"}, ("lose", 0, 0, 0, 100, None)),
    ("casino_war", {"player": "AS", "bank": "KD"}, {"bet": "bet"}, ("win", 100, 100, 0, 0, None)),
    ("casino_war", {"player": "9S", "bank": "9D"}, {"bet": "bet"}, ("half", 0, 50, 0, 50, None)),
    (
        "casino_war",
        {"player": "9S", "bank": "9D"},
        {"bet": "tie", "choice": "war"},
        ("win", 1000, 0, 100, 0, "war"),
    ),
    ("casino_war", {"player": "9S", "bank": "9D"}, {"bet": "war"}, ("win", 100, 100, 0, 0, None)),
    (
        "casino_war",
        {"player": "TS", "bank": "9D"},
        {"bet": "tie", "state": "war"},
        ("lose", 0, 0, 0, 100, None),
    ),
]


@pytest.mark.parametrize(("game", "outcome", "bet", "wanted"), ONE_CARD_GAMES)
def test_games_of_single_cards(game, outcome, bet, wanted):
    """Rulebook 9.7, 9.8 and 9.10."""
    rules = "hc2023" if game == "casino_war" else "hc2011"
    assert came_to(game, rules, outcome, bet) == [wanted]


def test_poker_hands_from_low_to_high():
    """Each hand beats the one before it, or equals it after a =."""
    for ranking, size, text in (
        (
            FIVE,
            5,
            "7S 5H 4S 3S 2S<AS KH QS JS 9S<2S 2H 3S 4S 5S<AS AH 3S 4S 5S<2S 2H 3S 3H AS"
            "<4S 4H 2S 2H 3S<4D 4C 2S 2H AS<2S 2H 2D 3S 4S<5S 4S 3S 2S AH<6S 5S 4S 3S 2H"
            "<7S 5S 4S 3S 2S<2S 2H 2D 3S 3H<2S 2H 2D 2C 3S<AS 2S 3S 4S 5S<KS QS JS TS 9S"
            "<AS KS QS JS TS",
        ),
        (FIVE, 5, "KS KH 2D 3C 4S AS AD<9S 8H 7D 6C 5S 5H 5D<2S 4S 6S 8S TS AH AD"),
        (
            FOUR,
            4,
            "AS KS QS TH<2S 2H 3S 4S<2S 2H 3S 3H<AS 2S 3S 4H<AS KS QS JH<6S 4S 3S 2S"
            "<2S 2H 2D 3S<AS 2S 3S 4S<2S 2H 2D 2C",
        ),
        (THREE, 3, "AS KS JH<2S 2H 3S<AS AH KS<5S 3S 2S<AS 2S 3H<AS KS QH<2S 2H 2D<AS 2S 3S"),
    ):
        ranks = [best(hand(cards), ranking, size) for cards in text.split("<")]
        assert ranks == sorted(set(ranks))
    same = (best(hand(text), FIVE, 5) for text in ("AS KH 9D 5C 3S", "AD KC 9H 5S 3D"))
    assert len({*same}) == 1


def test_every_hand_of_three_cards():
    """Rulebook 9.1: 48 straight flushes, 52 threes, 720 straights, 1096 flushes, 3744 pairs."""
    deck = hand(" ".join(rank + suit for rank in "23456789TJQKA" for suit in "SHDC"))
    counts = Counter(THREE[best(cards, THREE, 3)[0]] for cards in combinations(deck, 3))
    assert [counts[name] for name in reversed(THREE)] == [48, 52, 720, 1096, 3744, 16440]


# Game, player, board, bank; net in cents of bets of 100: ante, second stake, blind or side bet.
POKER = [
    ("caribbean", "AS AH 3D 4C 5S", "", "AD QC JS 9H 2C", {"ante": 100, "bet": 0}),
    ("caribbean", "2S 2H 3D 4C 5S", "", "AD KC 5H 4H 2C", {"ante": 100, "bet": 200}),
    ("caribbean", "7S 8S 9S TS JS", "", "AD KC 5H 4H 2C", {"ante": 100, "bet": 10000}),
    ("caribbean", "7S 8S 9S TH 2S", "", "AD KC 5H 4H 2C", {"ante": -100, "bet": -200}),
    ("caribbean", "AS KS 5D 4C 2S", "", "AD KC 5H 4H 2C", {"ante": 0, "bet": 0}),
    ("three_card", "2S 3S 4S", "", "QD 3C 4D", {"ante": 600, "bet": 100, "pair_plus": 3500}),
    ("three_card", "2S 3S 4S", "", "JD 3C 4D", {"ante": 100, "bet": 0, "pair_plus": 3500}),
    ("three_card", "2S 3H 5S", "", "JD 9C 4D", {"ante": 100, "bet": 0, "pair_plus": -100}),
    (
        "four_card",
        "AS AH 3D 4C 6S",
        "",
        "AD AC 3S 4S 6H 8C",
        {"ante": -100, "bet": -100, "aces_up": 100},
    ),
    (
        "four_card",
        "KS KH KD 4C 6S",
        "",
        "AD AC 3S 3H 6H 8C",
        {"ante": 300, "bet": 100, "aces_up": 800},
    ),
    (
        "four_card",
        "KS KH KD 4C 6S",
        "",
        "AD AC AS 3H 6H 8C",
        {"ante": -100, "bet": -100, "aces_up": 800},
    ),
    (
        "ultimate",
        "2S 3S",
        "4S 5S 7S KD KH",
        "AD AC",
        {"ante": 100, "blind": 150, "bet": 100, "trips": 700},
    ),
    (
        "ultimate",
        "2S 3H",
        "4S 6S 7C 9D JH",
        "AD QC",
        {"ante": 0, "blind": -100, "bet": -100, "trips": -100},
    ),
    (
        "ultimate",
        "AS 3H",
        "4S 6S 7C 9D JH",
        "KD QC",
        {"ante": 0, "blind": 0, "bet": 100, "trips": -100},
    ),
    (
        "casino_holdem",
        "AS 3H",
        "AD 6S 7C 2D JH",
        "KD QC",
        {"ante": 100, "bet": 0, "aa_bonus": 700},
    ),
    (
        "casino_holdem",
        "KS 3H",
        "KD 6S 7C 2D JH",
        "QD QC",
        {"ante": 100, "bet": 200, "aa_bonus": -100},
    ),
    (
        "casino_holdem",
        "TS 8S",
        "7S 6S 9S 2D JH",
        "QD QC",
        {"ante": 2000, "bet": 200, "aa_bonus": 5000},
    ),
]


@pytest.mark.parametrize(("game", "player", "board", "bank", "wanted"), POKER)
def test_poker_against_the_bank(game, player, board, bank, wanted):
    """Rulebook 9.2 to 9.6; the second stake is the least the game has."""
    rules = "hc2011" if game == "casino_holdem" else "hc2023"
    second = 200 if game in ("caribbean", "casino_holdem") else 100
    bets = [{"bet": name, **({"stake": second} if name == "bet" else {})} for name in wanted]
    outcome = {"player": player, "board": board or None, "bank": bank}
    results = came_to(game, rules, outcome, *bets)
    assert [line.win - line.lost for line in results] == [*wanted.values()]


def test_who_folds_loses_what_goes_with_the_ante():
    """Ante, blind and trips; the AA bonus was settled before."""
    outcome = {"player": "AS AH", "board": "AD 6S 7C 2D JH", "bank": "KD QC"}
    bets = [{"bet": name, "choice": "fold"} for name in ("ante", "blind", "trips")]
    results = came_to("ultimate", "hc2023", outcome, *bets)
    assert [line.outcome for line in results] == ["lose"] * 3
    bets = [{"bet": "ante", "choice": "fold"}, {"bet": "aa_bonus"}]
    results = came_to("casino_holdem", "hc2011", outcome, *bets)
    assert [line.outcome for line in results] == ["lose", "win"]


def test_a_card_is_in_one_deck_once():
    """Four aces of hearts are no four of a kind."""
    outcome = {"player": "AH AH AH AH KD", "bank": "2S 3S 4S 5S 7D"}
    with pytest.raises(Impossible):
        came_to("caribbean", "hc2023", outcome, {"bet": "ante"}, {"bet": "bet", "stake": 200})


# Rules, variant, options, player, bank, bet; net in cents of 100.
BLACK_JACK = [
    ("hc2023", None, {}, "AS KD", "9H 8S", {"bet": "bet"}, 150),
    ("hc2011", "6:5", {}, "AS KD", "9H 8S", {"bet": "bet"}, 120),
    ("hc2011", "1:1", {}, "AS KD", "9H 8S", {"bet": "bet"}, 100),
    ("hc2023", None, {}, "AS KD", "AH KS", {"bet": "bet"}, 0),
    ("hc2023", "casino21", {}, "AS KD", "AH KS", {"bet": "bet"}, -100),
    ("hc2023", "casino21", {"natural_push": True}, "AS KD", "AH KS", {"bet": "bet"}, 0),
    ("hc2023", None, {}, "7S 7D 7C", "AH KS", {"bet": "bet"}, 0),
    ("hc2023", None, {}, "7S 7D 7C", "9H KS", {"bet": "bet"}, 200),
    ("hc2023", None, {"terminal": True}, "7S 7D 7C", "9H KS", {"bet": "bet"}, 100),
    ("de-live", None, {}, "7S 7D 7C", "9H KS", {"bet": "bet"}, 100),
    ("hc2023", None, {}, "9S KD", "AH 2S 6S", {"bet": "bet"}, 0),
    ("hc2023", None, {"bank_wins_ties": True}, "9S KD", "AH 2S 6S", {"bet": "bet"}, -100),
    ("hc2023", "casino21", {}, "9S KD", "9H KS", {"bet": "bet"}, -100),
    ("hc2023", "casino21", {"five_cards": True}, "2S 3S 2D 3D 2C", "9H KS", {"bet": "bet"}, 0),
    ("hc2023", None, {}, "9S KD 5C", "9H", {"bet": "bet"}, -100),
    ("hc2023", None, {}, "AS KD", "9H", {"bet": "bet"}, 150),
    ("hc2023", None, {}, "TS 6D", "6H KS TS", {"bet": "bet"}, 100),
    ("hc2023", None, {}, ["AS KD", "AD 9C"], "9H KS", {"bet": "bet"}, 100),
    ("hc2023", None, {}, ["AS KD", "AD 9C"], "9H TS", {"bet": "split"}, 100),
    ("hc2023", None, {}, ["8S KD", "8D 9C"], "9H TS", {"bet": "bet"}, -100),
    ("hc2023", None, {}, "KS 9D", "AH KS", {"bet": "insurance"}, 200),
    ("hc2023", None, {}, "KS 9D", "AH 9S", {"bet": "insurance"}, -100),
    ("hc2023", None, {}, "KS KS", "9H 9S", {"bet": "pair_pursuit"}, 2500),
    ("hc2023", None, {}, "KS KC", "9H 9S", {"bet": "pair_pursuit"}, 1200),
    ("hc2023", None, {}, ["KS 2H", "KH 9S"], "9H 9S", {"bet": "pair_pursuit"}, 600),
    ("hc2023", None, {}, "KS QS", "9H 9S", {"bet": "pair_pursuit"}, -100),
    ("hc2023", None, {}, "AS 2S", "3S 9S 9D", {"bet": "21+3"}, 3000),
    ("hc2023", None, {}, "9S 9S", "9S 9S", {"bet": "21+3"}, 2000),
    ("hc2023", None, {}, "AS KS", "QD 9S", {"bet": "21+3"}, 1000),
    ("hc2023", None, {}, "KS KS", "5S TS 9S", {"bet": "21+3"}, 500),
    ("hc2023", None, {}, "KS AS", "2S 9S 9D", {"bet": "21+3"}, 500),
    ("hc2011", None, {}, "KS AS", "2S 9S 9D", {"bet": "bj_plus"}, 10000),
    ("hc2011", None, {}, "KH AH", "2S 9S 9D", {"bet": "bj_plus"}, 1000),
    ("hc2011", None, {}, "KH AD", "2S 9S 9D", {"bet": "bj_plus"}, 500),
    ("hc2011", None, {"color_jack_by_color": True}, "KH AD", "9S 9D", {"bet": "bj_plus"}, 1000),
    ("hc2011", None, {}, "KH 9D", "6S TD TC", {"bet": "bj_plus"}, 0),
    ("hc2011", "switch", {}, ["AS KD", "9D 9C"], "6H TS 6D", {"bet": "bet", "on": [1]}, 100),
    ("hc2011", "switch", {}, ["AS KD", "9D 9C"], "6H TS 6D", {"bet": "bet", "on": [2]}, 0),
    ("hc2011", "switch", {}, ["AS KD", "AD KC"], "6H TS 6D", {"bet": "super_match"}, 800),
    (
        "hc2011",
        "switch",
        {},
        [["8S 2D", "8D KC"], "9S KD"],
        "7H TS",
        {"bet": "bet", "on": [1]},
        -100,
    ),
    (
        "hc2011",
        "switch",
        {},
        [["8S 2D", "8D KC"], "9S KD"],
        "7H TS",
        {"bet": "bet", "on": [2]},
        100,
    ),
    (
        "hc2011",
        "switch",
        {},
        ["9S 3D", ["AS 2D", "AD KC"]],
        "7H TS",
        {"bet": "split", "on": [3]},
        100,
    ),
    ("hc2011", "switch", {}, ["9S KD", ["8S 2D", "8D KC"]], "7H TS", {"bet": "super_match"}, 100),
]


@pytest.mark.parametrize(
    ("rules", "variant", "table", "player", "bank", "bet", "wanted"), BLACK_JACK
)
def test_black_jack(rules, variant, table, player, bank, bet, wanted):
    """Rulebook 9.11."""
    outcome = {"player": player, "bank": bank}
    [result] = came_to("blackjack", rules, outcome, bet, variant=variant, table=table)
    assert result.win - result.lost == wanted


def test_a_doubled_nine_keeps_its_ace_at_one():
    """READING-33: A-8 doubled with a 2 is 11, with an ace 20; A-9 doubled with an ace is 21."""
    for player, net_cents in (("AS 8D 2C", -100), ("AS 8D AC", 100), ("AS 9D AC", 100)):
        bets = {"bet": "bet"}, {"bet": "double"}
        outcome = {"player": player, "bank": "9H TS"}
        results = came_to("blackjack", "hc2023", outcome, *bets)
        assert [line.win - line.lost for line in results] == [net_cents] * 2


def test_a_fault_at_black_jack():
    """Bust is lost, a Black Jack against a 9 won; who may still draw, or the bank, is void."""
    for player, bank, outcomes in (
        ("9S KD 5C", "9H", ["lose", "lose"]),
        ("AS KD", "9H", ["win", "lose"]),
        ("AS KD", "TH", ["void", "lose"]),
        ("9S KD", "9H 2S", ["void", "lose"]),
        ("9S KD", "9H TS", ["push", "lose"]),
        ("9S", "9H", ["void", "void"]),
    ):
        outcome = {"player": player, "bank": bank, "void": "jam"}
        results = came_to("blackjack", "hc2023", outcome, {"bet": "bet"}, {"bet": "pair_pursuit"})
        assert [line.outcome for line in results] == outcomes


def test_what_hangs_on_missing_cards_is_not_paid():
    """A bank that has not drawn to the end decides nothing; one that drew too far neither."""
    for bank in ("9H 2S", "9H TS 2C"):
        with pytest.raises(Impossible):
            came_to("blackjack", "hc2023", {"player": "9S KD", "bank": bank}, {"bet": "bet"})


def test_keno():
    """By numbers marked and hit; several games play on; hc2011 pays EUR 25,000 at most."""
    table = {"pays": {"3": {"2": [5, 2], "3": 5000}}}
    outcome = {"drawn": list(range(1, 21))}
    for on, more, wanted in (
        ([1, 2, 30], {}, ("win", 250, 0, 0, 100, None)),
        ([1, 29, 30], {}, ("lose", 0, 0, 0, 100, None)),
        ([1, 2, 30], {"games": 4}, ("win", Fraction(125, 2), 0, 75, 25, "games3")),
        ([1, 29, 30], {"games": 4, "state": "games2"}, ("prison", 0, 0, 50, 50, "games1")),
        ([1, 29, 30], {"games": 4, "state": "games1"}, ("lose", 0, 0, 0, 100, None)),
        ([1, 2, 3], {"stake": 1000}, ("win", 2_500_000, 0, 0, 1000, None)),
    ):
        bet = {"bet": "numbers", "on": on, **more}
        assert came_to("keno", "hc2011", outcome, bet, table=table) == [wanted]
    bets = [{"bet": "numbers", "on": [1]}, {"bet": "numbers", "on": [1], "state": "games2"}]
    results = came_to("keno", "hc2011", {"void": "ball_lost"}, *bets, table=table)
    assert [line.outcome for line in results] == ["void", "stand"]


def test_bingo():
    """A row ends the round; players share, a player's cards share his part; rounds do not mix."""
    first = [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12], [13, 14, 15, 16]]
    other = [[17, 18, 19, 20], *first[1:]]
    cards = [
        {"bet": "card", "player": who, "on": on, "round": round_}
        for who, on, round_ in (
            ("p", first, "red"),
            ("p", first, "red"),
            ("q", first, "red"),
            ("q", other, "red"),
            ("r", first, "blue"),
        )
    ]
    more = {"variant": "80", "table": {"pattern": "row", "prize": 1002}, "round": "red"}
    outcome = {"drawn": [4, 3, 17, 1, 2]}
    results = came_to("bingo", "hc2023", outcome, *cards, **more)
    assert [line.win for line in results] == [251, 250, 501, 0, 0]
    with pytest.raises(Impossible):
        came_to("bingo", "hc2023", {"drawn": [4, 3, 1, 2, 5]}, *cards, **more)
    with pytest.raises(Impossible):
        came_to("bingo", "hc2023", {"drawn": [4, 3, 1]}, *cards, **more)


def test_cards_dealt_wrongly():
    """gr2003 10: stakes returned; de-live if the table has the option; elsewhere undefined."""
    five, six = "AH KD 9C 5S 2D", "AH KD 9C 5S 2D 7C"
    bets = [{"bet": "ante"}, {"bet": "bet", "stake": 200}]
    outcome = {"player": six, "bank": "QS JD 8H 4C 3D", "misdeal": "six cards"}
    results = came_to("caribbean", "gr2003", outcome, *bets)
    assert [line.outcome for line in results] == ["void", "void"]
    with pytest.raises(Impossible):
        came_to("caribbean", "gr2003", {**outcome, "player": five}, *bets)
    with pytest.raises(Unjudged):
        came_to("caribbean", "hc2023", outcome, *bets)
    cards = {"player": "9S KD", "banker": "8H TC 2S", "misdeal": "a third card"}
    more = {"table": {"misdeal_voids": True}}
    [results] = came_to("baccarat", "de-live", cards, {"bet": "player"}, **more)
    assert results == ("void", 0, 100, 0, 0, None)
    with pytest.raises(Unjudged):
        came_to("baccarat", "de-live", cards, {"bet": "player"})


def test_the_count_of_the_cards_that_remain():
    """52 less 10 here and 15 of others is 27; another count gives all back by option."""
    outcome = {"player": "2S 2H 3D 4C 5S", "bank": "AD KC 5H 4H 2C", "others": 15}
    bets = [{"bet": "ante"}, {"bet": "bet", "stake": 200}]
    results = came_to("caribbean", "gr2003", {**outcome, "remaining": 27}, *bets)
    assert [line.win for line in results] == [100, 200]
    wrong = {**outcome, "remaining": 28}
    results = came_to("caribbean", "gr2003", wrong, *bets, table={"count_voids": True})
    assert [line.outcome for line in results] == ["void", "void"]
    with pytest.raises(Impossible):
        came_to("caribbean", "gr2003", wrong, *bets)


@pytest.mark.parametrize(
    ("game", "rules", "outcome", "bet", "decks"),
    [
        ("punto_banco", "hc2023", {"punto": "KD QS 8S", "banco": "JC 3D"}, "punto", 2),
        ("high_low", "hc2011", {"communal": "KD", "bank": "QD"}, "high", 2),
        ("red_dog", "hc2011", {"cards": "KD KS KC"}, "bet", 2),
        ("casino_war", "hc2023", {"player": "KD", "bank": "QD"}, "bet", 2),
        ("blackjack", "hc2023", {"player": "KD KS", "bank": "KC 9S"}, "bet", 2),
        ("caribbean", "hc2023", {"player": "KD KS 5C 3S 2D", "bank": "QS JD 8H 4C 3D"}, "ante", 1),
    ],
)
def test_burned_cards_and_decks(game, rules, outcome, bet, decks):
    """KD was burned as often as leaves one in the decks, then once more: that is impossible."""
    bets, table = [{"bet": bet, "choice": "fold"}], {"table": {"decks": decks}}
    burned = ["KD"] * (decks - 1)
    assert came_to(game, rules, {**outcome, "burned": " ".join(burned)}, *bets, **table)
    with pytest.raises(Impossible, match=r" in \d decks"):
        came_to(game, rules, {**outcome, "burned": " ".join([*burned, "KD"])}, *bets, **table)


JACKPOT_BETS = [{"id": n, "player": n, "bet": "jackpot", "stake": 100} for n in "12"]


@pytest.mark.parametrize(
    ("rules", "variant", "hands", "table", "meters", "wins", "after"),
    [
        # A royal flush of diamonds: the mega with 20 cents of two bets; three nines 5:1.
        (
            "hc2023",
            "caribbean",
            ["AD KD QD JD TD", "9S 9H 9D AC KS"],
            {"contribution": {"mega": [1, 10]}},
            {"mega": 2_612_280},
            [2_612_300, 500],
            {"mega": 2_500_000, "major": 250_000, "minor": 50_000},
        ),
        # Two royal flushes share what is there: EUR 60.00 more than the start, 30.00 each.
        (
            "gr2003",
            "caribbean",
            ["AD KD QD JD TD", "AS KS QS JS TS"],
            {"rake": 20, "consolation": {}},
            {"jackpot": 5840},
            [3000, 3000],
            {"jackpot": 0},
        ),
        # Each in full, and what a flush is paid comes off the new start.
        (
            "hc2011",
            "caribbean",
            ["AD KD QD JD TD", "2H 9H JH KH AH"],
            {"start": {"jackpot": 100_000}},
            {"jackpot": 900_000},
            [900_000, 5000],
            {"jackpot": 95_000},
        ),
        # Three sevens of hearts: 150 times for two of them, and Jackpot 1 up to a euro.
        (
            "hc2011",
            "blackjack",
            ["7H 7H 7H", "7S 7D 2C"],
            {},
            {"jackpot1": 40_010},
            [15_000 + 40_100, 3000],
            {"jackpot1": -18_000, "jackpot2": 0, "jackpot3": 0},
        ),
    ],
)
def test_jackpots(rules, variant, hands, table, meters, wins, after):
    """Rulebook 10."""
    play = {
        "game": "jackpot",
        "rules": rules,
        "variant": variant,
        "bets": JACKPOT_BETS,
        "outcome": {"hands": dict(zip("12", hands, strict=True))},
        "table": table,
        "meters": meters,
    }
    assert [verdict.win for verdict in judge(play)] == wins
    assert jackpots.settle(play_of(play))[1] == after


def test_a_hand_of_the_poker_room():
    """Pots 15,700 to C and 30,000 to A, raked 785 and 1,500; B has 30,000 and put in 20,000."""
    play = {
        "game": "poker_room",
        "rules": "oostende2011",
        "variant": "holdem",
        "bets": [
            {"id": player, "player": player, "bet": "hand", "stake": cents}
            for player, cents in zip("ABCD", (20_000, 30_000, 5000, 10_000), strict=True)
        ],
        "outcome": {
            "order": ["A", "B", "C", "D"],
            "folded": ["D"],
            "put_in": {"A": 20_000, "B": 20_000, "C": 5000, "D": 700},
            "board": "2C 7S TD JC 4H",
            "hands": {"A": "KH KD", "B": "9H 9D", "C": "AH AD"},
        },
        "table": {"rake": [1, 20], "chip": 100},
    }
    assert [verdict._replace(paragraphs=()) for verdict in judge(play)] == [
        Verdict("win", 8500, back=20_000),
        Verdict("half", back=10_000, lost=20_000),
        Verdict("win", 9915, back=5000),
        Verdict("half", back=9300, lost=700),
    ]
