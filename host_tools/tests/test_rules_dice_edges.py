"""Dice games: the edges of rulebook 14 as fractions, over every throw, through the settlement."""

from fractions import Fraction
from itertools import product

import pytest
from msgspec.structs import astuple

from host_tools.tests.printed_figures import ROCKET_7_EDGES, SIC_BO_EDGES, bets_of
from tabletools.games import GAMES
from tabletools.settle.json_lines import settle_record

STAKE = 100


def settle_bet(game, edition, bet, faces):
    """Settle one bet at one throw; the stake is 100 cents unless the bet has another."""
    record = {
        "rules": edition,
        "game": game,
        "bets": [{"id": "1", "stake": STAKE, **bet}],
        "outcome": {"dice": list(faces)},
    }
    [line] = settle_record(record)
    assert line.stake == line.back + line.live + line.lost
    return line


def bank_gain(game, edition, bet, dice):
    """What the bank keeps of a stake of 1, over every throw of a bet that ends at once."""
    lines = [settle_bet(game, edition, bet, faces) for faces in product(range(1, 7), repeat=dice)]
    assert not any(line.live for line in lines)
    return Fraction(sum(line.lost - line.win for line in lines), STAKE * len(lines))


@pytest.mark.parametrize(
    ("bets", "edge_2023", "edge_2011"), SIC_BO_EDGES, ids=lambda v: str(v)[:30]
)
def test_5_sic_bo(bets, edge_2023, edge_2011):
    """Every bet of both editions, over all 216 throws."""
    for bet in bets:
        assert bank_gain("sic_bo", "hc2023", bet, 3) == Fraction(edge_2023, 216), bet
        assert bank_gain("sic_bo", "hc2011", bet, 3) == Fraction(edge_2011, 216), bet


@pytest.mark.parametrize(
    ("game", "edges"), [("sic_bo", SIC_BO_EDGES), ("rocket7", ROCKET_7_EDGES)]
)
def test_every_bet_of_a_game_has_its_edge(game, edges):
    """Each kind on each selection, in every edition."""
    listed = {(bet["bet"], tuple(bet.get("on", ()))) for bet in bets_of(edges)}
    for edition in GAMES[game].games.values():
        kinds = edition.kinds.items()
        assert listed == {(name, on) for name, kind in kinds for on in kind.selections.all}


@pytest.mark.parametrize(("bets", "edge"), ROCKET_7_EDGES, ids=lambda v: str(v)[:30])
def test_6_rocket_7(bets, edge):
    """Every bet over all 36 throws."""
    for bet in bets:
        assert bank_gain("rocket7", "hc2011", bet, 2) == Fraction(edge, 36), bet


def test_6_low_and_high_stand_off():
    """READING-19: 7 and the own extreme give the stake back, the other extreme loses."""
    for bet, pushes, loses in (("low", (1, 1), (6, 6)), ("high", (6, 6), (1, 1))):
        for faces in (pushes, (3, 4), (6, 1), (2, 5)):
            assert astuple(settle_bet("rocket7", "hc2011", {"bet": bet}, faces))[1:7] == (
                ("push", STAKE, 0, STAKE, 0, 0)
            )
        assert settle_bet("rocket7", "hc2011", {"bet": bet}, loses).outcome == "lose"


@pytest.mark.parametrize("bet", ["A", "B"])
def test_8_barbut(bet):
    """5 per cent of what is decided, 1/72 of a throw; 26 of 36 throws decide nothing."""
    throws = list(product(range(1, 7), repeat=2))
    lines = [settle_bet("barbut", "hc2023", {"bet": bet}, faces) for faces in throws]
    kept_cents = sum(line.lost - line.win for line in lines)
    decided = [line for line in lines if not line.live]
    assert len(decided) == 10
    assert Fraction(kept_cents, STAKE * len(decided)) == Fraction(1, 20)
    assert Fraction(kept_cents, STAKE * len(throws)) == Fraction(1, 72)
    assert {astuple(line)[1:] for line in lines if line.live} == {
        ("stand", STAKE, 0, 0, STAKE, 0, None, "hc2023 4:4(3)")
    }


# Rulebook 8: the result of A; B is the mirror.
BARBUT = {
    (1, 1): ("win", 50),
    (2, 2): ("win", 100),
    (4, 4): ("win", 100),
    (1, 2): ("win", 100),
    (2, 1): ("win", 100),
    (3, 3): ("lose", 0),
    (5, 5): ("lose", 0),
    (6, 6): ("lose", 0),
    (5, 6): ("lose", 0),
    (6, 5): ("lose", 0),
}


def test_8_barbut_throw_by_throw():
    """Group A wins A and loses B, group B the reverse, 1-1 and 6-6 at half."""
    for faces in product(range(1, 7), repeat=2):
        line = settle_bet("barbut", "hc2023", {"bet": "A"}, faces)
        assert (line.outcome, line.win) == BARBUT.get(faces, ("stand", 0)), faces
        mirror = settle_bet("barbut", "hc2023", {"bet": "B"}, faces)
        wanted = {"win": "lose", "lose": "win", "stand": "stand"}[line.outcome]
        paid = 0 if wanted != "win" else 50 if faces == (6, 6) else 100
        assert (mirror.outcome, mirror.win) == (wanted, paid), faces
