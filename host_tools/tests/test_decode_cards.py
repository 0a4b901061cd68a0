"""The records of a card table, in one line each."""

import pytest

from tabletools import decode
from tablewire import card_shoe as shoe
from tablewire import messages as m
from tablewire import shuffler as words
from tablewire.framing import Receiver
from tablewire.sender import Sender

VOID = (805, 4, 1, 65535, 0, 0, 65535, 65535)


@pytest.mark.parametrize(
    ("ident", "values", "says"),
    [
        (m.ROUND_OPENED, (6, 2, 60000), "bets open, cards, 2 passes needed, at most 60 s"),
        (m.ROUND_VOID, VOID, "805 jam_in in phase no_more_bets, sensor gate_in"),
        (
            words.SHUFFLE_DONE,
            (51, 51, 52, 0, 19080, 2, 801, 97, 100),
            "refused (count_short): 51 in, 51 out of 52, 19.1 s",
        ),
        (
            words.SHUFFLE_DONE,
            (52, 52, 52, 1, 20000, 1, 0, 255, 255),
            "verified: 52 in, 52 out of 52, 20.0 s",
        ),
        (words.SHOE_CHANGED, (1, 801, 0), "shoe locked, count_short"),
        (words.SHOE_CHANGED, (2, 0, 0), "shoe unlocked"),
        (words.SHOE_CHANGED, (3, 0, 2), "shoe replaced, by manual_shoe"),
        (words.GATE_WORN, (1, 79, 50), "gate_in: 79 %, locks below 50"),
        (m.ROUND_OPENED, (8, 6, 60000), "bets open, a shoe of 6 decks needed, at most 60 s"),
        (shoe.CARD_DEALT, (17, 3, 52, 1, 120), "AS  card 3 of the round, 17 of the shoe, 120 ms"),
        (shoe.CARD_DEALT, (1, 0, 1, 2, 90), "2C  burned, 1 of the shoe, 90 ms"),
        (shoe.CARD_DEALT, (9, 0, 0, 3, 90), "not read  void, 9 of the shoe, 90 ms"),
        (shoe.CARDS_ENDED, (4, 17, 20, 1, 2, 9000, 0), "4 cards, 17..20 of the shoe"),
        (
            shoe.CARDS_ENDED,
            (4, 17, 20, 1, 2, 9000, 1),
            "4 cards, 17..20 of the shoe, the last round of this shoe",
        ),
        (
            shoe.SHOE_REPORT,
            (1, 8, 416, 0, 3),
            "shoe new: 8 decks, 0 of 416 cards drawn, 3 to be burned",
        ),
        (
            shoe.SHOE_REPORT,
            (3, 8, 416, 409, 0),
            "shoe cut_card: 8 decks, 409 of 416 cards drawn",
        ),
        (words.CARD_ROUND_ENDED, (95000,), "settled 95.0 s after no more bets"),
    ],
)
def test_a_record_in_one_line(ident, values, says):
    """Counts, seconds, percent; no circuits and no rotor where nothing turns."""
    sender = Sender(4711, 3, seed=0)
    sender.role = m.ROLE_CARD_SHOE
    (frame,) = Receiver(seed=0).feed(sender.build(ident, values))
    assert decode.line(decode.record(frame)).endswith(says)
