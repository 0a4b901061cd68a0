"""Black Jack: each paragraph of 3:2 and de-live BJ 2, its decisions, and its side bets' edges."""

import random
import re
from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement
from math import comb, prod

import pytest

from host_tools.tests import card_rounds
from tabletools import shadow
from tabletools.rules.violation import RuleViolation
from tabletools.settle.json_lines import settle_record

STAKE = 100
DECK = [rank + suit for rank in "23456789TJQKA" for suit in "CDHS"]
BET, SPLIT, DOUBLE = {"bet": "bet"}, {"bet": "split"}, {"bet": "double"}
INSURANCE = {"bet": "insurance", "stake": STAKE // 2}


def lines(player, bank, *bets, rules="hc2023", **more):
    outcome = {"player": player, "bank": bank, **more.pop("outcome", {})}
    record = {
        "rules": rules,
        "game": "blackjack",
        "bets": [
            {"id": str(i), "player": "p", "stake": STAKE, **bet}
            for i, bet in enumerate(bets or [BET])
        ],
        "outcome": outcome,
        **more,
    }
    settled = settle_record(record)
    assert all(line.stake == line.back + line.live + line.lost for line in settled)
    return settled


def nets(*args, **more):
    """The player's final balance above the stakes, by bet."""
    return [line.win - line.lost for line in lines(*args, **more)]


def refusal(*args, **more):
    with pytest.raises(RuleViolation) as error:
        lines(*args, **more)
    return error.value.code.name


# player, bank, net of a stake of 100 (rulebook 9.11, the table's rows in order)
PLAIN = [
    ("AH KD", "9C 8D", 150),
    ("AH KD", "AC KS", 0),
    ("AH KD", "9C", 150),
    ("AH KD", "7C 7D 7S", 150),
    ("9H KD", "9C 8D", 100),
    ("8H KD", "9C 9D", 0),
    ("7H KD", "9C 9D", -100),
    ("5H 6D KD", "AC KS", -100),
    ("5H 6D KD", "5C 6S TS", 0),
    ("KH 6D KD", "9C", -100),
    ("KH 2D", "6C KD 6S", 100),
    ("KH 8D", "AC 6D", 100),
    ("KH 7D", "AC 2D 4H", 0),
    ("KH 6D", "AC 5D KH 2C", -100),
    ("7H 7D 7S", "KC 8D", 200),
    ("7H 7D 7S", "5C 6D TS", 100),
    ("7H 7D 7S", "AC KD", 0),
    ("7H 7D KS", "KC", -100),
]


@pytest.mark.parametrize("rules", ["hc2011", "hc2023"])
@pytest.mark.parametrize(("player", "bank", "net"), PLAIN)
def test_3_2_a_hand_against_the_bank(rules, player, bank, net):
    """3:2 and 1:1, the bank at 17 and soft 17, equal points, three sevens on top."""
    assert nets(player, bank, rules=rules) == [net]


@pytest.mark.parametrize(("player", "bank", "net"), PLAIN)
def test_de_live_differs_by_the_sevens_only(player, bank, net):
    """BJ 2.2 and 2.3; no bonus is printed."""
    assert nets(player, bank, rules="de-live") == [net - 100 * player.startswith("7H 7D 7S")]


VARIANTS = [
    ("6:5", "AH KD", "9C 8D", 120),
    ("1:1", "AH KD", "9C 8D", 100),
    ("casino21", "AH KD", "9C 8D", 150),
    ("casino21", "AH KD", "AC KS", -100),
    ("casino21", "8H KD", "9C 9D", -100),
    ("casino21", "5H 6D KD", "5C 6S TS", -100),
    ("casino21", "5H 5D AC 9H", "KC 8D", 100),
]


@pytest.mark.parametrize(("variant", "player", "bank", "net"), VARIANTS)
def test_3_2_19_to_21_variants(variant, player, bank, net):
    """Casino21, 1:1 and 6:5; a soft 21 draws at Casino21 alone."""
    assert nets(player, bank, rules="hc2011", variant=variant) == [net]


OPTIONS = [
    ({"bank_wins_ties": True}, None, "8H KD", "9C 9D", -100),
    ({"bank_wins_ties": True}, None, "5H 6D KD", "5C 6S TS", 0),
    ({"bank_wins_ties": True}, None, "AH KD", "AC KD", 0),
    ({"natural_push": True}, "casino21", "AH KD", "AC KS", 0),
    ({"natural_push": True}, "casino21", "5H 6D KD", "5C 6S TS", -100),
    ({"five_cards": True}, "casino21", "2H 3D 2C 4S 5S", "KC 8D", 0),
    ({"five_cards": True}, "casino21", "2H 3D 2C 4S 9S", "KC 8D", 200),
    ({"five_cards": True}, "casino21", "2H 3D 2C 4S 5S KH", "KC", 0),
    ({"terminal": True}, None, "7H 7D 7S", "KC 8D", 100),
]


@pytest.mark.parametrize(("table", "variant", "player", "bank", "net"), OPTIONS)
def test_options_of_a_table(table, variant, player, bank, net):
    """What 3:2 lets the house decide."""
    assert nets(player, bank, variant=variant, table=table) == [net]


def test_3_2_5_insurance():
    """Half the stake, 2:1 against a Black Jack, at an ace only, lost otherwise."""
    assert nets("KH 9D", "AC KS", BET, INSURANCE) == [-100, 100]
    assert nets("AH KD", "AC KS", BET, INSURANCE) == [0, 100]
    assert nets("KH 9D", "AC 7S", BET, INSURANCE) == [100, -50]
    assert nets("KH 6D KD", "AC KS", BET, INSURANCE) == [-100, 100]
    assert refusal("KH 6D KD", "AC", BET, INSURANCE) == "deal_incomplete"
    assert refusal("KH 9D", "KC AS", BET, INSURANCE) == "bet_not_in_round"
    for stake in (49, 51, 100):
        wrong = {**INSURANCE, "stake": stake}
        assert refusal("KH 9D", "AC KS", BET, wrong) == "bet_not_in_round"
    assert refusal("KH 9D", "AC KS", BET, INSURANCE, variant="casino21") == "unknown_bet"


def test_edge_of_insurance():
    """6 decks: 96 tens of 311 cards behind the ace, 23/311."""
    bank_gain = 0
    for rank in "23456789TJQKA":
        [_, line] = lines("KH 9D", f"AC {rank}S", BET, INSURANCE, outcome={"void": "x"})
        ways = 23 if rank == "A" else 24
        bank_gain += ways * (line.lost - line.win)
    assert Fraction(bank_gain, 50 * 311) == Fraction(23, 311)


DOUBLES = [
    ("5H 6C TD", "KD 7S", 100),
    ("5H 6C 2D", "KD 7S", -100),
    ("4H 5C 8D", "KD 7S", 0),
    ("AH 8C 2D", "KD 7S", -100),
    ("AH 8C AD", "KD 7S", 100),
    ("AH 9C AD", "KD 7S", 100),
    ("AH 9C 7D", "KD 7S", 0),
]


@pytest.mark.parametrize(("player", "bank", "each"), DOUBLES)
def test_3_2_7_doubling(player, bank, each):
    """On 9, 10 or 11 and one card; the ace of A-8 stays 1, a second ace is free (READING-33)."""
    assert nets(player, bank, BET, DOUBLE) == [each, each]


def test_de_live_2_6_doubling():
    """Any two cards, up to the stake, A-8 free."""
    assert nets("AH 8C 2D", "KD 7S", BET, DOUBLE, rules="de-live") == [100, 100]
    half = {**DOUBLE, "stake": 50}
    assert nets("KH 2C 5D", "KD 8S", BET, half, rules="de-live") == [-100, -50]


SPLITS = [
    (["8H TC", "8D 3S KC"], [BET, SPLIT, {**DOUBLE, "on": [2]}], "KD 8S", [0, 100, 100]),
    (["KH AC", "QD 9S"], [BET, SPLIT], "KD 8S", [100, 100]),
    (["AH KC", "AD 9S"], [BET, SPLIT], "5D 6S TS", [0, -100]),
    (["8H KC", "8D 9S", "8S 2C KD"], [BET, SPLIT, {**SPLIT, "on": [3]}], "KD 8S", [0, -100, 100]),
    (["7H 7D 7S", "7C KC"], [BET, SPLIT], "KD 8S", [100, -100]),
]


@pytest.mark.parametrize(("player", "bets", "bank", "wanted"), SPLITS)
def test_3_2_8_splitting(player, bets, bank, wanted):
    """Equal points, again and again; no Black Jack and no bonus behind a split."""
    assert nets(player, bank, *bets) == wanted


@pytest.mark.parametrize("rules", ["hc2011", "hc2023"])
def test_casino21_a_soft_21_behind_a_split_may_draw(rules):
    """It is no Black Jack (3:2(14), hc2011 3:2(19)); 21 of the first two cards is one."""
    more = {"rules": rules, "variant": "casino21"}
    assert nets(["TC AH 5D", "TD 9C"], "KD 8S", BET, SPLIT, **more) == [-100, 100]
    assert refusal("TC AH 5D", "KD 8S", BET, **more) == "deal_not_by_rule"
    assert refusal(["TC AH 5D", "TD 9C"], "KD 8S", BET, SPLIT, rules=rules) == "deal_not_by_rule"


@pytest.mark.parametrize(
    ("player", "bank", "bets", "where"),
    [
        ("AH KC 2D", "KD 7S", [BET], "outcome.player"),
        (["8H KC", "9D 9S"], "KD 7S", [BET, SPLIT], "outcome.player[0]"),
        ("8H KC", "KD 7S 2C", [BET], "outcome.bank"),
        ("8H KC", "KD 6S", [BET], "outcome.bank"),
        ("8H 1C", "KD 7S", [BET], "outcome.player"),
    ],
)
def test_an_error_names_the_place_of_the_cards(player, bank, bets, where):
    """From the round, as every place; also where a fault ended the round."""
    for outcome in ({}, {"void": "jam"}) if where != "outcome.bank" else ({},):
        with pytest.raises(RuleViolation) as error:
            lines(player, bank, *bets, outcome=outcome)
        assert error.value.where == where


def test_a_bet_of_nobody_is_not_of_a_player_called_null():
    """The player of the bet need not be given."""
    with pytest.raises(RuleViolation) as error:
        lines("8H 3C KC", "KD 7S", BET, {**DOUBLE, "stake": 50, "player": None})
    assert error.value.what.startswith("the player: ")


THREE = [BET, SPLIT, {**SPLIT, "on": [3]}]
REFUSED = [
    ("deal_not_by_rule", ["8H KC", "9D 9S"], [BET, SPLIT], {}),
    ("deal_not_by_rule", ["AH KC", "AD 9S 2C"], [BET, SPLIT], {}),
    ("deal_not_by_rule", ["8H KC", "8D 9S", "8S KD"], THREE, {"table": {"terminal": True}}),
    ("deal_not_by_rule", ["8H KC", "8D 9S", "8S KD"], THREE, {"rules": "de-live"}),
    (
        "deal_not_by_rule",
        ["8H KC", "8D 3S KD"],
        [BET, SPLIT, {**DOUBLE, "on": [2]}],
        {"rules": "de-live"},
    ),
    ("deal_not_by_rule", "5H 7C TD", [BET, DOUBLE], {}),
    ("deal_not_by_rule", "5H 6C 2D 3C", [BET, DOUBLE], {}),
    ("deal_incomplete", "5H 6C", [BET, DOUBLE], {}),
    ("deal_not_by_rule", "AH KC 2D", [BET], {}),
    ("deal_not_by_rule", "5H 6C KD 2D", [BET], {}),
    ("deal_not_by_rule", "KH 6C KD 2D", [BET], {}),
    ("deal_incomplete", "KH", [BET], {}),
    ("cards_invalid", "KH 1C", [BET], {}),
    ("bet_not_in_round", ["8H KC", "8D 9S"], [BET], {}),
    ("bet_not_in_round", ["8H KC", "8D 9S"], [BET, {**SPLIT, "stake": 50}], {}),
    ("bet_not_in_round", "8H KC", [BET, SPLIT], {}),
    ("bet_not_in_round", "8H KC", [SPLIT], {}),
    ("bet_not_in_round", "8H 3C KC", [BET, {**DOUBLE, "stake": 50}], {}),
    ("bet_not_in_round", "8H 3C KC", [BET, {**DOUBLE, "player": "q"}], {}),
    ("bet_not_in_round", "8H KC", [BET, {"bet": "21+3", "player": "q"}], {}),
    ("choice_unexpected", "8H KC", [{**BET, "choice": "surrender"}], {}),
    ("limits_invalid", "8H KC", [BET], {"table": {"natural_push": True}}),
    ("deal_not_by_rule", "8H KC", [BET], {"outcome": {"switched": True}}),
]


@pytest.mark.parametrize(("code", "player", "bets", "more"), REFUSED, ids=str)
def test_3_2_what_is_not_by_rule(code, player, bets, more):
    """A decision, a card or a stake no article allows."""
    assert refusal(player, "KD 7S", *bets, **more) == code


@pytest.mark.parametrize(
    ("bank", "code"),
    [
        ("KD 7S 2C", "deal_not_by_rule"),
        ("AD 6S 2C", "deal_not_by_rule"),
        ("KD 6S", "deal_incomplete"),
        ("AD 5S KC", "deal_incomplete"),
        ("KD", "deal_incomplete"),
    ],
)
def test_3_2_4_the_bank_draws_by_rule(bank, code):
    """It draws to 16 and stands from 17 on, soft or not."""
    assert refusal("KH 9C", bank) == code


def test_3_1_7_a_fault_leaves_what_is_decided():
    """Bust hands and settled side bets keep their result; de-live returns everything."""
    bets = [BET, {"bet": "pair_pursuit"}, {"bet": "21+3"}]
    jam = {"outcome": {"void": "jam"}}
    settled = lines("KH KD", "KC", *bets, **jam)
    assert [line.outcome for line in settled] == ["void", "win", "win"]
    assert [line.win for line in settled] == [0, 1200, 2000]
    assert [line.outcome for line in lines("KH 6D KD", "KC", **jam)] == ["lose"]
    assert [line.outcome for line in lines("KH 6D KD", "KC", rules="de-live", **jam)] == ["void"]
    assert [line.outcome for line in lines(None, None, *bets, **jam)] == ["void"] * 3
    assert [line.outcome for line in lines("AH KD", "9C", **jam)] == ["win"]


TWO = [BET, {**BET, "on": [2]}]


def switch(player, bank, *bets, **more):
    return nets(player, bank, *(bets or TWO), rules="hc2011", variant="switch", **more)


def test_3_2_22_switch():
    """Two hands, 1:1, a 22 of the bank, a Black Jack that the switch made."""
    assert switch(["AH KD", "9C 9D"], "8S KC") == [100, 0]
    assert switch(["AH KD", "9C 9D"], "6S KC 6D") == [100, 0]
    assert switch(["AH KD", "9C 9D"], "6S KC 6D", outcome={"switched": True}) == [0, 0]
    assert switch(["AH KD", "9C 9D"], "5S 6C TD", outcome={"switched": True}) == [0, -100]
    assert switch(["AH KD", "9C 9D"], "5S 6C TD") == [100, -100]
    assert switch(["KH 6D KD", "9C 9D"], "6S KC 6D") == [-100, 0]
    assert switch(["7H 7D 7S", "9C 9D"], "8S KC") == [100, 0]
    second = {**INSURANCE, "on": [2]}
    assert switch(["AH KD", "9C 9D"], "AS KC", *TWO, second) == [0, -100, 100]
    split = {**SPLIT, "on": [3]}
    assert switch([["8H KD", "8C 3C"], "9C 9D"], "7S KC", *TWO, split) == [100, 100, -100]
    assert switch(["9C 9D", ["8H 3C", "8C KC"]], "7S KC", *TWO, split) == [100, -100, 100]
    both = [["8H KD", "8C 3C"], ["9C 3D", "9D KS", "9H QS"]]
    more = [split, *({**SPLIT, "on": [number]} for number in (4, 5))]
    assert switch(both, "7S KC", *TWO, *more) == [100, -100, -100, 100, 100]
    for bets in ([BET], [BET, {**BET, "on": [2], "stake": 50}]):
        with pytest.raises(RuleViolation):
            switch(["AH KD", "9C 9D"], "8S KC", *bets)


@pytest.mark.parametrize(
    ("cards", "odds"),
    [
        ("QH QD QS QC", 40),
        ("JH 7D JS 7C", 8),
        ("QH QD QS 2C", 5),
        ("KH 3D KS 2C", 1),
        ("KH QD JS TC", None),
    ],
)
def test_3_2_22_super_match(cards, odds):
    """Ranks of the first four cards, as dealt or as exchanged."""
    a, b, c, d = cards.split()
    bets = [*TWO, {"bet": "super_match"}]
    for hands in ([f"{a} {b}", f"{c} {d}"], [f"{a} {d}", f"{c} {b}"]):
        assert switch(hands, "KS 9C", *bets)[2] == (-STAKE if odds is None else odds * STAKE)


@pytest.mark.parametrize(
    ("player", "bank", "net"),
    [
        ("AS KS", "9C 8D", 10000),
        ("AH KH", "9C 8D", 1000),
        ("AH KD", "9C 8D", 500),
        ("AH KD", "6C KD 9C", 500),
        ("KH 9D", "6C KD 9C", 0),
        ("KH 9D", "9C 8D", -100),
    ],
)
def test_3_2_14_black_jack_plus(player, bank, net):
    """Real, Color and Any Jack whatever the bank has; else the bank bust leaves the stake."""
    assert nets(player, bank, BET, {"bet": "bj_plus"}, rules="hc2011")[1] == net


JACK = {"bet": "bj_plus"}
BUST = "KH 6D TS"


def test_3_2_7_the_bank_that_draws_no_card_does_not_bust():
    """hc2011 3:2(5), (7): no second card when all have bust and nobody insured; BJ+ loses."""
    more = {"rules": "hc2011"}
    assert nets(BUST, "9C", BET, JACK, **more) == [-100, -100]
    other = {"outcome": {"others_play": True}}
    assert nets(BUST, "9C 7D TC", BET, JACK, **more, **other) == [-100, 0]
    split = [BET, {"bet": "split"}, JACK]
    assert nets(["8H 6D TS", "8C 7D KC"], "9C", *split, **more) == [-100, -100, -100]
    insured = [BET, JACK, {"bet": "insurance", "stake": 50}]
    assert nets(BUST, "AC 3S", *insured, **more) == [-100, -100, -50], "no third card, 3:2(5)"
    assert nets(BUST, "AC QS", *insured, **more) == [-100, -100, 100]
    assert nets(BUST, "AC 3S", BET, JACK, **more) == [-100, -100], "another box was insured"
    for player, bank, bets in (
        ("KH 6D", "9C", [BET, JACK]),
        (BUST, "AC", insured),
        (["8H 6D TS", "8C 7D"], "9C", split),
    ):
        assert refusal(player, bank, *bets, **more) == "deal_incomplete"


@pytest.mark.parametrize("rules", ["hc2011", "hc2023"])
@pytest.mark.parametrize("bank", ["KD 6S", "KD 6S TS", "AC 3S KD"])
def test_a_card_that_no_rule_lets_the_bank_draw_is_refused(rules, bank):
    """3:2(4), (6), hc2011 3:2(5), (7): with it BJ+ was a push. Another box in play draws it."""
    assert refusal(BUST, bank, rules=rules) == "deal_not_by_rule"
    other = {"outcome": {"others_play": True}}
    if len(bank.split()) == 3 and bank[0] == "K":
        assert nets(BUST, bank, rules=rules, **other) == [-100]
    assert refusal(BUST, "AC 3S", rules="hc2023", variant="casino21") == "deal_not_by_rule"
    assert nets(BUST, "KC 3S", rules="de-live") == [-100]
    assert refusal(BUST, "KC 3S 5D", rules="de-live") == "deal_not_by_rule"


@pytest.mark.parametrize(
    ("other", "wins"), [(BUST, [-100, -100, -100]), ("KD 9D", None), ("AD QD", None)]
)
def test_3_2_7_the_bank_draws_while_another_box_is_in_play(other, wins):
    """A Black Jack against a nine has won, and still the bank draws: no box holder has to bust."""
    bets = [{"id": "1", **BET}, {"id": "2", **JACK}, {"id": "3", **BET, "player": "q"}]
    boxes = {"1": {"cards": BUST, "bets": ["1", "2"]}, "2": {"cards": other, "bets": ["3"]}}
    outcome = {"bank": "9C", "decks": 6, "boxes": boxes}
    if wins is None:
        refusal = card_rounds.refused("blackjack", outcome, *bets, edition="hc2011")
        assert refusal.code.name == "deal_incomplete"
    else:
        settled = card_rounds.lines("blackjack", outcome, *bets, edition="hc2011")
        assert [line.win - line.lost for line in settled] == wins


@pytest.mark.parametrize(
    ("player", "net"), [("AH KD", 1000), ("AC KS", 1000), ("AS KS", 10000), ("AH KS", 500)]
)
def test_reading_32_a_color_jack_by_color(player, net):
    """By the table's option hearts and diamonds are one colour, clubs and spades the other."""
    table = {"color_jack_by_color": True}
    net_cents = nets(player, "9C 8D", BET, {"bet": "bj_plus"}, rules="hc2011", table=table)
    assert net_cents[1] == net
    assert refusal(player, "9C 8D", BET, rules="hc2023", table=table) == "limits_invalid"


def edges(bet, size, hand_of, rules):
    """Return the edges over all unordered selections of `size` cards of 6 and of 8 decks."""
    gains, totals = Counter(), Counter()
    for cards in combinations_with_replacement(DECK, size):
        player, bank = hand_of(cards)
        [_, line] = lines(player, bank, BET, {"bet": bet}, rules=rules, outcome={"void": "x"})
        for decks in (6, 8):
            ways = prod(comb(decks, n) for n in Counter(cards).values())
            gains[decks] += ways * (line.lost - line.win)
            totals[decks] += ways * STAKE
    return [f"{float(100 * Fraction(gains[decks], totals[decks])):.4f}" for decks in (6, 8)]


@pytest.mark.parametrize(
    ("bet", "rules"), [("pair_pursuit", "hc2023"), ("perfect_pairs", "hc2011")]
)
def test_edge_of_pairs(bet, rules):
    """Rulebook 9.11 and 14, every two cards of the shoe."""
    percents = edges(bet, 2, lambda two: (" ".join(two), "2C"), rules)
    assert percents == ["6.1093", "4.0964"]


def test_edge_of_21_plus_3():
    """Rulebook 9.11 and 14, every three cards of the shoe."""
    percents = edges("21+3", 3, lambda c: (f"{c[0]} {c[1]}", c[2]), "hc2023")
    assert percents == ["13.3896", "12.8912"]


def worth(cards):
    low = sum(1 if c[0] == "A" else 10 if c[0] in "TJQK" else int(c[0]) for c in cards)
    return low + 10 if low <= 11 and any(c[0] == "A" for c in cards) else low


def test_random_rounds_agree_with_a_naive_settlement():
    """5000 seeded boxes with hits, doubles and splits, dealt and settled here once more."""
    rng = random.Random(20231101)
    for _ in range(5000):
        shoe = rng.sample(DECK * 6, 40)
        bank, hands, doubled = [shoe.pop()], [[shoe.pop(), shoe.pop()]], set()
        if worth(hands[0][:1]) == worth(hands[0][1:]) and rng.random() < 0.7:
            hands = [[card, shoe.pop()] for card in hands[0]]
        for n, hand in enumerate(hands):
            aces = len(hands) == 2 and hand[0][0] == "A"
            hard = worth(hand) - 10 * (worth(hand) > 11 and any(c[0] == "A" for c in hand))
            while not aces and worth(hand) < 21 and rng.random() < 0.5:
                if len(hand) == 2 and hard in (10, 11):
                    doubled.add(n)
                hand.append(shoe.pop())
                if n in doubled:
                    break
        is_over = all(worth(hand) > 21 for hand in hands)
        while not is_over and (worth(bank) < 17 or len(bank) == 1):
            bank.append(shoe.pop())
        bets = [BET, SPLIT][: len(hands)] + [{**DOUBLE, "on": [n + 1]} for n in sorted(doubled)]
        texts = [" ".join(hand) for hand in hands]
        net_cents = nets(texts, " ".join(bank), *bets)
        each = [naive(hand, bank, whole=len(hands) == 1) for hand in hands]
        assert net_cents == each + [each[n] for n in sorted(doubled)], (hands, bank, doubled)


def naive(hand, bank, *, whole):
    own, other = worth(hand), worth(bank)
    bonus = STAKE * (whole and [c[0] for c in hand[:3]] == ["7", "7", "7"])
    natural = whole and own == 21 and len(hand) == 2
    bank_natural = other == 21 and len(bank) == 2
    if own > 21:
        return bonus - STAKE
    if natural or bank_natural:
        return bonus + (0 if natural and bank_natural else 150 if natural else -STAKE)
    sign = 1 if other > 21 else (own > other) - (own < other)
    return bonus + STAKE * sign


LIMITS = {"minimum": 500, "maximum": {"bet": 10000}}


@pytest.mark.parametrize(
    ("stake", "bets", "code"),
    [
        (500, [{"bet": "bj_plus", "stake": 250}], None),
        (500, [{"bet": "bj_plus", "stake": 500}], "above_maximum"),
        (500, [{"bet": "bj_plus", "stake": 125}], "below_minimum"),
        (500, [{"bet": "perfect_pairs", "stake": 200}], None),
        (500, [{"bet": "perfect_pairs", "stake": 501}], "above_maximum"),
        (500, [{"bet": "insurance", "stake": 250}], None),
        (9500, [{"bet": "bet", "stake": 500, "player": "q"}], None),
        (9500, [{"bet": "bet", "stake": 1000, "player": "q"}], "above_maximum"),
        (10500, [], "above_maximum"),
        (700, [], "not_a_multiple"),
    ],
)
def test_limits_of_a_box(stake, bets, code):
    """hc2011 3:2(3), (14), (17): the maximum is for the box, BJ+ is exactly half the minimum."""
    all_bets = [{**BET, "stake": stake}, *bets]
    more = {"rules": "hc2011", "table": LIMITS}
    if code is None:
        assert len(lines("KH 9D", "AC 9S", *all_bets, **more)) == len(all_bets)
    else:
        assert refusal("KH 9D", "AC 9S", *all_bets, **more) == code


def test_the_maximum_of_a_box_names_its_article():
    """hc2011 3:2(3): "the maximum relates to the total for the box"; hc2023 1:1(6): per player."""
    bets = [{**BET, "stake": 5000}, {**BET, "stake": 5500, "player": "q"}]
    with pytest.raises(RuleViolation, match=r"the box has 10500 on one bet.*hc2011 3:2\(3\)"):
        lines("KH 9D", "KC 9S", *bets, rules="hc2011", table=LIMITS)
    with pytest.raises(RuleViolation, match=r"player 'q' has 5500 on.* 5000.*hc2023 1:1\(6\)"):
        lines("KH 9D", "KC 9S", *bets, table={"minimum": 500, "maximum": {"bet": 5000}})
    with pytest.raises(RuleViolation, match=r"\(de-live BJ 2.1.4\)|de-live BJ 2.1.4 prints"):
        lines("KH 9D", "KC 9S", *bets, rules="de-live", table={"minimum": 500})


def test_whole_cents_of_a_box():
    """3:2 needs even stakes, 6:5 fives."""
    table = {"minimum": 1, "maximum": {"bet": 10000}}
    odd = {**BET, "stake": 101}
    assert refusal("KH 9D", "KC 9S", odd, table=table) == "stake_not_divisible"
    assert refusal("AH KD", "KC 9S", odd) == "not_whole_cents"
    more = {"rules": "hc2011", "variant": "6:5"}
    assert refusal("KH 9D", "KC 9S", odd, table=table, **more) == "stake_not_divisible"
    assert nets("AH KD", "KC 9S", {**BET, "stake": 105}, **more) == [126]


def test_the_refusal_of_a_bank_card_says_how_another_box_is_given():
    """In a record of one box by others_play, which a record of boxes does not have."""
    with pytest.raises(RuleViolation, match="is in boxes with its cards, or, in a record of one"):
        lines("9S KS 7D", "9D KC")


# Who of p and q bets and doubles on 5H 6C TD, who holds the box; None: accepted.
HOLDERS = [
    (("p", "q"), ("p", "q"), "p", None),
    (("p", "q"), ("p",), "p", None),  # 3:2(7): a player may double; the hand has its one card
    (("p", "q"), ("q",), None, None),  # the holder is not known
    (("p", "q"), ("q",), "q", None),
    (("p", "q"), ("q",), "p", "bets[2]"),
    (("q",), ("q",), "p", "outcome.holder"),
]


@pytest.mark.parametrize("rules", ["hc2023", "hc2011"])
@pytest.mark.parametrize(("bet", "doubled", "holder", "where"), HOLDERS)
def test_nobody_doubles_a_hand_that_its_holder_does_not(rules, bet, doubled, holder, where):
    """3:2(2): the holder of the box decides, and the shadow says the same."""
    some = [{**BET, "player": player} for player in bet]
    some += [{**DOUBLE, "player": player} for player in doubled]
    outcome = {"player": "5H 6C TD", "bank": "KD 7S", "holder": holder}
    record = {
        "rules": rules,
        "game": "blackjack",
        "bets": [{"id": str(n), "stake": STAKE, **each} for n, each in enumerate(some)],
        "outcome": outcome,
    }
    if where is None:
        assert [line.win for line in settle_record(record)] == [STAKE] * len(some)
        assert [verdict.win for verdict in shadow.judge(record)] == [STAKE] * len(some)
        return
    with pytest.raises(RuleViolation, match=re.escape(f"({rules} 3:2(2))")) as error:
        settle_record(record)
    assert (error.value.code.name, error.value.where) == ("bet_not_in_round", where)
    with pytest.raises(shadow.Impossible):
        shadow.judge(record)


def test_a_box_of_de_live_has_no_holder():
    """Each player has a box alone (BJ 1.2.1)."""
    more = {"rules": "de-live", "outcome": {"holder": "p"}}
    assert refusal("5H 6C TD", "KD 7S", **more) == "deal_not_by_rule"


def test_each_box_of_a_table_has_its_own_holder():
    """Ada holds box 1, Ben box 2; Ben doubles on box 1 where Ada stands."""
    bets = [
        {"id": "1", "player": "ada", "stake": STAKE, **BET},
        {"id": "2", "player": "ben", "stake": STAKE, **BET},
        {"id": "3", "player": "ben", "stake": STAKE, **BET},
        {"id": "4", "player": "ben", "stake": STAKE, **DOUBLE},
    ]
    boxes = {
        "1": {"cards": "5H 6C TD", "bets": ["1", "2"], "holder": "ada"},
        "2": {"cards": "6H 5C 9D", "bets": ["3", "4"], "holder": "ben"},
    }
    record = {"rules": "hc2023", "game": "blackjack", "bets": bets}
    record["outcome"] = {"bank": "KD 7S", "boxes": boxes}
    assert [line.win for line in settle_record(record)] == [STAKE] * 4
    boxes["1"]["bets"], boxes["2"]["bets"] = ["1", "2", "4"], ["3"]
    with pytest.raises(RuleViolation) as error:
        settle_record(record)
    assert error.value.where == "bets[3]"
    with pytest.raises(shadow.Impossible):
        shadow.judge(
            {
                **record,
                "outcome": {"bank": "KD 7S", "player": "5H 6C TD", "holder": "ada"},
                "bets": [bets[0], bets[1], bets[3]],
            }
        )


def test_a_void_round_without_cards_returns_every_stake():
    """3:1(7): the shuffler failed before the first card; the shadow says the same."""
    record = {"rules": "hc2023", "game": "blackjack", "outcome": {"void": "shuffler"}}
    record["bets"] = [{"id": "1", "player": "p", "stake": STAKE, **BET}]
    [line], [verdict] = settle_record(record), shadow.judge(record)
    assert (line.outcome, line.back) == (verdict.outcome, verdict.back) == ("void", STAKE)
