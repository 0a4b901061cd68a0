"""Misdeals of gr2003 and de-live: rounds dealt wrongly by hand, and whose bets are returned."""

import pytest

from tabletools.games import INTERRUPTED
from tabletools.games.caribbean import misdealt
from tabletools.rules.violation import RuleViolation

FIVE = "AH KD 9C 5S 2D".split()
SIX, FOUR = [*FIVE, "3C"], FIVE[:4]
ALL = frozenset({"anna", "bert"})


def test_a_round_dealt_right_stands():
    """Nobody's bets are void; 52 less three hands of five is 37."""
    hands = {"anna": FIVE, "bert": FIVE}
    assert misdealt(hands, FIVE) == (frozenset(), "")
    assert misdealt(hands, FIVE, 37) == (frozenset(), "")


@pytest.mark.parametrize("wrong", [SIX, FOUR, []])
def test_a_wrong_number_to_a_player_cancels_his_cards_alone(wrong):
    """§10β: the others play on."""
    settled = misdealt({"anna": wrong, "bert": FIVE}, FIVE)
    assert settled == (frozenset({"anna"}), "gr2003 §10β")


@pytest.mark.parametrize("wrong", [SIX, FOUR, []])
def test_a_wrong_number_to_the_bank_cancels_all(wrong):
    """§10γ: of all players, also where one of them was dealt wrongly as well."""
    assert misdealt({"anna": FIVE, "bert": FIVE}, wrong) == (ALL, "gr2003 §10γ")
    assert misdealt({"anna": SIX, "bert": FIVE}, wrong) == (ALL, "gr2003 §10γ")


def test_the_count_of_what_remains():
    """§4: 36 or 38 of 37; refused, or with the table's option all are cancelled."""
    hands = {"anna": FIVE, "bert": FIVE}
    for remaining in (36, 38):
        with pytest.raises(RuleViolation, match="the text stops there") as refused:
            misdealt(hands, FIVE, remaining)
        assert refused.value.code.name == "deal_not_by_rule"
        assert misdealt(hands, FIVE, remaining, count_voids=True) == (ALL, "gr2003 §4")
    # A card more with one player, one less in the deck: the count is right, his hand is not.
    settled = misdealt({"anna": SIX, "bert": FIVE}, FIVE, 36)
    assert settled == (frozenset({"anna"}), "gr2003 §10β")


def test_an_interruption_of_de_live_voids_all():
    """All payments and games, decided ones too (READING-20), by the article of each game."""
    assert INTERRUPTED == {"baccarat": "de-live Bac 2.1.8", "blackjack": "de-live BJ 2.1.5"}
