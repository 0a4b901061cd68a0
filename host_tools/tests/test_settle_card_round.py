"""Rulebook C-1 (hc2023 and hc2011 3:1(7), READING-55), from the table's frame to the stakes."""

import pytest

from tablespec.roles.shuffler import REASONS
from tabletools import decode
from tabletools.roles.shuffler import SHUFFLER_CODES, outcome_of
from tabletools.rules.violation import RuleViolation
from tabletools.settle.json_lines import settle_record
from tablewire import codes
from tablewire import messages as m
from tablewire import shuffler as words
from tablewire.framing import Receiver
from tablewire.sender import Sender

JAM = words.JAM_INSIDE


def ended(ident, values):
    """A record of the table, as a host decodes it."""
    sender = Sender(4711, 1)
    sender.round = 12
    (frame,) = Receiver().feed(sender.build(ident, values, m.FLAG_DURABLE))
    return decode.record(frame)


def void_by(code):
    none = m.UNKNOWN_U16
    return ended(m.ROUND_VOID, (code, m.PHASE_NO_MORE_BETS, m.UNKNOWN_U8, none, 0, 0, none, none))


def came_to(game, bets, dealt, record, **more):
    """(outcome, win, back, lost) of each bet, in order."""
    numbered = [
        {"id": str(place), "player": "p", "stake": 1000, **bet} for place, bet in enumerate(bets)
    ]
    outcome = outcome_of(record, dealt)
    round_ = {"rules": "hc2023", "game": game, "bets": numbered, "outcome": outcome, **more}
    return [(line.outcome, line.win, line.back, line.lost) for line in settle_record(round_)]


BACK = ("void", 0, 1000, 0)
LOST = ("lose", 0, 0, 1000)


def test_pairs_are_decided_by_the_first_four_cards():
    """Two kings at Punto: 11:1 is paid (3:3(4)); Punto has 0 and must draw: the rest is open."""
    bets = [{"bet": "punto_pair"}, {"bet": "banco_pair"}, {"bet": "banco"}, {"bet": "egalite"}]
    results = came_to("punto_banco", bets, {"punto": "KH KD", "banco": "5C 2D"}, void_by(JAM))
    assert results == [("win", 11_000, 1000, 0), LOST, BACK, BACK]


def test_a_natural_has_decided_everything():
    """9 against 7: no card is to come (3:3(2)), so no stake is returned."""
    bets = [{"bet": "punto"}, {"bet": "banco"}]
    results = came_to("punto_banco", bets, {"punto": "4H 5D", "banco": "5C 2D"}, void_by(JAM))
    assert results == [("win", 1000, 1000, 0), LOST]


def test_a_busted_hand_is_lost_and_a_standing_one_undecided():
    """3:2(3): above 21 loses, whatever the bank has; 20 waits for the bank's second card."""
    bets = [{"bet": "bet"}]
    bust, stands = {"player": "KH 6D TS", "bank": "9C"}, {"player": "KH QD", "bank": "9C"}
    assert came_to("blackjack", bets, bust, void_by(JAM)) == [LOST]
    assert came_to("blackjack", bets, stands, void_by(JAM)) == [BACK]


def test_a_folded_ante_is_lost():
    """3:5(3): given up; who plays on has decided nothing, with the bank's cards still to come."""
    folded, plays = {"bet": "ante", "choice": "fold"}, {"bet": "ante"}
    dealt = {"player": "9H 7C 5D 3S 2D"}
    assert came_to("caribbean", [folded], dealt, void_by(JAM)) == [LOST]
    played = came_to("caribbean", [plays, {"bet": "bet", "stake": 2000}], dealt, void_by(JAM))
    assert played == [BACK, ("void", 0, 2000, 0)]


ANTE, BLIND = {"bet": "ante"}, {"bet": "blind"}
WON = ("win", 1000, 1000, 0)
# All cards are dealt, and the player's decision is missing: game, edition, cards, the bets
# that depend on the player's cards alone and their results.
WAITING = [
    ("caribbean", "hc2023", {"player": "9H 9C 5D 3S 2D", "bank": "AS KH 4D 3C 2H"}, [], []),
    (
        "three_card",
        "hc2023",
        {"player": "9H 9C 2D", "bank": "QD 7S 3C"},
        [{"bet": "pair_plus"}],
        [WON],
    ),
    (
        "four_card",
        "hc2023",
        {"player": "AH AC 5D 3S 2D", "bank": "KS KH 4D 3C 2H 8C"},
        [{"bet": "aces_up"}],
        [WON],
    ),
    (
        "casino_holdem",
        "hc2011",
        {"player": "AD 3D", "board": "AS 9H 4D JC 2H", "bank": "4C 7C"},
        [{"bet": "aa_bonus"}],
        [("win", 7000, 1000, 0)],
    ),
    (
        "ultimate",
        "hc2023",
        {"player": "9C 9S", "board": "KS 9H 2C 4D 7H", "bank": "QD KC"},
        [BLIND, {"bet": "trips"}],
        [BACK, ("win", 3000, 1000, 0)],
    ),
]


@pytest.mark.parametrize(("game", "rules", "dealt", "sides", "wanted"), WAITING)
def test_an_ante_that_waits_for_its_player_is_undecided(game, rules, dealt, sides, wanted):
    """Whatever the cards would decide; bets on the player's cards alone are decided."""
    results = came_to(game, [ANTE, *sides], dealt, void_by(JAM), rules=rules)
    assert results == [BACK, *wanted]


@pytest.mark.parametrize(("game", "rules", "dealt", "sides", "_wanted"), WAITING)
def test_a_decided_ante_keeps_its_result(game, rules, dealt, sides, _wanted):
    """With the second stake placed, or the hand folded, no card and no decision is to come."""
    times = {"caribbean": 2, "casino_holdem": 2}.get(game, 1)
    bet = {"bet": "bet", "stake": 1000 * times}
    blind = [BLIND] if game == "ultimate" else []
    played = came_to(game, [ANTE, bet, *blind], dealt, void_by(JAM), rules=rules)
    assert "void" not in [outcome for outcome, *_ in played]
    folds = [{**each, "choice": "fold"} for each in (ANTE, *blind)]
    assert came_to(game, folds, dealt, void_by(JAM), rules=rules) == [LOST] * len(folds)


@pytest.mark.parametrize(("game", "rules", "dealt", "sides", "wanted"), WAITING)
def test_one_of_two_players_of_a_hand_waits(game, rules, dealt, sides, wanted):
    """p's ante is returned though q has played the hand; q's is decided as if alone."""
    second = {"bet": "bet", "stake": 2000 if game in ("caribbean", "casino_holdem") else 1000}
    played = [{**each, "player": "q"} for each in (ANTE, second, *sides)]
    results = came_to(game, [ANTE, *sides, *played], dealt, void_by(JAM), rules=rules)
    alone = came_to(game, played, dealt, void_by(JAM), rules=rules)
    assert results == [BACK, *wanted, *alone]
    assert "void" not in [outcome for outcome, *_ in alone]


def test_no_card_dealt():
    """Every stake is returned."""
    bets = [{"bet": "punto"}, {"bet": "punto_pair"}, {"bet": "egalite"}]
    assert came_to("punto_banco", bets, {}, void_by(JAM)) == [BACK] * 3


@pytest.mark.parametrize("code", [reason.number for reason in REASONS])
def test_every_code_of_the_shuffler_is_its_fault(code):
    """Named in the outcome as the table named it."""
    outcome = outcome_of(void_by(code), {"punto": "KH KD"})
    assert set(outcome) == {"punto", "void"}
    assert outcome["void"] == {r.number: r.name for r in REASONS}[code]
    assert code in SHUFFLER_CODES


def test_a_round_ended_is_settled_as_dealt():
    """card_round_ended: 9 against 7, by the cards."""
    record = ended(words.CARD_ROUND_ENDED, (12_000,))
    dealt = {"punto": "4H 5D", "banco": "5C 2D"}
    assert came_to("punto_banco", [{"bet": "punto"}], dealt, record) == [("win", 1000, 1000, 0)]


@pytest.mark.parametrize("code", [codes.CROUPIER_VOID, codes.SYSTEM_INTERRUPTION, codes.TILT])
def test_another_void_is_for_the_house(code):
    """No article defines its effect on a card round."""
    with pytest.raises(RuleViolation) as refused:
        outcome_of(void_by(code), {"punto": "KH KD"})
    assert refused.value.code.name == "needs_ruling"


def test_only_the_table_says_that_a_round_is_void():
    """Neither a void beside its record nor a record that ends nothing."""
    with pytest.raises(RuleViolation, match="the table's record says"):
        outcome_of(void_by(JAM), {"void": "because"})
    with pytest.raises(RuleViolation, match="ends no card round"):
        outcome_of(ended(m.BETS_CLOSED, (1, 0)), {})
