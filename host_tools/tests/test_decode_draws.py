"""Draws as records: their words, and the outcome they come to, up to what a form is paid."""

import pytest

from tabletools.decode import describe, record
from tabletools.roles import IncompleteError
from tabletools.roles.draw_machine import in_order, numbers
from tablewire import draw_machine as words
from tablewire import messages as m
from tablewire.framing import Receiver
from tablewire.sender import Sender

BITS = bytes.fromhex("100000000000000000000002")  # numbers 5 and 90
RESULT = (words.DRAW_RESULT, (2, 3, 90, words.DRAW_END_COMMAND, 9040, BITS))
BALLS = [(words.BALL_DRAWN, (place, n, 3000 * place)) for place, n in ((1, 90), (2, 5), (3, 7))]
VOID = (m.ROUND_VOID, (909, 9, 255, 65535, 0, 0, 65535, 65535))


def decoded(*messages):
    """Frames of these messages, read back and decoded."""
    sender, receiver = Sender(4711, 1), Receiver()
    data = b"".join(sender.build(ident, values) for ident, values in messages)
    return [record(frame) for frame in receiver.feed(data)]


@pytest.mark.parametrize(
    ("ident", "values", "text"),
    [
        (*RESULT, "2 of 90 by command, 1 after the call: 5 90"),
        (*BALLS[0], "ball 1: 90, 3.0 s"),
        (words.BALLS_COUNTED, (80, 80, 2), "80 of 80 inside, returned"),
        (words.READER_REPORT, (1, 17, 42, 3), "reader at the exit: ball 42 of set 3, reading 17"),
        (words.READER_REPORT, (2, 0, 255, 0), "reader at the tube: silent, reading 0"),
        (
            words.READER_REPORT,
            (2, 9, 0, 0),
            "reader at the tube: a ball it could not read, reading 9",
        ),
        (
            words.DRAW_STOPPED,
            (909, 1, 34, 255, 40, 255, 2000),
            "909 readers_disagree after 1 balls, read 34 at the exit, unknown at the tube, unknown"
            " inside",
        ),
        (
            m.ROUND_OPENED,
            (words.WHEEL_BALLS, 20, 5000),
            "bets open, at least 20 balls needed, at most 5 s",
        ),
    ],
)
def test_in_words(ident, values, text):
    """Each record of a draw has the values a technician needs."""
    assert [describe(one) for one in decoded((ident, values))] == [text]


def test_the_outcome_is_in_order_of_the_balls():
    """The third one came after the call, and does not count; a repeat changes nothing."""
    records = decoded(*BALLS, RESULT, BALLS[1], RESULT)
    assert numbers(records[3]) == [5, 90]
    assert in_order(records) == {"drawn": [90, 5]}


def test_a_void_is_an_in_order():
    assert in_order(decoded(*BALLS[:1], VOID)) == {"void": "909 readers_disagree"}


@pytest.mark.parametrize(
    ("messages", "said"),
    [
        (BALLS, "has not ended"),
        ([BALLS[0], RESULT], "ball 2 of 2 was not reported"),
        ([BALLS[0], (words.BALL_DRAWN, (2, 6, 9)), RESULT], "differ from the result"),
        ([*BALLS, (words.BALL_DRAWN, (2, 6, 9)), RESULT], "two numbers were reported for ball 2"),
        ([*BALLS, RESULT, VOID], "ended twice"),
    ],
)
def test_what_is_not_whole_is_no_in_order(messages, said):
    """A ball missing, reported twice, or different in the result: refused."""
    with pytest.raises(IncompleteError, match=said):
        in_order(decoded(*messages))
