"""Main-game edges of rulebook chapter 14 and 9.2 to 9.6, by seeded Monte-Carlo.

`python host_tools/bench/edges.py` plays as many hands as one has time for; here are enough to see
that no payout is wrong by much, with an interval of three standard errors.
"""

from pathlib import Path

import pytest

from hil_tests.thinned import thinned

BENCH = Path(__file__).resolve().parents[1] / "bench"
# Game, edge of the rulebook in percent, hands, the largest standard error of the edge in percent.
PLAYED = [
    ("caribbean hc2011", 5.33, 20_000, 1.7),
    ("caribbean hc2023", 5.33, 20_000, 1.7),
    ("caribbean gr2003", 5.33, 20_000, 1.7),
    ("casino_holdem", 2.16, 2_000, 6.4),
    ("four_card", 3.5, 12_000, 2.5),
    ("ultimate", 2.185, 10_000, 4.2),
]


@pytest.fixture
def edges(monkeypatch):
    """The module that plays."""
    monkeypatch.syspath_prepend(str(BENCH))
    import edges

    return edges


@pytest.mark.parametrize(("game", "percent", "hands", "most"), thinned(PLAYED, 2))
def test_9_edge_of_the_main_game(edges, game, percent, hands, most):
    """Within three standard errors, which are as small as the hands allow.

    Every second game; all of them by `make soak`.
    """
    estimate = edges.estimate(game, hands, seed=14)
    assert estimate.hands == hands
    assert 100 * estimate.error < most
    assert abs(100 * estimate.edge - percent) < 300 * estimate.error


def test_a_seed_plays_the_same_hands(edges):
    """And the editions of one game the same cards."""
    one, same, other = (edges.estimate("caribbean hc2023", 300, seed) for seed in (1, 1, 2))
    assert one == same != other
    assert edges.estimate("caribbean gr2003", 300, 1) == one


@pytest.mark.parametrize(
    ("own", "four"),
    [
        ("3C 3D", True),
        ("2C 2D", False),
        ("AC 2D", True),
        ("KC 5D", True),
        ("KC 4D", False),
        ("KC 2C", True),
        ("QC 8D", True),
        ("QC 7D", False),
        ("QC 6C", True),
        ("JC TD", True),
        ("JC 9D", False),
        ("JC 8C", True),
        ("TC 9C", False),
    ],
)
def test_what_is_bet_before_the_flop(edges, own, four):
    """The published table of Ultimate Texas Hold'em."""
    assert edges._bets_four(tuple(own.split())) is four
