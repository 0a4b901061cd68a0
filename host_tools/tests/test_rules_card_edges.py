"""Card games: the edges of rulebook 9 and 14, every order of ranks, through the settlement.

Each distinct result is settled once; how often it comes is counted here, by the test's own rules.
"""

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, product

import pytest

from tabletools.settle.json_lines import settle_record

RANKS = "23456789TJQKA"
STAKE = 200


def settle_bet(game, edition, bet, outcome, **more):
    record = {
        "rules": edition,
        "game": game,
        "bets": [{"id": "1", "player": "p", "stake": STAKE, **bet}, *more.pop("beside", [])],
        "outcome": outcome,
        **more,
    }
    line = settle_record(record)[0]
    assert line.stake == line.back + line.live + line.lost
    return line


def edge(game, edition, bet, weighted, **more):
    """What the bank keeps of a stake of 1. weighted: (outcome, how often) pairs."""
    bank_gain = times = 0
    for outcome, weight in weighted:
        line = settle_bet(game, edition, bet, outcome, **more)
        assert not line.live
        bank_gain += weight * (line.lost - line.win)
        times += weight
    return Fraction(bank_gain, STAKE * times)


def percent(fraction):
    return f"{float(100 * fraction):.4f}"


# Punto Banco: the tableau of rulebook 9.9 once more, on points.
DRAWS = {3: {0, 1, 2, 3, 4, 5, 6, 7, 9}, 4: set(range(2, 8)), 5: set(range(4, 8)), 6: {6, 7}}
DRAWS |= {points: set(range(10)) for points in range(3)}
CARD = {0: "K", 1: "A", **{n: str(n) for n in range(2, 10)}}


def rounds():
    """Yield (punto, banco) in card points for every round, first two cards from low to high."""
    twos = list(combinations_with_replacement(range(10), 2))
    for punto, banco in product(twos, twos):
        yield from thirds(punto, banco)


def thirds(punto, banco):
    p, b = sum(punto) % 10, sum(banco) % 10
    if p >= 8 or b >= 8:
        yield punto, banco
    elif p >= 6:
        yield from ((punto, (*banco, x)) for x in range(10)) if b <= 5 else ((punto, banco),)
    else:
        for t in range(10):
            if t in DRAWS.get(b, ()):
                yield from (((*punto, t), (*banco, x)) for x in range(10))
            else:
                yield (*punto, t), banco


@cache
def results(decks):
    """How often each (punto, banco) total comes, over ordered deals of the shoe."""
    shoe = [16 * decks, *[4 * decks] * 9]
    counts = Counter()
    for punto, banco in rounds():
        left, size = list(shoe), 52 * decks
        ways = (1 if punto[0] == punto[1] else 2) * (1 if banco[0] == banco[1] else 2)
        for card in (*punto, *banco):
            ways *= left[card]
            left[card] -= 1
            size -= 1
        # Deals of four or five cards are counted as often as the sixes they are part of.
        for _ in range(6 - len(punto) - len(banco)):
            ways *= size
            size -= 1
        counts[sum(punto) % 10, sum(banco) % 10] += ways
    return counts


@cache
def deal(punto, banco):
    """A round of these totals, as the outcome of a record."""
    for cards, bank in rounds():
        if (sum(cards) % 10, sum(bank) % 10) == (punto, banco):
            return {"punto": written(cards), "banco": written(bank)}
    raise AssertionError((punto, banco))


def written(values):
    return " ".join(CARD[value] + "H" for value in values)


def weighted(decks):
    return [(deal(*totals), ways) for totals, ways in results(decks).items()]


PUNTO = [
    ("hc2011", "commission", {"bet": "punto"}, "1.2351", "1.2374"),
    ("hc2011", "commission", {"bet": "banco"}, "1.0579", "1.0558"),
    ("hc2011", "straight", {"bet": "banco"}, "0.9328", "0.9318"),
    ("hc2023", "straight", {"bet": "banco"}, "0.9328", "0.9318"),
    ("hc2023", "straight", {"bet": "punto"}, "1.2351", "1.2374"),
    ("hc2023", "straight", {"bet": "egalite"}, "14.3596", "14.4382"),
]
SUPER = "12.4527 11.4150 9.5412 10.5243 12.1401 11.8732 11.4952 6.3899 11.0669 10.6348".split()


@pytest.mark.parametrize(("edition", "variant", "bet", "eight", "six"), PUNTO)
def test_9_9_punto_banco(edition, variant, bet, eight, six):
    """Punto, Banco and Égalité with 8 and with 6 decks."""
    for decks, wanted in ((8, eight), (6, six)):
        computed_edge = edge("punto_banco", edition, bet, weighted(decks), variant=variant)
        assert percent(computed_edge) == wanted


@pytest.mark.parametrize(("points", "wanted"), [*enumerate(SUPER)])
def test_9_9_super_egalite(points, wanted):
    """Each of the ten bets with 8 decks."""
    bet = {"bet": "super_egalite", "on": [points]}
    assert percent(edge("punto_banco", "hc2023", bet, weighted(8))) == wanted


@pytest.mark.parametrize("bet", ["punto_pair", "banco_pair"])
def test_9_9_pairs(bet):
    """11:1 on two first cards of one rank; K-Q is none."""
    for decks, wanted in ((8, "10.3614"), (6, "11.2540")):
        pair = {"punto": "8H 8D", "banco": "8C 8S"}, 4 * decks - 1
        other = {"punto": "KH QD 8D", "banco": "KC QS KS"}, 48 * decks
        assert percent(edge("punto_banco", "hc2023", {"bet": bet}, [pair, other])) == wanted


def test_de_live_baccarat():
    """Player, banker less 5 per cent, tie: the edges of the commission game."""
    for bet, wanted in (("player", "1.2351"), ("banker", "1.0579"), ("tie", "14.3596")):
        outcomes = [
            ({"player": each["punto"], "banker": each["banco"]}, ways)
            for each, ways in weighted(8)
        ]
        assert percent(edge("baccarat", "de-live", {"bet": bet}, outcomes)) == wanted


def orders(decks, count):
    """Yield (ranks, how often) for every order of ranks, of cards drawn from the shoe."""

    def draw(ranks, ways):
        if len(ranks) == count:
            yield ranks, ways
            return
        for rank in RANKS:
            left = 4 * decks - ranks.count(rank)
            if left > 0:
                yield from draw((*ranks, rank), ways * left)

    return draw((), 1)


def spread(first, second):
    low, high = sorted((RANKS.index(first), RANKS.index(second)))
    return high - low - 1


RED_DOG = [(1, "3.1554"), (2, "3.0766"), (4, "2.8838"), (6, "2.7978"), (8, "2.7509")]


def red_dog_kept(decks, least):
    """Kept of a base stake of 1, with an extra bet of the same from a spread of `least` on."""
    bank_gain, times = Fraction(0), 0
    lines = {}
    for (a, b, c), ways in orders(decks, 3):
        outcome = {"cards": f"{a}H {b}D {c}C"}
        if outcome["cards"] not in lines:
            line = settle_bet("red_dog", "hc2011", {"bet": "bet"}, outcome)
            lines[outcome["cards"]] = Fraction(line.lost - line.win, STAKE)
        stakes = 2 if spread(a, b) >= least else 1
        bank_gain += ways * stakes * lines[outcome["cards"]]
        times += ways
    return bank_gain / times


@pytest.mark.parametrize(("decks", "wanted"), RED_DOG)
def test_9_8_red_dog(decks, wanted):
    """With an extra bet from a spread of seven on, by decks; never, with six decks."""
    assert percent(red_dog_kept(decks, 7)) == wanted
    if decks == 6:
        assert percent(red_dog_kept(decks, 99)) == "7.9681"


def one_each(own, bank):
    return {"player": own + "H", "bank": bank + "D"}


def war_kept(decks, bet, choice, table=None):
    """Kept of a stake of 1 on bet or tie, its war included; the second stake is not counted."""
    bank_gain, times = Fraction(0), 0
    cache_ = {}

    def net(kind, own, bank, state):
        """(kept, state) of one bet in one deal; the bet in a war brings its second stake along."""
        key = kind, own, bank, state
        if key not in cache_:
            main = {"id": "m", "player": "p", "bet": "bet", "stake": STAKE}
            main |= {"state": state, "choice": choice}
            second = {"id": "w", "player": "p", "bet": "war", "stake": STAKE}
            beside = ([] if kind == "bet" else [main]) + ([second] if state else [])
            asked = {"bet": kind, "choice": choice, "state": state}
            outcome = one_each(own, bank)
            more = {"beside": beside, "table": table}
            line = settle_bet("casino_war", "hc2023", asked, outcome, **more)
            total = line.lost - line.win
            if kind == "bet" and state:
                other = {"beside": [{**main, "choice": None}], "table": table}
                extra = settle_bet("casino_war", "hc2023", {"bet": "war"}, outcome, **other)
                total += extra.lost - extra.win
            cache_[key] = Fraction(total, STAKE), line.state
        return cache_[key]

    for (a, b, c, d), ways in orders(decks, 4):
        lost, state = net(bet, a, b, None)
        if state:
            lost += net(bet, c, d, state)[0]
        bank_gain += ways * lost
        times += ways
    return bank_gain / times


WAR = [
    ("bet", "war", None, "2.8771", "2.8978"),
    ("bet", "surrender", None, "3.6977", "3.7349"),
    ("tie", "surrender", None, "18.6495", "17.8313"),
    ("tie", "war", None, "20.0272", "19.1624"),
    ("tie", "war", {"minimum": 100, "tie_kept": True}, "16.6030", "15.7065"),
]


@pytest.mark.parametrize(("bet", "choice", "table", "six", "eight"), WAR)
def test_9_7_casino_war(bet, choice, table, six, eight):
    """War, surrender and tie with six and eight decks, every order of four cards."""
    assert percent(war_kept(6, bet, choice, table)) == six
    assert percent(war_kept(8, bet, choice, table)) == eight


def test_9_10_high_low():
    """6 decks: a tie occurs 23 times of 311; locked stakes are returned or lost (READING-46)."""
    tie = Fraction(23, 311)
    high, low, equal = ({"communal": own, "bank": "7D"} for own in ("8H", "6H", "7H"))

    def bank_gain(bet, outcome, state=None):
        line = settle_bet("high_low", "hc2011", {"bet": bet, "state": state}, outcome)
        assert line.state == ("locked" if outcome is equal else None)
        return Fraction(line.lost - line.win, STAKE)

    for bet in ("high", "low"):
        locked = (bank_gain(bet, high, "locked") + bank_gain(bet, low, "locked")) / 2
        fresh = (bank_gain(bet, high) + bank_gain(bet, low)) / 2
        assert bank_gain(bet, equal) == bank_gain(bet, equal, "locked") == 0
        bank_edge = (1 - tie) * fresh + tie * locked
        assert bank_edge == Fraction(23, 622)
        assert percent(bank_edge) == "3.6977"
    # A tie pays and the stake stays: e = (1 - tie) * lost + tie * (paid + e).
    bank_edge = (
        (1 - tie) * bank_gain("egalite", high) + tie * bank_gain("egalite", equal, "locked")
    ) / (1 - tie)
    assert bank_gain("egalite", high, "locked") == bank_gain("egalite", low) == 1
    assert percent(bank_edge) == "20.1389"
