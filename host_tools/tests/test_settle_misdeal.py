"""Misdeals as records of `tabletool settle`: by hand from rulebook 2, G-1 to G-4 and L-1."""

import pytest

from host_tools.tests.card_rounds import STAKE, lines, refused

FIVE, BANK = "AH KD 9C 5S 2D", "QS JD 8H 4C 3D"
SIX, FOUR = FIVE + " 7C", "AH KD 9C 5S"
PLAYED = ({"bet": "ante"}, {"bet": "bet", "stake": 2 * STAKE})
WAITING = PLAYED[:1]
LIVE = {
    "baccarat": ({"player": "KH 6D 2C", "banker": "7C KD"}, {"bet": "player"}),
    "blackjack": ({"player": "KH 6D", "bank": "7C KD"}, {"bet": "bet"}),
}
ARTICLES = {"baccarat": "de-live Bac 2.1.8", "blackjack": "de-live BJ 2.1.5"}


def greek(outcome, *bets, **more):
    return lines("caribbean", outcome, *bets, edition="gr2003", **more)


def refused_greek(outcome, *bets, **more):
    return refused("caribbean", outcome, *bets, edition="gr2003", **more)


def come_back(settled, article):
    """Every stake is back, nothing is won, by that article."""
    assert {(line.outcome, line.rule) for line in settled} == {("void", article)}
    assert all(line.back == line.stake and line.win == 0 for line in settled)


@pytest.mark.parametrize("bets", [PLAYED, WAITING])
@pytest.mark.parametrize(
    ("player", "bank", "article"),
    [
        (SIX, BANK, "gr2003 §10β"),
        (FOUR, BANK, "gr2003 §10β"),
        (FIVE, BANK + " 7C", "gr2003 §10γ"),
        (SIX, "QS JD 8H 4C", "gr2003 §10γ"),
    ],
)
def test_a_wrong_number_of_cards(player, bank, article, bets):
    """G-1 and G-2: the stakes are returned, whatever was dealt by then."""
    outcome = {"player": player, "bank": bank, "misdeal": "counted by the dealer"}
    come_back(greek(outcome, *bets), article)


def test_a_hand_that_was_never_dealt():
    """No card is a wrong number too."""
    come_back(greek({"bank": BANK, "misdeal": "left out"}, *WAITING), "gr2003 §10β")


def test_without_a_word_a_wrong_number_is_a_slip_of_the_pen():
    """A card too many by a typing error voids nothing."""
    assert refused_greek({"player": SIX, "bank": BANK}, *PLAYED).code.name == "deal_not_by_rule"
    assert refused_greek({"player": FOUR, "bank": BANK}, *PLAYED).code.name == "deal_incomplete"


def test_a_misdeal_needs_something_wrong():
    error = refused_greek({"player": FIVE, "bank": BANK, "misdeal": "?"}, *PLAYED)
    assert (error.code.name, error.where) == ("deal_not_by_rule", "outcome.misdeal")
    both = {"player": SIX, "bank": BANK, "misdeal": "six", "void": "jam"}
    assert refused_greek(both, *PLAYED).code.name == "outcome_not_one"


def test_the_count_of_what_remains():
    """G-4: 52 less five each; two more players have ten. A wrong count voids by option only.

    AH K high loses to nothing: the bank has queen high and does not qualify, the ante wins 1:1.
    """
    dealt = {"player": FIVE, "bank": BANK, "others": 10}
    for remaining, others in ((32, 10), (42, 0)):
        counted = {**dealt, "remaining": remaining, "others": others}
        ante, bet = greek(counted, *PLAYED)
        assert (ante.outcome, ante.win, bet.outcome) == ("win", STAKE, "push")
    wrong = {**dealt, "remaining": 31}
    assert refused_greek(wrong, *PLAYED).code.name == "deal_not_by_rule"
    come_back(greek(wrong, *PLAYED, table={"count_voids": True}), "gr2003 §4")
    error = refused_greek({**dealt, "remaining": -1}, *PLAYED, table={"count_voids": True})
    assert error.where == "outcome.remaining"


@pytest.mark.parametrize("game", LIVE)
def test_dealt_wrongly_on_de_live(game):
    """L-1 speaks of interruptions: a misdeal is refused, or by the table's option one of them."""
    hands, bet = LIVE[game]
    outcome = {**hands, "misdeal": "a card too many"}
    error = refused(game, outcome, bet, edition="de-live")
    assert (error.code.name, error.where) == ("deal_not_by_rule", "outcome.misdeal")
    settled = lines(game, outcome, bet, edition="de-live", table={"misdeal_voids": True})
    come_back(settled, ARTICLES[game])
    come_back(lines(game, {"void": "system"}, bet, edition="de-live"), ARTICLES[game])


@pytest.mark.parametrize("edition", ["hc2011", "hc2023"])
def test_holland_casino_rules_on_no_misdeal(edition):
    """3:1(7) covers shufflers only; the options are of other editions."""
    hands = {"player": FIVE, "bank": BANK}
    error = refused("caribbean", {**hands, "misdeal": "six"}, *PLAYED, edition=edition)
    assert error.code.name == "needs_ruling"
    error = refused("caribbean", hands, *PLAYED, edition=edition, table={"count_voids": True})
    assert (error.code.name, error.where) == ("limits_invalid", "table.count_voids")
    error = refused("caribbean", {**hands, "remaining": 42}, *PLAYED, edition=edition)
    assert error.where == "outcome.remaining"
    box = {"player": "8H TC", "bank": "KD 8S"}
    error = refused("blackjack", {**box, "misdeal": "?"}, {"bet": "bet"}, edition=edition)
    assert error.code.name == "needs_ruling"
