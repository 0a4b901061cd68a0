"""Small games enumerated: every bet at every outcome, paid as the shadow computes."""

from itertools import combinations, product

import pytest

from host_tools.tests.printed_figures import ROCKET_7_EDGES, SIC_BO_EDGES, bets_of
from host_tools.tests.shadow_rounds import banco_draws, record
from tabletools import shadow
from tabletools.settle.json_lines import settle_record
from tabletools.shadow import roulette

RANKS = "23456789TJQKA"
FACES = range(1, 7)


def agree(game, rules, outcomes, bets, **more):
    """Compare every bet at every outcome; returns how many. Each stakes 2000 by a player."""
    some = [{"id": str(n), "player": str(n), "stake": 2000, **bet} for n, bet in enumerate(bets)]
    settled = 0
    for outcome in outcomes:
        round_ = record(game, rules, some, outcome, **more)
        settled_bets = [
            (x.outcome, x.win, x.back, x.live, x.lost, x.state, x.paragraphs)
            for x in settle_record(round_)
        ]
        assert settled_bets == shadow.judge(round_), outcome
        settled += len(settled_bets)
    return settled


def on(name, places):
    """A bet on each of some places."""
    return [{"bet": name, "on": list(place)} for place in places]


def numbers(some):
    """A place for each number."""
    return [[n] for n in some]


@pytest.mark.parametrize(
    ("variant", "places"),
    [("french", 157), ("american", 157), ("american00", 161), ("quick", 151)],
)
def test_roulette(variant, places):
    """Every place on the cloth at every pocket, in every state and choice.

    One zero: 37 + 60 splits + 14 streets + 23 corners + 11 + 3 + 3 + 6 places.
    """
    zeros = ("0", "00") if variant == "american00" else ("0",)
    bets = [
        {"bet": kind, "numbers": sorted(place)}
        for kind, some in roulette.cloth(zeros).items()
        for place in some
        if variant != "quick" or len(place) != 12
    ]
    assert len(bets) == places
    if variant == "french":
        ways = list(
            product(roulette.EVEN_CHANCES, [None, "prison1", "prison2"], ["half", "prison"])
        )
        bets += [{"bet": bet, "state": state, "choice": choice} for bet, state, choice in ways]
    outcomes = [{"pocket": pocket} for pocket in (*zeros, *map(str, range(1, 37)))]
    assert agree("roulette", "hc2023", outcomes, bets, variant=variant) == len(bets) * len(
        outcomes
    )


@pytest.mark.parametrize("rules", ["hc2011", "hc2023"])
def test_sic_bo(rules):
    """Every bet at 216 throws."""
    bets = bets_of(SIC_BO_EDGES)
    throws = [{"dice": list(throw)} for throw in product(FACES, repeat=3)]
    assert agree("sic_bo", rules, throws, bets) == len(bets) * 216


def test_two_dice():
    """All bets of Rocket 7, Diceball in each state, and Barbut at 36 throws."""
    throws = [{"dice": list(throw)} for throw in product(FACES, repeat=2)]
    agree("rocket7", "hc2011", throws, bets_of(ROCKET_7_EDGES))
    bets = [{"bet": "seven_out"}, {"bet": "run"}, {"bet": "slam"}, *on("hard", numbers(FACES))]
    bets += on("place", [[list(pair)] for pair in combinations(FACES, 2) if sum(pair) != 7])
    bets += [{"bet": "run", "state": f"run{n}"} for n in (1, 2, 3)]
    bets += [{"bet": "slam", "state": f"slam{n}"} for n in range(1, 24)]
    agree("diceball", "hc2023", throws, bets)
    agree("barbut", "hc2023", throws, [{"bet": "A"}, {"bet": "B"}])


def test_wheels():
    """Every number of both wheels."""
    pays = (1, 3, 5, 10, 20, 45)
    agree("big_wheel", "hc2011", [{"pays": n} for n in pays], on("segment", numbers(pays)))
    pays = (1, 2, 7, 100, 1000)
    agree("money_wheel", "hc2023", [{"pays": n} for n in pays], on("segment", numbers(pays)))


def test_single_cards():
    """Ranks of High Low, Red Dog and Casino War; Red Dog's third card where there is one."""
    two = list(product(RANKS, repeat=2))
    hands = [{"communal": f"{a}S", "bank": f"{b}H"} for a, b in two]
    bets = [{"bet": name} for name in ("high", "low", "egalite")]
    agree("high_low", "hc2011", hands, bets)
    locked = [{**bet, "state": "locked"} for bet in bets]
    agree("high_low", "hc2011", hands, locked)
    dealt = [
        {"cards": f"{a}S {b}H" + (f" {c}D" if abs(RANKS.index(a) - RANKS.index(b)) != 1 else "")}
        for a, b, c in product(RANKS, repeat=3)
    ]
    assert agree("red_dog", "hc2011", dealt, [{"bet": "bet"}]) == 13**3
    hands = [{"player": f"{a}S", "bank": f"{b}H"} for a, b in two]
    for choice in (None, "surrender", "war"):
        both = [{"bet": name, "choice": choice, "player": "p"} for name in ("bet", "tie")]
        agree("casino_war", "hc2023", hands, both)
    war = [{"bet": name, "state": "war", "player": "p"} for name in ("bet", "tie")]
    for table in (None, {"tie_kept": True}):
        agree("casino_war", "hc2023", hands, [*war, {"bet": "war", "player": "p"}], table=table)


def punto_banco_deals():
    """Both totals of two cards, with every third card the drawing rules deal."""
    ranks = dict(zip(range(10), "TA23456789", strict=True))
    for punto, banco in product(range(10), repeat=2):
        for third, fourth in product(range(10), repeat=2):
            hands = [["KS", f"{ranks[punto]}H"], ["QS", f"{ranks[banco]}D"]]
            if max(punto, banco) < 8:
                if punto < 6:
                    hands[0].append(f"{ranks[third]}C")
                is_drawn = banco_draws(banco, third) if punto < 6 else banco < 6
                if is_drawn:
                    hands[1].append(f"{ranks[fourth]}C")
            yield hands


@pytest.mark.parametrize(
    ("game", "rules", "variant"),
    [
        ("punto_banco", "hc2011", "commission"),
        ("punto_banco", "hc2023", "straight"),
        ("baccarat", "de-live", None),
    ],
)
def test_punto_banco(game, rules, variant):
    """Every bet at every deal by value."""
    names = ("player", "banker") if game == "baccarat" else ("punto", "banco")
    bets = [{"bet": name} for name in (*names, "tie" if game == "baccarat" else "egalite")]
    if rules == "hc2023":
        bets += on("super_egalite", numbers(range(10)))
    deals = {tuple(" ".join(cards) for cards in hands) for hands in punto_banco_deals()}
    outcomes = [dict(zip(names, deal, strict=True)) for deal in sorted(deals)]
    agree(game, rules, outcomes, bets, variant=variant)
