"""A draw in the inbox: believed when each of its balls is there and is one of the result."""

import pytest

from host_tools.tests.test_inbox_store import CLOSED, Pit
from tabletools.inbox import Listing
from tablewire.draw_machine import BALL_DRAWN, DRAW_RESULT
from tablewire.messages import BETS_CLOSED, ROUND_OPENED

BITS = bytes.fromhex("100000000000000000000002")  # numbers 5 and 90
RESULT = (2, 3, 90, 2, 9040, BITS)
BALLS = ((1, 90, 3000), (2, 5, 6000), (3, 7, 9000))


@pytest.fixture
def pit(tmp_path):
    found = Pit(tmp_path / "inbox")
    yield found
    found.db.close()


def play(pit, balls=BALLS, *, lost=None):
    """One draw; the frame of the ball at the place lost never arrives."""
    pit.say(ROUND_OPENED, (7, 1, 60_000), 12)
    pit.say(BETS_CLOSED, CLOSED, 12)
    for ball in balls:
        tell = pit.frame if ball[0] == lost else pit.say
        tell(BALL_DRAWN, ball, 12)
    pit.say(DRAW_RESULT, RESULT, 12)


def test_a_whole_draw_is_believed_and_shown(pit):
    """The third ball came after the call."""
    play(pit)
    assert pit.verdicts() == {12: "believed"}
    (row,) = Listing(pit.db).rounds()
    assert (row["end"], row["drawn"], row["balls"]) == ("draw_result", 2, 90)


def test_a_ball_that_is_still_to_come_holds_the_draw(pit):
    """Until the table has sent it again."""
    play(pit, lost=2)
    assert pit.verdicts() == {12: "pending"}
    pit.again(BALL_DRAWN, BALLS[1], 12, counter=4)
    assert pit.verdicts() == {12: "believed"}


@pytest.mark.parametrize("balls", [BALLS[:1], ((1, 90, 3000), (2, 6, 6000))])
def test_balls_that_are_not_those_of_the_result(pit, balls):
    """One that was never told, or another one: never settled."""
    play(pit, balls)
    assert pit.verdicts() == {12: "unexpected"}
