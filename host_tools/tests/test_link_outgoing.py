"""What goes to a table and when: acknowledgements first, commands to whom they were given for."""

import pytest

from tabletools.link import OnceStore, Session
from tabletools.link.pacing import BURST_BYTES, BYTES_PER_S, Pace
from tablewire.codec import FrameError
from tablewire.framing import Receiver
from tablewire.messages import (
    ACKNOWLEDGE,
    CLEAR_FAULT,
    GET_CONFIGURATION,
    ROUND_OPENED,
    STATE,
)
from tablewire.sender import Sender

OPENED = (2, 7, 60000)
DURABLE = 2


@pytest.fixture
def session():
    """Online with device 7 in boot 3, nothing to be sent."""
    session = Session(OnceStore(lambda frame: None))
    session.connected(0.0)
    session.receive(Sender(7, 3).build(STATE, (2, 1)), 0.1)
    session.outgoing()
    return session


def sent(session, most=1 << 20):
    return [(f.type, f.values) for f in Receiver().feed(session.outgoing(most))]


def test_acknowledgements_go_before_commands_that_wait(session):
    """A burst of commands does not hold up a record."""
    for key in range(1, 21):
        session.command(GET_CONFIGURATION, (key,), 0)
    table = Sender(7, 3)
    table.counter = 1
    session.receive(table.build(ROUND_OPENED, OPENED, DURABLE), 0.2)
    first, *rest = sent(session)
    assert first == (ACKNOWLEDGE, (3, 2))
    assert rest == [(GET_CONFIGURATION, (key,)) for key in range(1, 21)]


def test_no_more_is_begun_than_there_is_room_for(session):
    """The frame that fills the room is the last; what is left keeps its order."""
    for key in range(1, 11):
        session.command(GET_CONFIGURATION, (key,), 0)
    length = len(Sender(7, 3).build(GET_CONFIGURATION, (1,)))
    assert sent(session, 0) == []
    assert [values for _, values in sent(session, 2 * length + 1)] == [(1,), (2,), (3,)]
    assert [values for _, values in sent(session)] == [(key,) for key in range(4, 11)]


def test_a_command_is_for_one_boot_alone(session):
    """One that waits when the table restarts is forgotten: it meant the round of that boot."""
    order = session.command(CLEAR_FAULT, (505,), 0)
    session.receive(Sender(7, 4).build(STATE, (2, 1)), 0.2)
    assert (sent(session), order.counter) == ([], 0)


def test_an_acknowledgement_is_for_one_table_alone(session):
    """Another table may have a record of that boot and counter, and must not forget it."""
    table = Sender(7, 3)
    table.counter = 1
    session.receive(table.build(ROUND_OPENED, OPENED, DURABLE), 0.2)
    session.receive(Sender(8, 3).build(STATE, (2, 1)), 0.3)
    assert sent(session) == []


def test_a_value_out_of_range_is_refused_when_it_is_given(session):
    """Refused at the call; at sending the caller would be unknown."""
    with pytest.raises(FrameError, match="field 1 is 70000"):
        session.command(CLEAR_FAULT, (70_000,), 0)
    assert sent(session) == []


def test_the_pace_fits_the_board():
    """A burst, one frame more and a second of the stated rate stay below its 2,047 bytes."""
    longest = 85  # set_key under a tag, stuffed, with its delimiter
    assert BURST_BYTES + longest + BYTES_PER_S < 2_047
    pace = Pace()
    assert pace.room(10.0) == BURST_BYTES
    pace.wrote(BURST_BYTES + longest)
    assert pace.room(10.0) == -longest
    assert pace.room(12.0 - 1.875) == 187 - longest
    assert pace.room(1000.0) == BURST_BYTES
