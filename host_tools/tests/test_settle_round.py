"""The core of settlement: verdicts as shares, whole cents, balance."""

from contextlib import nullcontext
from fractions import Fraction

import pytest
from msgspec.structs import astuple

from tabletools.games import roulette
from tabletools.rules import settlement
from tabletools.rules.bets import CompiledBet
from tabletools.rules.declared import replaced
from tabletools.rules.settlement import Settlement, Totals
from tabletools.rules.verdict import OUTCOMES, push, stand, verdict, win
from tabletools.rules.violation import RuleViolation

FRENCH = roulette.rules_of("hc2023", "french")


def bet(name, stake, verdicts):
    return CompiledBet(name, stake, verdicts, chance=None)


def test_a_verdict_is_a_division_of_the_stake():
    """What is neither back nor live is lost, in the smallest common units."""
    quarter = verdict("half", "x 1", back=Fraction(1, 4))
    assert astuple(quarter) == ("half", 4, 0, 1, 0, 3, None, "x 1")
    assert astuple(win((3, 2), "x 1")) == ("win", 2, 3, 2, 0, 0, None, "x 1 pays 3:2")
    assert astuple(win((19, 20), "x 1"))[1:6] == (20, 19, 20, 0, 0)
    assert astuple(win((35, 1), "x 1"))[1:6] == (1, 35, 1, 0, 0)


@pytest.mark.parametrize(
    ("outcome", "shares"),
    [
        ("half", {"back": Fraction(3, 4), "live": Fraction(1, 2)}),
        ("lose", {"back": -1}),
        ("win", {"win": -1, "back": 1}),
        ("halved", {"back": 1}),
    ],
)
def test_a_verdict_that_is_no_division_cannot_be_built(outcome, shares):
    """A wrong rule table fails where it is written, not where it pays."""
    with pytest.raises(ValueError, match="no division of a stake"):
        verdict(outcome, "x 1", **shares)


def test_any_game_plugs_in_by_its_verdicts():
    """Outcomes may be any key; odds such as 3:2 pay exactly; all seven outcomes exist."""
    shoe = {"natural": win((3, 2), "x 1"), "tie": push("x 2"), "fault": stand("x 3")}
    placed = [bet("a", 10, shoe), bet("b", 500, shoe)]
    assert settlement.settle_round(placed, "natural") == [
        Settlement("a", "win", 10, 15, 10, 0, 0, None, "x 1 pays 3:2"),
        Settlement("b", "win", 500, 750, 500, 0, 0, None, "x 1 pays 3:2"),
    ]
    assert settlement.settle_round(placed, "tie")[0].outcome == "push"
    assert set(OUTCOMES) == {"win", "lose", "push", "half", "prison", "stand", "void"}


def test_a_part_of_a_cent_refuses_the_whole_round():
    """READING-2: no rounding. The bet is named, no bet of the round is settled."""
    shoe = {"natural": win((3, 2), "x 1")}
    placed = [bet("a", 10, shoe), bet("b", 5, shoe)]
    with pytest.raises(RuleViolation, match="stake 5 of bet 'b' does not divide by 2") as refused:
        settlement.settle_round(placed, "natural")
    assert (refused.value.code.name, refused.value.where) == ("not_whole_cents", "bets[1].stake")
    with pytest.raises(RuleViolation):
        settlement.verify_round(placed, "natural")
    settlement.verify_round(placed[:1], "natural")


# READING-2 on a French even chance: state, stake, choice -> settled at zero, or not whole.
WHOLE = [
    (None, 501, "half", False),
    (None, 501, "prison", True),
    (None, 502, "half", True),
    ("prison1", 502, "half", False),
    ("prison1", 502, "prison", True),
    ("prison1", 501, "prison", False),
    ("prison1", 504, "half", True),
    ("prison2", 501, "half", True),
]


@pytest.mark.parametrize(("state", "stake", "choice", "whole"), WHOLE)
def test_reading_2_refusal_depends_on_this_outcome(state, stake, choice, whole):
    """A stake that would not divide at zero is settled at any other pocket."""
    slip = roulette.RouletteSlip(id="1", bet="red", stake=stake, state=state, choice=choice)
    placed = [roulette.accept(FRENCH, slip)]
    with nullcontext() if whole else pytest.raises(RuleViolation, match="does not divide by"):
        settlement.verify_round(placed, roulette.outcome_of(FRENCH, "0"))
    for pocket in ("1", "2", "36"):
        settlement.verify_round(placed, roulette.outcome_of(FRENCH, pocket))
    settlement.verify_round(placed, roulette.VOID)


def test_totals_and_balance():
    """Sums by column; a list that does not balance is never returned."""
    slips = [
        roulette.RouletteSlip(id="1", bet="straight", numbers=["0"], stake=100),
        roulette.RouletteSlip(id="2", bet="red", stake=200),
        roulette.RouletteSlip(id="3", bet="noir", stake=300, choice="prison"),
    ]
    placed = [roulette.accept(FRENCH, slip) for slip in slips]
    lines = settlement.settle_round(placed, roulette.outcome_of(FRENCH, "0"))
    assert settlement.totals(lines) == Totals(stake=600, win=3500, back=200, live=300, lost=100)
    wrong = [lines[0], replaced(lines[1], back=101), lines[2]]
    with pytest.raises(settlement.Unbalanced):
        settlement.verify_balance([100, 200, 300], wrong)
    with pytest.raises(settlement.Unbalanced):
        settlement.verify_balance([100, 200, 300], lines[:2])


def test_every_line_balances_with_its_own_stake():
    """Two wrong divisions that make up for each other in the sum are found."""
    twice = replaced(push("x 1"), back=2)
    nothing = replaced(push("x 1"), back=0)
    with pytest.raises(settlement.Unbalanced, match="2 stakes"):
        settlement.settle_round([bet("1", 100, [twice]), bet("2", 100, [nothing])], 0)


def test_no_bets_no_lines():
    """A round without bets settles to nothing."""
    assert settlement.settle_round([], 0) == []


def test_a_settlement_cannot_be_changed():
    """A line is a record."""
    line = Settlement("1", "lose", 5, 0, 0, 0, 5, None, "x")
    with pytest.raises(AttributeError):
        line.win = 7
