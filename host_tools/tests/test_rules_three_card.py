"""Three Card Poker: rankings, qualification, the edges of rulebook 9.3, folds and faults."""

from bisect import bisect_left
from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import combinations, pairwise

import pytest
from msgspec.structs import astuple

from host_tools.tests import card_rounds
from host_tools.tests.card_rounds import STAKE
from tabletools.games import three_card

RANKS, SUITS = "23456789TJQKA", "CDHS"
DECK = tuple(rank + suit for rank in RANKS for suit in SUITS)
HANDS = tuple(combinations(DECK, 3))
BONUS = {"minimum": None, "bonus_always": True}


def naive(hand):
    """Rulebook 9.1 as a person reads it: (combination, cards), combination as a word."""
    order = sorted((RANKS.index(card[0]) for card in hand), reverse=True)
    one_suit = len({card[1] for card in hand}) == 1
    run = order in ([n + 2, n + 1, n] for n in range(11)) or order == [12, 1, 0]
    if run:
        return ("straight flush" if one_suit else "straight"), [
            1 if order[0] == 12 and order[1] == 1 else order[0]
        ]
    times = Counter(order)
    if 3 in times.values():
        return "three", order
    if 2 in times.values():
        return "pair", [max(times, key=times.get), min(times, key=times.get)]
    return ("flush" if one_suit else "high"), order


WORDS = ["high", "pair", "flush", "straight", "three", "straight flush"]


def strength(hand):
    word, cards = naive(hand)
    return WORDS.index(word), *cards


def lines(outcome, *bets, **more):
    return card_rounds.lines("three_card", outcome, *bets, **more)


def refusal(outcome, *bets, **more):
    error = card_rounds.refused("three_card", outcome, *bets, **more)
    return error.code.name, error.where


def deal(player, bank="QD 7S 3C"):
    return {"player": player, "bank": bank}


ALL = ({"bet": "ante"}, {"bet": "bet"}, {"bet": "pair_plus"})


def test_9_1_how_often_each_combination_comes():
    """48 straight flushes, 52 threes, 720 straights, 1096 flushes, 3744 pairs, 16440 others."""
    counts = Counter(three_card.rank_of(hand)[0] for hand in HANDS)
    assert [counts[n] for n in range(6)] == [16440, 3744, 1096, 720, 52, 48]


def test_9_1_the_order_of_all_hands():
    """Sorted by the program, the hands stand as sorted by a naive ranking, ties and all."""
    keys = {hand: (three_card.rank_of(hand), strength(hand)) for hand in HANDS}
    ours = sorted({key for key, _ in keys.values()})
    theirs = sorted({key for _, key in keys.values()})
    pairs = set(keys.values())
    assert len(ours) == len(theirs) == len(pairs)
    assert sorted(pairs) == list(zip(ours, theirs, strict=True))


def test_9_3_pair_plus():
    """596 of 22100 stay with the bank, over every hand."""
    bank_gain = 0
    by_word = {}
    for hand in HANDS:
        word = naive(hand)[0]
        if word not in by_word:
            bank = [card for card in DECK if card not in hand][-3:]
            [line] = lines(deal(" ".join(hand), " ".join(bank)), {"bet": "pair_plus"})
            by_word[word] = line.lost - line.win
        bank_gain += by_word[word]
    assert Fraction(bank_gain, STAKE * 22100) == Fraction(596, 22100)


MASK = {card: 1 << place for place, card in enumerate(DECK)}


def mask(cards):
    return sum(MASK[card] for card in cards)


@cache
def places():
    """Each hand's place in the order of strengths, by its cards as bits; equal hands share one."""
    order = {key: place for place, key in enumerate(sorted(set(map(strength, HANDS))))}
    return {mask(hand): order[strength(hand)] for hand in HANDS}


@cache
def queen_high():
    """The place of the lowest hand that qualifies, Q-3-2 in two suits."""
    return places()[mask(("QD", "3S", "2C"))]


def split(cards, own):
    """How many of these places are (not qualified, lower, equal, higher). cards: in order."""
    queen = queen_high()
    cuts = [bisect_left(cards, n) for n in (queen, max(own, queen), max(own + 1, queen))]
    return [high - low for low, high in pairwise([0, *cuts, len(cards)])]


@cache
def all_places():
    return sorted(places().values())


def against(player):
    """The same of the bank's 18424 hands: all hands less those that share a card."""
    own, table = places()[mask(player)], places()
    rest = [MASK[card] for card in DECK if card not in player]
    one, two, three = (MASK[card] for card in player)
    twos = [first + second for first, second in combinations(rest, 2)]
    shared = [table[card + pair] for card in (one, two, three) for pair in twos]
    shared += [
        table[pair + card] for pair in (one + two, one + three, two + three) for card in rest
    ]
    shared.append(table[one + two + three])
    every, less = split(all_places(), own), split(sorted(shared), own)
    return [many - few for many, few in zip(every, less, strict=True)]


def canonical_hands():
    """One hand of each pattern of suits, with how many there are."""
    counts = Counter()
    sample = {}
    for hand in HANDS:
        names = {}
        pattern = tuple((card[0], names.setdefault(card[1], len(names))) for card in hand)
        key = min(
            tuple(sorted((rank, order[suit]) for rank, suit in pattern))
            for order in ((0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0))
        )
        counts[key] += 1
        sample.setdefault(key, hand)
    return [(sample[key], count) for key, count in counts.items()]


# A bank that does not qualify, is lower, equal, higher than the player: by the player's word.
# No deck has a second three of nines.
PLAYERS = {
    "high": ("KH 8D 6C", ["JD 7S 3C", "QD 7S 3C", "KD 8S 6H", "AD 7S 3C"]),
    "pair": ("9H 9D 6C", ["JD 7S 3C", "QD 7S 3C", "9S 9C 6H", "TD TS 3C"]),
    "flush": ("9H 7H 6H", ["JD 7S 3C", "QD 7S 3C", "9S 7S 6S", "TD 4D 3D"]),
    "straight": ("9H 8D 7H", ["JD 7S 3C", "QD 7S 3C", "9S 8S 7C", "TD 9D 8S"]),
    "three": ("9H 9D 9C", ["JD 7S 3C", "QD 7S 3C", None, "TD TS TC"]),
    "straight flush": ("9H 8H 7H", ["JD 7S 3C", "QD 7S 3C", "9D 8D 7D", "TD 9D 8D"]),
}


@cache
def net(word, bonus_always):
    """The player's net of ante and bet, in stakes, by the four cases of the bank."""
    player, banks = PLAYERS[word]
    table = {"bonus_always": bonus_always}
    nets = []
    for bank in banks:
        if bank is None:
            nets.append(0)
            continue
        settled = lines(deal(player, bank), *ALL[:2], table=table)
        nets.append(sum(line.win - line.lost for line in settled) // STAKE)
    return nets


def test_9_3_edge_of_the_ante():
    """Optimal play: 5.0419 per cent by the letter, 3.3730 with the customary bonus."""
    totals = {False: 0, True: 0}
    for hand, count in canonical_hands():
        cases = against(hand)
        assert sum(cases) == 18424
        assert cases[2] == 0 or naive(hand)[0] != "three"
        for always in totals:
            won = sum(n * each for n, each in zip(cases, net(naive(hand)[0], always), strict=True))
            totals[always] += count * max(won, -18424)
    edges = {always: -100 * total / (22100 * 18424) for always, total in totals.items()}
    assert {always: f"{edge:.4f}" for always, edge in edges.items()} == (
        {False: "5.0419", True: "3.3730"}
    )


@pytest.mark.parametrize(
    ("bank", "ante", "bet", "articles"),
    [
        ("JD 7S 3C", ("win", 100), ("push", 0), ("3:8(8)", "3:8(8)")),
        ("QD 7S 3C", ("win", 100), ("win", 100), ("3:8(7)", "3:8(7)")),
        ("KD 8S 6H", ("push", 0), ("push", 0), ("3:8(6)", "3:8(6)")),
        ("2D 2S 3C", ("lose", 0), ("lose", 0), ("3:8(6)", "3:8(6)")),
    ],
)
def test_9_3_against_the_bank(bank, ante, bet, articles):
    """The table of rulebook 9.3 with a king high; a pair of twos qualifies (READING-28)."""
    first, second, third = lines(deal("KH 8D 6C", bank), *ALL)
    assert ((first.outcome, first.win), (second.outcome, second.win)) == (ante, bet)
    assert (first.rule, second.rule) == tuple(f"hc2023 {article}" for article in articles)
    assert (third.outcome, third.rule) == ("lose", "hc2023 3:8(9)")
    old = lines(deal("KH 8D 6C", bank), *ALL, edition="hc2011")
    assert [astuple(line)[1:8] for line in old] == [
        astuple(line)[1:8] for line in (first, second, third)
    ]
    assert old[0].rule == "hc2011 " + articles[0].replace("3:8", "3:7")


BONUSES = [("straight", 1), ("three", 4), ("straight flush", 5), ("flush", 0), ("pair", 0)]


@pytest.mark.parametrize(("word", "bonus"), BONUSES)
def test_reading_29_the_ante_bonus(word, bonus):
    """By the letter with a qualified and beaten bank only; as an option always."""
    player, banks = PLAYERS[word]
    for bank, plain, beaten in zip(banks, (1, 1, 0, 0), (False, True, False, False), strict=True):
        if bank is None:
            continue
        for table, paid in ((None, beaten), (BONUS, True)):
            line = lines(deal(player, bank), *ALL[:2], table=table)[0]
            assert line.win == STAKE * (plain + (bonus if paid else 0))
            assert line.lost == (STAKE if bank == banks[3] else 0)


def test_a_folded_ante_is_lost_and_pair_plus_is_not():
    """Fold: the ante is lost whatever the bank has; Pair Plus is paid all the same."""
    folded = {"bet": "ante", "choice": "fold"}
    first, second = lines(deal("9H 9D 9C", "JD 7S 3C"), folded, {"bet": "pair_plus"})
    assert (first.outcome, first.lost, first.win, first.rule) == ("lose", 100, 0, "hc2023 3:8(3)")
    assert (second.outcome, second.win) == ("win", 3300)


def test_3_1_7_a_fault_before_the_bank_has_its_cards():
    """Folded antes and Pair Plus are decided, other bets are returned; undecided antes too."""
    jam = {"player": "9H 9D 6C", "void": "jam"}
    words = [line.outcome for line in lines(jam, *ALL)]
    assert words == ["void", "void", "win"]
    assert [line.outcome for line in lines(jam, {"bet": "ante"})] == ["void"]
    assert [line.outcome for line in lines(jam, {"bet": "ante", "choice": "fold"})] == ["lose"]
    assert [line.outcome for line in lines({"player": "9H", "void": "jam"}, *ALL)] == ["void"] * 3
    assert [line.outcome for line in lines({"void": "jam"}, *ALL)] == ["void"] * 3


WRONG = [
    [{"bet": "ante"}],
    [{"bet": "bet"}],
    [{"bet": "ante"}, {"bet": "bet", "stake": 200}],
    [{"bet": "ante"}, {"bet": "bet", "player": "q"}],
    [{"bet": "ante", "choice": "fold"}, {"bet": "bet"}],
]


@pytest.mark.parametrize("bets", WRONG, ids=str)
def test_the_second_stake_equals_the_ante(bets):
    """3:8(4): equal to the ante, none with a fold, none without an ante."""
    assert refusal(deal("9H 9D 6C"), *bets)[0] == "bet_not_in_round"


@pytest.mark.parametrize(
    ("outcome", "code"),
    [
        (deal("9H 9D"), "deal_incomplete"),
        (deal("9H 9D 6C", "QD 7S"), "deal_incomplete"),
        (deal("9H 9D 6C 2C"), "deal_not_by_rule"),
        ({**deal("9H 9D 6C", "2C 3C 4C 5C"), "void": "x"}, "deal_not_by_rule"),
        (deal("9H 9D 6X"), "cards_invalid"),
    ],
)
def test_hands_that_cannot_be_are_refused(outcome, code):
    """Three cards each, unless a fault came."""
    assert refusal(outcome)[0] == code
