"""Four Card Poker and Ultimate Texas Hold'em: showdowns, pay tables, side bets, folds, faults."""

import random
from collections import Counter
from fractions import Fraction
from itertools import combinations

import pytest

from host_tools.tests.card_rounds import STAKE, lines, refused
from tabletools.games import four_card


def refusal(game, outcome, *bets, **more):
    return refused(game, outcome, *bets, **more).code.name


def words(settled):
    return [(line.outcome, line.win) for line in settled]


ANTE, BET, ACES_UP = {"bet": "ante"}, {"bet": "bet"}, {"bet": "aces_up"}
FOLD = {"choice": "fold"}

# From high to low (rulebook 9.1): four of a kind beats a straight flush, three a flush.
FOUR_CARD_ORDER = """AS AH AD AC|2S 2H 2D 2C|AS KS QS JS|5S 4S 3S 2S|4S 3S 2S AS|AS AH AD KC
AS AH AD QC|2S 2H 2D AC|AS KS QS TS|AS KS QS 9S|5S 4S 3S AS|AS KS QH JS|5S 4S 3H 2S|4S 3S 2H AS
AS AH KD KC|AS AH QD QC|KS KH QD QC|AS AH KD QC|AS AH KD JC|2S 2H AD KC|AS KH QD TC|5S 4H 3D AC
6S 4H 3D 2C""".replace("\n", "|").split("|")


def test_9_4_the_order_of_hands():
    """Each hand of the list beats the next, in whatever order its cards lie."""
    ranks = [four_card.best_of(hand.split()) for hand in FOUR_CARD_ORDER]
    assert ranks == sorted(ranks, reverse=True)
    assert len(set(ranks)) == len(ranks)
    assert [four_card.best_of(hand.split()[::-1]) for hand in FOUR_CARD_ORDER] == ranks


def test_9_4_the_best_four():
    """Of six cards, a straight before two pair."""
    six = "2S 2H 3D 4C AS AH".split()
    wanted = max(four_card.best_of(four) for four in combinations(six, 4))
    assert four_card.best_of(six) == wanted == four_card.best_of("4C 3D 2S AS".split())


BY_COUNTS = {(1,) * 4: 0, (2, 1, 1): 1, (2, 2): 3, (3, 1): 6, (4,): 8}


def by_the_words(four):
    """How four cards rank, one case of rulebook 9.4 after the other."""
    levels = sorted(("23456789TJQKA".index(card[0]) + 2 for card in four), reverse=True)
    counts = Counter(levels)
    levels.sort(key=lambda each: (counts[each], each), reverse=True)
    combination = BY_COUNTS[tuple(sorted(counts.values(), reverse=True))]
    if combination:
        return (2 if combination == 1 and levels[0] == 14 else combination, *levels)
    if levels == [14, 4, 3, 2]:
        levels = [4, 3, 2, 1]
    straight = levels[0] - levels[3] == 3
    if len({card[1] for card in four}) > 1:
        return (4 if straight else 0, *levels)
    return (7 if straight else 5, *levels)


@pytest.mark.parametrize("ranks", ["23456789TJQKA", "A2345"])
def test_9_4_the_best_four_are_the_best_of_all_fours(ranks):
    """Of four, five and six cards at random."""
    deck = [rank + suit for rank in ranks for suit in "CDHS"]
    source = random.Random(f"hands of {ranks}")
    for count in (4, 5, 6):
        for _ in range(500):
            cards = source.sample(deck, count)
            wanted = max(map(by_the_words, combinations(cards, 4)))
            assert four_card.best_of(cards) == wanted, cards


# Rulebook 9.4, best four of five: how many of 2598960 hands, a hand, what Aces Up pays.
ACES_UP_HANDS = [
    (624, "2S 2H 2D 2C 9S", 50),
    (2072, "5S 4S 3S 2S 8H", 40),
    (58656, "2S 2H 2D 9C 7S", 8),
    (114616, "KS 9S 7S 5S 2H", 5),
    (101808, "5S 4H 3D 2C 9S", 4),
    (123552, "2S 2H 9D 9C KS", 3),
    (81096, "AS AH 9D 7C 5S", 1),
]
BANK = "KD KC 9H 7D 5C 3C"


def test_9_4_edge_of_aces_up():
    """3.8917 per cent: each combination as often as it comes, all others lose."""
    won = 0
    for count, hand, odds in ACES_UP_HANDS:
        [line] = lines("four_card", {"player": hand, "bank": BANK}, ANTE, BET, ACES_UP)[2:]
        assert (line.outcome, line.win, line.rule) == ("win", STAKE * odds, "hc2023 3:7(8)")
        won += count * odds
    for loser in ("KS KH 9D 7C 5S", "AS KH 9D 7C 5S"):
        [line] = lines("four_card", {"player": loser, "bank": BANK}, ANTE, BET, ACES_UP)[2:]
        assert line.outcome == "lose"
    lost = 2598960 - sum(count for count, _, _ in ACES_UP_HANDS)
    assert Fraction(lost - won, 2598960) == Fraction(101144, 2598960)
    assert f"{100 * 101144 / 2598960:.4f}" == "3.8917"


@pytest.mark.parametrize(
    ("player", "ante", "bet"),
    [
        ("AS AH 9D 7C 5S", ("win", 100), ("win", 300)),
        ("KS KH 9D 7C 2S", ("win", 100), ("win", 300)),
        ("QS QH 9D 7C 2S", ("lose", 0), ("lose", 0)),
        ("2S 2H 2D 9C 7S", ("win", 300), ("win", 300)),
        ("5S 4S 3S 2S 8H", ("win", 2100), ("win", 300)),
        ("2S 2H 2D 2C 9S", ("win", 2600), ("win", 300)),
    ],
)
def test_9_4_against_the_bank(player, ante, bet):
    """Higher or equal wins both, with the bonus on the ante; lower loses both."""
    three_times = {**BET, "stake": 3 * STAKE}
    settled = lines("four_card", {"player": player, "bank": BANK}, ANTE, three_times)
    assert words(settled) == [ante, bet]


def test_reading_29_the_bonus_of_a_beaten_ante():
    """3:7(7): the ante is lost to a higher hand; the bonus is paid "on a win". As an option also
    on a loss."""
    outcome = {"player": "2S 2H 2D 9C 7S", "bank": "3S 3H 3D 9H 7D 5C"}
    for chosen, bonus in ((None, 0), (True, 0), (False, 200)):
        table = {"table": {"bonus_only_on_win": chosen}}
        settled = words(lines("four_card", outcome, ANTE, BET, **table))
        assert settled == [("lose", bonus), ("lose", 0)]


def test_9_4_a_fold_loses_ante_and_aces_up():
    """3:7(3), and both say so; a fault leaves Aces Up decided."""
    outcome = {"player": "AS AH 9D 7C 5S", "bank": BANK}
    settled = lines("four_card", outcome, {**ANTE, **FOLD}, {**ACES_UP, **FOLD})
    assert [(line.lost, line.rule) for line in settled] == [(100, "hc2023 3:7(3)")] * 2
    for bets in ([{**ANTE, **FOLD}, ACES_UP], [ANTE, BET, {**ACES_UP, **FOLD}]):
        assert refusal("four_card", outcome, *bets) == "bet_not_in_round"
    for times, good in ((1, True), (2, True), (3, True), (4, False)):
        second = {**BET, "stake": times * STAKE}
        if good:
            assert len(lines("four_card", outcome, ANTE, second)) == 2
        else:
            assert refusal("four_card", outcome, ANTE, second) == "bet_not_in_round"
    jam = {"player": "AS AH 9D 7C 5S", "void": "jam"}
    settled = lines("four_card", jam, ANTE, BET, ACES_UP)
    assert [line.outcome for line in settled] == ["void", "void", "win"]
    for wrong in ({**outcome, "bank": "KD KC"}, {**outcome, "player": "KS KH 2S 3S 4S 5H"}):
        assert refusal("four_card", wrong).startswith("deal_")


BLIND, TRIPS = {"bet": "blind"}, {"bet": "trips"}
ALL = (ANTE, BLIND, {**BET, "stake": 4 * STAKE}, TRIPS)
DRY = "KS 9H 7D 4C 2S"
PAIRED = "KS 9H 9D 4C 2S"


def dealt(player, board, bank):
    return {"player": player, "board": board, "bank": bank}


# Rulebook 9.5: player, board, bank -> ante, blind, bet, trips; and the article.
ULTIMATE = [
    ("AD AC", PAIRED, "QD JC", "win 100 push 0 win 400 lose 0", 8),
    ("AD 3C", PAIRED, "AH 3H", "push 0 push 0 push 0 lose 0", 8),
    ("QD JC", PAIRED, "AD AC", "lose 0 lose 0 lose 0 lose 0", 8),
    ("AD QC", DRY, "QD JC", "push 0 push 0 win 400 lose 0", 9),
    ("AD QC", DRY, "AH QH", "push 0 push 0 push 0 lose 0", 10),
    ("QD JC", DRY, "AD QC", "push 0 lose 0 lose 0 lose 0", 10),
    ("9D 9C", DRY, "QD KC", "win 100 push 0 win 400 win 300", 8),
    ("8D 6C", "KS 9H 7D 5C 2S", "QD AC", "push 0 win 100 win 400 win 400", 9),
    ("8S 6S", "KS 9H 7S 4C 2S", "QD KC", "win 100 win 150 win 400 win 700", 8),
    ("9C KD", PAIRED, "QD KC", "win 100 win 300 win 400 win 800", 8),
    ("9C 9S", PAIRED, "QD KC", "win 100 win 1000 win 400 win 3000", 8),
    ("8S 6S", "9S 7S 5S 4C 2H", "QD 4D", "win 100 win 5000 win 400 win 4000", 8),
    ("AS QS", "KS JS TS 4C 2H", "QD 4D", "win 100 win 50000 win 400 win 5000", 8),
    ("3D 3H", "KS JS TS AS QS", "QD 4D", "push 0 push 0 push 0 win 5000", 8),
]


@pytest.mark.parametrize(("player", "board", "bank", "wanted", "article"), ULTIMATE)
def test_9_5_ultimate(player, board, bank, wanted, article):
    """The bank plays with a pair; bet and blind are decided whatever it has."""
    settled = lines("ultimate", dealt(player, board, bank), *ALL)
    assert " ".join(f"{line.outcome} {line.win}" for line in settled) == wanted
    assert [line.rule for line in settled] == [f"hc2023 3:6({article})"] * 3 + ["hc2023 3:6(11)"]


# How many of the 133784560 hands of seven cards are of each combination, and what trips pay.
SEVEN_CARDS = [
    (6461620, "9D 9C", DRY, 3),
    (6180020, "8D 6C", "KS 9H 7D 5C 2S", 4),
    (4047644, "8S 6S", "KS 9H 7S 4C 2S", 7),
    (3473184, "9C KD", PAIRED, 8),
    (224848, "9C 9S", PAIRED, 30),
    (37260, "8S 6S", "9S 7S 5S 4C 2H", 40),
    (4324, "AS QS", "KS JS TS 4C 2H", 50),
]


def test_9_5_edge_of_trips():
    """3.4979 per cent; two pair and less lose."""
    won = 0
    for count, player, board, odds in SEVEN_CARDS:
        line = lines("ultimate", dealt(player, board, "3D 3C"), *ALL)[3]
        assert line.win == STAKE * odds
        won += count * odds
    assert lines("ultimate", dealt("KD 4D", PAIRED, "3D 3C"), *ALL)[3].lost == STAKE
    lost = 133784560 - sum(row[0] for row in SEVEN_CARDS)
    assert Fraction(lost - won, 133784560) == Fraction(4679700, 133784560)
    assert f"{100 * 4679700 / 133784560:.4f}" == "3.4979"


def test_9_5_a_fold_loses_ante_blind_and_trips():
    """3:6(4) and READING-31, whatever the cards."""
    folded = [{**bet, **FOLD} for bet in (ANTE, BLIND, TRIPS)]
    outcome = dealt("9C 9S", PAIRED, "QD KC")
    settled = lines("ultimate", outcome, *folded)
    assert [(line.lost, line.win, line.rule) for line in settled] == [
        (100, 0, "hc2023 3:6(4)")
    ] * 3
    assert refusal("ultimate", outcome, *folded[:2], TRIPS) == "bet_not_in_round"


@pytest.mark.parametrize(
    "bets",
    [
        [ANTE, BET],
        [ANTE, {**BLIND, "stake": 200}, BET],
        [ANTE, BLIND],
        [ANTE, BLIND, {**BET, "stake": 500}],
        [ANTE, BLIND, {**BET, "stake": 150}],
        [TRIPS],
        [ANTE, BLIND, BET, {**TRIPS, "player": "q"}],
        [ANTE, BLIND, {**BET, "stake": 300}, {**BET, "stake": 100}],
        [ANTE, BLIND, {**BET, "stake": 100}, {**BET, "stake": 100}],
    ],
    ids=str,
)
def test_9_5_stakes_that_do_not_belong_together(bets):
    """Blind equals ante, one bet is one to four times the ante (3:6(4)), trips need both."""
    assert refusal("ultimate", dealt("9C 9S", PAIRED, "QD KC"), *bets) == "bet_not_in_round"


@pytest.mark.parametrize(
    ("game", "edition", "cards", "side"),
    [
        (
            "four_card",
            "hc2023",
            {"player": "AH AC 5D 3S 2D", "bank": "KS KH 4D 3C 2H 8C"},
            ACES_UP,
        ),
        (
            "casino_holdem",
            "hc2011",
            {"player": "AD 3D", "board": "AS 9H 4D JC 2H", "bank": "4C 7C"},
            {"bet": "aa_bonus"},
        ),
    ],
)
def test_a_side_bet_is_placed_beside_an_ante_only(game, edition, cards, side):
    """hc2023 3:7(1): the ante is compulsory, Aces Up optional; hc2011 3:8(1): AA in addition."""
    folded_by_q = {**ANTE, **FOLD, "player": "q"}
    for others in ([], [folded_by_q]):
        assert refusal(game, cards, side, *others, rules=edition) == "bet_not_in_round"
        assert refusal(game, {"void": "jam"}, side, *others, rules=edition) == "bet_not_in_round"
    settled = lines(game, {"void": "jam"}, ANTE, side, rules=edition)
    assert [line.outcome for line in settled] == ["void", "void"]


FOLDS = [
    ("three_card", "hc2011", ("ante",), "lose"),
    ("three_card", "hc2023", ("ante",), "lose"),
    ("caribbean", "hc2023", ("ante",), "lose"),
    ("caribbean", "gr2003", ("ante",), "void"),
    ("casino_holdem", "hc2011", ("ante",), "lose"),
    ("four_card", "hc2023", ("ante", "aces_up"), "lose"),
    ("ultimate", "hc2023", ("ante", "blind", "trips"), "lose"),
]


@pytest.mark.parametrize(("game", "edition", "bets", "wanted"), FOLDS)
def test_reading_55_a_fold_is_decided_whatever_is_known_of_the_cards(game, edition, bets, wanted):
    """Folded antes keep their result in a fault; gr2003 §10 cancels the cards of all."""
    hands = {"player": "9C 9S"}
    for outcome in ({"void": "jam"}, {**hands, "void": "jam"}):
        folded = [{"bet": bet, **FOLD} for bet in bets]
        settled = lines(game, outcome, *folded, rules=edition)
        assert {line.outcome for line in settled} == {wanted}
        waiting = lines(game, outcome, *({"bet": bet} for bet in bets), rules=edition)
        assert {line.outcome for line in waiting} == {"void"}


def test_9_5_faults_and_cents():
    """With the board whole trips are decided; a flush pays 1.5 on the blind."""
    for board, wanted in ((DRY[:-3], "void"), (DRY, "win")):
        outcome = {"player": "9C 9S", "board": board, "void": "jam"}
        settled = [line.outcome for line in lines("ultimate", outcome, *ALL)]
        assert settled == ["void", "void", "void", wanted]
    odd = [{**bet, "stake": 101} for bet in (ANTE, BLIND, BET)]
    outcome = dealt("9C 9S", DRY, "QD KC")
    table = {"table": {"minimum": 1}}
    assert refusal("ultimate", outcome, *odd, **table) == "stake_not_divisible"
    flush = dealt("8S 6S", "KS 9H 7S 4C 2S", "QD KC")
    assert refusal("ultimate", flush, *odd) == "not_whole_cents"
