"""A round of a shoe as it is collected: believed when all its cards are there and add up."""

import pytest

from host_tools.tests.test_console import Desk, assert_fits
from tableemulator.machines.repeater import CLOSED
from tablewire.card_shoe import CARD_DEALT, CARDS_ENDED
from tablewire.messages import BETS_CLOSED, ROUND_OPENED

# 4H 5C 5D 2D: 29, 4, 17 and 14 on the wire; 64 in all, 29 + 33 + 50 + 64 = 176.
CARDS = (29, 4, 17, 14)
ENDED = (4, 17, 20, 64, 176, 9000, 0)
BURNED = (16, 0, 52, 2, 90)


def dealt(place, card):
    return 17 + place, place + 1, card, 1, 90


def play(host, cards=CARDS, ended=ENDED, *, lost=None):
    """One round of the shoe; the frame of the card at the place lost never arrives."""
    host.say(ROUND_OPENED, (8, 8, 60_000), 12)
    host.say(BETS_CLOSED, CLOSED, 12)
    host.say(CARD_DEALT, BURNED, 12)
    for place, card in enumerate(cards):
        if place == lost:
            host.lost(CARD_DEALT, dealt(place, card), 12)
        else:
            host.say(CARD_DEALT, dealt(place, card), 12)
    host.say(CARDS_ENDED, ended, 12)


def test_a_whole_round_is_believed_and_shown(host):
    """Its cards in the order dealt, the burned one not among them."""
    play(host)
    assert host.verdicts() == {12: "believed"}
    (row,) = host.listed("round")
    assert (row["end"], row["count"], row["cards"]) == ("cards_ended", 4, "4H 5C 5D 2D")


def test_a_card_that_is_still_to_come_holds_the_round(host):
    """Until the table has sent it again; then the round is whole."""
    play(host, lost=2)
    assert host.verdicts() == {12: "pending"}
    host.turn(host.table.repeat())
    assert host.verdicts() == {12: "believed"}


@pytest.mark.parametrize(
    ("cards", "ended"),
    [
        ((29, 4, 17), ENDED),
        ((*CARDS, 1), ENDED),
        ((29, 4, 14, 17), ENDED),
        ((29, 4, 17, 15), ENDED),
        ((29, 4, 17, 0), ENDED),
        (CARDS, (4, 16, 19, 64, 176, 9000, 0)),
        (CARDS, (4, 17, 20, 64, 177, 9000, 0)),
    ],
)
def test_cards_that_do_not_add_up_stop_the_table(host, cards, ended):
    """One short, one more, two exchanged, another, one unread, other places, another sum."""
    play(host, cards, ended)
    assert host.verdicts() == {12: "unexpected"}
    assert "unexpected" in " ".join(host.kinds())


def test_the_console_shows_the_cards_on_the_table():
    """The cards in order, none that was burned; then the round that ended."""
    desk = Desk()
    desk.receive(ROUND_OPENED, (8, 8, 60_000))
    desk.receive(CARD_DEALT, BURNED)
    for place, card in enumerate(CARDS[:2]):
        desk.receive(CARD_DEALT, dealt(place, card))
    lines = desk.screen_lines()
    assert_fits(lines)
    assert "shoe of 8 decks" in "".join(lines)
    assert "4H 5C" in "".join(lines)
    desk.receive(CARDS_ENDED, (2, 17, 18, 33, 62, 9000, 0))
    assert desk.view.ended[-1].text == "4H 5C"
    assert_fits(desk.screen_lines())
