"""Caribbean Stud and Casino Hold'em: ranking of five cards, showdowns, stakes, faults."""

import random
from collections import Counter
from fractions import Fraction
from itertools import combinations, combinations_with_replacement

import pytest

from host_tools.tests import card_rounds
from host_tools.tests.card_rounds import STAKE
from tabletools.rules.poker import best_of

RANKS = "23456789TJQKA"


def in_spades(ranks):
    return [rank + "S" for rank in ranks]


def classes():
    """One hand of each of the 7462 kinds, and how many hands of 52 cards are like it."""
    for ranks in combinations_with_replacement(RANKS, 5):
        times = Counter(ranks)
        if max(times.values()) > 4:
            continue
        ways = 1
        for count in times.values():
            ways *= {1: 4, 2: 6, 3: 4, 4: 1}[count]
        if len(times) == 5:
            yield in_spades(ranks), 4
            ways -= 4
        yield distinct(ranks), ways


def distinct(ranks):
    """The ranks in at least two suits, no card twice."""
    cards, counts = [], Counter()
    for rank in ranks:
        cards.append(rank + "CDHS"[(counts[rank] + (rank == ranks[0])) % 4])
        counts[rank] += 1
    return cards


# How many of the 2598960 hands are of each combination, from low to high.
COUNTS = [1302540, 1098240, 123552, 54912, 10200, 5108, 3744, 624, 36, 4]


def test_9_1_every_kind_of_hand():
    """7462 kinds of hands, ten combinations, each as often as it comes."""
    counts = Counter()
    keys = set()
    for hand, ways in classes():
        assert len(set(hand)) == 5
        keys.add(best_of(hand))
        counts[best_of(hand)[0]] += ways
    assert len(keys) == 7462
    assert [counts[n] for n in range(10)] == COUNTS


# From high to low; READING-39 for kickers.
ORDER = """AS KS QS JS TS|KS QS JS TS 9S|5S 4S 3S 2S AS|AS AH AD AC 2S|2S 2H 2D 2C AS
2S 2H 2D 2C KS|AS AH AD KS KH|AS AH AD QS QH|KS KH KD AS AH
AS KS QS JS 9S|AS KS QS JS 8S|6S 5S 4S 3S AS
AS KH QS JS TS|6S 5H 4S 3S 2S|5S 4H 3S 2S AS|AS AH AD KS QH|AS AH AD KS JH|2S 2H 2D AS KH
AS AH KD KS 2H|AS AH QD QS KH|KS KH QD QS AH|KS KH QD QS JH|AS AH KD QS JH|AS AH KD QS TH
2S 2H AD KS QH|AS KH QD JS 9H|AS KH QD JS 8H|7S 5H 4D 3S 2H""".replace("\n", "|").split("|")


def test_9_1_the_order_of_hands():
    """Each hand of the list beats the next, in whatever order its cards lie."""
    ranks = [best_of(hand.split()) for hand in ORDER]
    assert ranks == sorted(ranks, reverse=True)
    assert len(set(ranks)) == len(ranks)
    assert [best_of(hand.split()[::-1]) for hand in ORDER] == ranks


def test_9_6_the_best_five_of_seven():
    """Own cards and board are taken together."""
    assert best_of("AS KS QS JS TS 2H 2D".split()) == best_of("AS KS QS JS TS".split())
    assert best_of("2S 2H AD AC KS KH QD".split()) == best_of("AD AC KS KH QD".split())
    seven = "2S 9H AD AC KS 4H 4D".split()
    assert best_of(seven) == max(best_of(five) for five in combinations(seven, 5))


BY_COUNTS = {(1,) * 5: 0, (2, 1, 1, 1): 1, (2, 2, 1): 2, (3, 1, 1): 3, (3, 2): 6, (4, 1): 7}


def by_the_words(five):
    """How five cards rank, one case of rulebook 9.1 after the other."""
    levels = sorted(("23456789TJQKA".index(card[0]) + 2 for card in five), reverse=True)
    counts = Counter(levels)
    levels.sort(key=lambda each: (counts[each], each), reverse=True)
    combination = BY_COUNTS[tuple(sorted(counts.values(), reverse=True))]
    if combination:
        return (combination, *levels)
    if levels == [14, 5, 4, 3, 2]:
        levels = [5, 4, 3, 2, 1]
    straight = levels[0] - levels[4] == 4
    if len({card[1] for card in five}) > 1:
        return (4 if straight else 0, *levels)
    return (9 if straight and levels[0] == 14 else 8 if straight else 5, *levels)


@pytest.mark.parametrize("ranks", ["23456789TJQKA", "A2345K"])
def test_9_1_the_best_five_are_the_best_of_all_fives(ranks):
    """Of five, six and seven cards at random; few ranks give many full houses and straights."""
    deck = [rank + suit for rank in ranks for suit in "CDHS"]
    source = random.Random(f"hands of {ranks}")
    for count in (5, 6, 7):
        for _ in range(400):
            cards = source.sample(deck, count)
            assert best_of(cards) == max(map(by_the_words, combinations(cards, 5))), cards


def lines(game, edition, outcome, *bets, **more):
    return card_rounds.lines(game, outcome, *bets, edition=edition, **more)


def refusal(game, edition, outcome, *bets, **more):
    return card_rounds.refused(game, outcome, *bets, edition=edition, **more).code.name


ANTE, BET = {"bet": "ante"}, {"bet": "bet", "stake": 2 * STAKE}
FOLD = {"bet": "ante", "choice": "fold"}
EDITIONS = ("hc2011", "hc2023", "gr2003")
UNQUALIFIED, QUALIFIED, ACES = "AS QH JD TS 9H", "AS KH 4D 3S 2H", "AD AC 7H 5D 3C"
ACE_KING = "AC KD 9D 8S 7C"
# Rulebook 9.2: bank, player -> ante, bet.
CARIBBEAN = [
    (UNQUALIFIED, "7S 5H 4D 3S 2H", ("win", 100), ("push", 0)),
    (UNQUALIFIED, "AH AD AC 2S 3H", ("win", 100), ("push", 0)),
    (QUALIFIED, "AH KD 4C 3D 2S", ("push", 0), ("push", 0)),
    (QUALIFIED, "AH QD JC TD 8S", ("lose", 0), ("lose", 0)),
    (QUALIFIED, "AH KD 5C 3D 2S", ("win", 100), ("win", 200)),
    (ACE_KING, "2H 2D 5C 3D 4S", ("win", 100), ("win", 200)),
    (ACE_KING, "2H 2D 5C 5D 4S", ("win", 100), ("win", 400)),
    (ACE_KING, "2H 2D 2C 5D 4S", ("win", 100), ("win", 600)),
    (QUALIFIED, "6H 5D 4C 3D 2S", ("win", 100), ("win", 800)),
    (ACE_KING, "7H 5H 4H 3H 2H", ("win", 100), ("win", 1000)),
    (ACE_KING, "2H 2D 2C 5D 5S", ("win", 100), ("win", 1400)),
    (ACE_KING, "2H 2D 2C 2S 5S", ("win", 100), ("win", 4000)),
    (ACE_KING, "6H 5H 4H 3H 2H", ("win", 100), ("win", 10000)),
    (ACE_KING, "AH KH QH JH TH", ("win", 100), ("win", 20000)),
    (ACES, "KH KD 5C 3D 2S", ("lose", 0), ("lose", 0)),
]


@pytest.mark.parametrize(("bank", "player", "ante", "bet"), CARIBBEAN)
@pytest.mark.parametrize("edition", EDITIONS)
def test_9_2_caribbean_stud(edition, bank, player, ante, bet):
    """Qualification, comparison and the pay table, alike in all editions (READING-27)."""
    settled = lines("caribbean", edition, {"player": player, "bank": bank}, ANTE, BET)
    assert [(line.outcome, line.win) for line in settled] == [ante, bet]


ARTICLES = [
    ("hc2011", "3:6(3)", ("3:6(8)", "3:6(8)"), ("3:6(6)", "3:6(6)"), ("3:6(7)", "3:6(7)")),
    ("hc2023", "3:5(3)", ("3:5(7)", "3:5(7)"), ("3:5(7)", "3:5(7)"), ("3:5(8)", "3:5(8)")),
    ("gr2003", "§5α", ("§6β", "§6β"), ("§6α(2)", "§6α(2)"), ("§6α(1)", "§7")),
]


@pytest.mark.parametrize(("edition", "fold", "unqualified", "lower", "higher"), ARTICLES)
def test_9_2_articles(edition, fold, unqualified, lower, higher):
    """Each line cites what decided it."""
    good, bad = "5H 5D 6C 3D 4S", "AH QD JC TD 8S"
    for bank, player, wanted in (
        (UNQUALIFIED, good, unqualified),
        (QUALIFIED, bad, lower),
        (QUALIFIED, good, higher),
    ):
        settled = lines("caribbean", edition, {"player": player, "bank": bank}, ANTE, BET)
        assert tuple(line.rule for line in settled) == tuple(
            f"{edition} {name}" for name in wanted
        )
    [line] = lines("caribbean", edition, {"player": good, "bank": QUALIFIED}, FOLD)
    assert (line.lost, line.rule) == (100, f"{edition} {fold}")


def test_9_2_the_second_stake_is_twice_the_ante():
    """No more, no less, none with a fold."""
    outcome = {"player": "5H 5D 6C 3D 4S", "bank": QUALIFIED}
    for bets in (
        [ANTE],
        [BET],
        [ANTE, {"bet": "bet"}],
        [FOLD, BET],
        [{**ANTE, "player": "q"}, BET],
    ):
        assert refusal("caribbean", "hc2023", outcome, *bets) == "bet_not_in_round"


def test_9_2_faults():
    """hc: a folded ante is decided, the others are returned. gr2003: all cards are cancelled."""
    jam = {"player": "2H 2D 5C 3D 4S", "void": "jam"}
    for edition, folded in (("hc2011", "lose"), ("hc2023", "lose"), ("gr2003", "void")):
        assert [line.outcome for line in lines("caribbean", edition, jam, FOLD)] == [folded]
        settled = lines("caribbean", edition, jam, ANTE, BET)
        assert [line.outcome for line in settled] == ["void", "void"]
    [line] = lines("caribbean", "gr2003", {"void": "wrong number"}, ANTE)
    assert line.paragraphs == ("gr2003 §10β", "gr2003 §10γ")
    for wrong in ("2C 2D 5C 3D", "2C 2D 5C 3D 4S 5S"):
        assert refusal("caribbean", "hc2023", {"player": wrong, "bank": QUALIFIED}).startswith(
            "deal"
        )


BOARD, LOW_BANK, FOURS = "AS 9H 4D JC 2H", "KD 7C", "4C 7C"
# Rulebook 9.6: player, board, bank -> ante, call.
HOLDEM = [
    ("KS 7D", BOARD, LOW_BANK, ("win", 100), ("push", 0)),
    ("AD 3D", BOARD, LOW_BANK, ("win", 100), ("push", 0)),
    ("KS 7D", BOARD, FOURS, ("lose", 0), ("lose", 0)),
    ("4S 7D", BOARD, FOURS, ("push", 0), ("push", 0)),
    ("AD 3D", BOARD, FOURS, ("win", 100), ("win", 200)),
    ("KS 7D", BOARD, "2S 3C", ("win", 100), ("push", 0)),
    ("AD AH", BOARD, FOURS, ("win", 100), ("win", 200)),
    ("8D 6D", "7D 5D 4C 4D 9S", "4S 4H", ("win", 2000), ("win", 200)),
    ("8D 2D", "7D 5D 4C 4D 9S", "AS KH", ("win", 200), ("win", 200)),
    ("9D 9H", "7D 5D 4C 4D 9S", "AS KH", ("win", 300), ("win", 200)),
    ("9D 9H", "9C 5D 4C 4D 9S", "AS KH", ("win", 1000), ("win", 200)),
    ("AD KD", "QD JD TD 4D 4S", "AS KH", ("win", 10000), ("win", 200)),
]


def dealt(player, board, bank):
    return {"player": player, "board": board, "bank": bank}


@pytest.mark.parametrize(("player", "board", "bank", "ante", "call"), HOLDEM)
def test_9_6_casino_holdem(player, board, bank, ante, call):
    """Pair of fours qualifies; the ante is paid by the table, the call evens."""
    settled = lines("casino_holdem", "hc2011", dealt(player, board, bank), ANTE, BET)
    assert [(line.outcome, line.win) for line in settled] == [ante, call]


def test_9_6_edge_of_the_aa_bonus():
    """6.2583 per cent: each kind of own cards and flop, as often as it comes."""
    odds = {}
    bank_gain = 0
    for hand, ways in classes():
        rank = best_of(hand)
        key = rank[:2] if rank[0] == 1 else rank[0]
        if key not in odds:
            bet = {"bet": "aa_bonus"}
            outcome = {"player": " ".join(hand[:2]), "board": " ".join(hand[2:]), "void": "x"}
            _, line = lines("casino_holdem", "hc2011", outcome, ANTE, bet)
            odds[key] = line.win - line.lost
        bank_gain -= ways * odds[key]
    assert Fraction(bank_gain, STAKE * 2598960) == Fraction(162652, 2598960)
    assert f"{100 * 162652 / 2598960:.4f}" == "6.2583"


def test_9_6_faults():
    """With the flop the AA bonus is decided; ante and call wait for the rest."""
    bets = (ANTE, BET, {"bet": "aa_bonus"})
    for board, wanted in (("AS 9H", "void"), ("AS 9H 4D", "win"), ("AS 9H 4D JC 2H", "win")):
        outcome = {"player": "AD 3D", "board": board, "void": "jam"}
        words = [line.outcome for line in lines("casino_holdem", "hc2011", outcome, *bets)]
        assert words == ["void", "void", wanted]
    outcome = {"player": "AD 3D", "board": "AS 9H 4D", "void": "jam"}
    settled = lines("casino_holdem", "hc2011", outcome, FOLD, {"bet": "aa_bonus"})
    assert [line.outcome for line in settled] == ["lose", "win"]
    for wrong in (dealt("AD", BOARD, FOURS), dealt("AD AH", BOARD[:-3], FOURS)):
        assert refusal("casino_holdem", "hc2011", wrong) == "deal_incomplete"
    assert (
        refusal("casino_holdem", "hc2011", dealt("AD AH 2S", BOARD, FOURS)) == "deal_not_by_rule"
    )
