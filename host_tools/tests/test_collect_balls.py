"""A draw as it is collected: believed when each of its balls is there and is one of the result."""

import pytest

from tableemulator.machines.repeater import CLOSED
from tablewire.draw_machine import BALL_DRAWN, DRAW_RESULT
from tablewire.messages import BETS_CLOSED, ROUND_OPENED

BITS = bytes.fromhex("100000000000000000000002")  # numbers 5 and 90
RESULT = (2, 3, 90, 2, 9040, BITS)
BALLS = ((1, 90, 3000), (2, 5, 6000), (3, 7, 9000))


def play(host, balls=BALLS, *, lost=None):
    """One draw; the frame of the ball at the place lost never arrives."""
    host.say(ROUND_OPENED, (7, 1, 60_000), 12)
    host.say(BETS_CLOSED, CLOSED, 12)
    for ball in balls:
        tell = host.lost if ball[0] == lost else host.say
        tell(BALL_DRAWN, ball, 12)
    host.say(DRAW_RESULT, RESULT, 12)


def test_a_whole_draw_is_believed_and_shown(host):
    """The third ball came after the call."""
    play(host)
    assert host.verdicts() == {12: "believed"}
    (row,) = host.listed("round")
    assert (row["end"], row["drawn"], row["balls"]) == ("draw_result", 2, 90)


def test_a_ball_that_is_still_to_come_holds_the_draw(host):
    """Until the table has sent it again."""
    play(host, lost=2)
    assert host.verdicts() == {12: "pending"}
    host.turn(host.table.repeat())
    assert host.verdicts() == {12: "believed"}


@pytest.mark.parametrize("balls", [BALLS[:1], ((1, 90, 3000), (2, 6, 6000))])
def test_balls_that_are_not_those_of_the_result(host, balls):
    """One that was not reported, or another one: never settled."""
    play(host, balls)
    assert host.verdicts() == {12: "unexpected"}
