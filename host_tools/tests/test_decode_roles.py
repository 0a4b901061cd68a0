"""What a heartbeat counts, in the words of the role that sent it."""

import pytest

from tabletools import decode
from tablewire import messages as m
from tablewire.codec import Frame
from tablewire.framing import Receiver
from tablewire.sender import Sender

# wheel of a round -> heartbeat (phase, count) and what is told of the count.
TOLD = (
    (1, 3, 5, "5 circuits"),
    (4, 6, 1, "1 revolution"),
    (7, 9, 20, "20 balls"),
    (8, 4, 1, "1 card"),
    (5, 8, 0, ""),
)


def records(*messages):
    """Frames of one table as records."""
    sender = Sender(7, 1)
    data = b"".join(sender.build(ident, values, 0) for ident, values in messages)
    return [decode.record(frame) for frame in Receiver().feed(data) if isinstance(frame, Frame)]


def beat(phase, count):
    return m.HEARTBEAT, (phase, 0, count, 0, m.UNKNOWN_U16, 0, 0, 0, 1000)


@pytest.mark.parametrize(("wheel", "phase", "count", "told"), TOLD)
def test_each_role_has_its_word(wheel, phase, count, told):
    """Known from the round it opened."""
    roles = decode.Roles()
    opened, heard = records((m.ROUND_OPENED, (wheel, 7, 60_000)), beat(phase, count))
    roles.mark(opened)
    assert decode.describe(roles.mark(heard)).partition(", ")[2] == told


def test_a_table_not_known_counts_no_circuits():
    """Nothing turns, nobody said what it is: only the number is told."""
    (heard,) = records(beat(4, 3))
    assert decode.describe(decode.Roles().mark(heard)) == "no_more_bets, 3 counted"
