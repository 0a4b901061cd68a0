"""A round of a shoe in the inbox: believed when all its cards are there and add up."""

import pytest

from host_tools.tests.test_console import Desk, assert_fits
from host_tools.tests.test_inbox_store import CLOSED, Pit
from tabletools.inbox import Listing
from tablewire.card_shoe import CARD_DEALT, CARDS_ENDED
from tablewire.messages import BETS_CLOSED, ROUND_OPENED

# 4H 5C 5D 2D: 29, 4, 17 and 14 on the wire; 64 in all, 29 + 33 + 50 + 64 = 176.
CARDS = (29, 4, 17, 14)
ENDED = (4, 17, 20, 64, 176, 9000, 0)
BURNED = (16, 0, 52, 2, 90)


@pytest.fixture
def pit(tmp_path):
    found = Pit(tmp_path / "inbox")
    yield found
    found.db.close()


def dealt(place, card):
    return 17 + place, place + 1, card, 1, 90


def play(pit, cards=CARDS, ended=ENDED, *, lost=None):
    """One round of the shoe; the frame of the card at the place lost never arrives."""
    pit.say(ROUND_OPENED, (8, 8, 60_000), 12)
    pit.say(BETS_CLOSED, CLOSED, 12)
    pit.say(CARD_DEALT, BURNED, 12)
    for place, card in enumerate(cards):
        if place == lost:
            pit.frame(CARD_DEALT, dealt(place, card), 12)
        else:
            pit.say(CARD_DEALT, dealt(place, card), 12)
    pit.say(CARDS_ENDED, ended, 12)


def test_a_whole_round_is_believed_and_shown(pit):
    """Its cards in the order dealt, the burned one not among them."""
    play(pit)
    assert pit.verdicts() == {12: "believed"}
    (row,) = Listing(pit.db).rounds()
    assert (row["end"], row["count"], row["cards"]) == ("cards_ended", 4, "4H 5C 5D 2D")


def test_a_card_that_is_still_to_come_holds_the_round(pit):
    """Until the table has sent it again; then the round is whole."""
    play(pit, lost=2)
    assert pit.verdicts() == {12: "pending"}
    pit.again(CARD_DEALT, dealt(2, CARDS[2]), 12, counter=6)
    assert pit.verdicts() == {12: "believed"}


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
def test_cards_that_do_not_add_up_stop_the_table(pit, cards, ended):
    """One short, one more, two exchanged, another, one unread, other places, another sum."""
    play(pit, cards, ended)
    assert pit.verdicts() == {12: "unexpected"}
    assert "unexpected" in " ".join(pit.kinds())


def test_the_console_shows_the_cards_on_the_table():
    """As they are told, none that was burned; then the round that ended."""
    desk = Desk()
    desk.hear(ROUND_OPENED, (8, 8, 60_000))
    desk.hear(CARD_DEALT, BURNED)
    for place, card in enumerate(CARDS[:2]):
        desk.hear(CARD_DEALT, dealt(place, card))
    lines = desk.shown()
    assert_fits(lines)
    assert "shoe of 8 decks" in "".join(lines)
    assert "4H 5C" in "".join(lines)
    desk.hear(CARDS_ENDED, (2, 17, 18, 33, 62, 9000, 0))
    assert desk.view.ended[-1]["cards"] == "4H 5C"
    assert_fits(desk.shown())
