"""What a heartbeat counts, in the words of the role that its header names."""

import pytest

from tabletools import decode
from tablewire import messages as m
from tablewire.framing import Receiver
from tablewire.sender import Sender


def counted(role, phase, count):
    """The words for a heartbeat's count if the header has that role."""
    sender = Sender(7, 1)
    sender.role = role
    values = (phase, 0, count, 0, m.UNKNOWN_U16, 0, 0, 0, 1000, 1000)
    (frame,) = Receiver().feed(sender.build(m.HEARTBEAT, values))
    return decode.describe(decode.record(frame)).partition(", ")[2]


@pytest.mark.parametrize(
    ("role", "phase", "count", "words"),
    [
        (m.ROLE_ROULETTE, 3, 5, "5 circuits"),
        (m.ROLE_MONEY_WHEEL, 6, 1, "1 revolution"),
        (m.ROLE_DRAW_MACHINE, 9, 20, "20 balls"),
        (m.ROLE_CARD_SHOE, 4, 1, "1 card"),
        (m.ROLE_DICE_TRAY, 8, 0, ""),
        (m.ROLE_SHUFFLER, 4, 3, ""),
    ],
)
def test_each_role_has_its_word(role, phase, count, words):
    """In the first heartbeat already, before any round or identity."""
    assert counted(role, phase, count) == words


def test_a_table_not_known_counts_no_circuits():
    """Nothing turns, and the header names no role: only the number is given."""
    assert counted(0, 4, 3) == "3 counted"
