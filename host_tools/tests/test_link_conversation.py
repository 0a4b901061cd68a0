"""A command and its answer: what ends it, what does not, when it is sent again or given up."""

import pytest

from tablespec.message_list import BY_ID
from tabletools.link import ANSWERED, LOST, REFUSED, SILENT, Conversation, Request, Session
from tabletools.link.conversation import AGAIN_S, ANSWERS, TRIES
from tablewire import messages as m
from tablewire.codec import Frame
from tablewire.framing import Receiver
from tablewire.sender import Sender

DEVICE, BOOT = 7, 3
PIECE = bytes(192)  # of a trace
DURABLE, REPEATED = m.FLAG_DURABLE, m.FLAG_DURABLE | m.FLAG_RETRANSMITTED
# Commands that no single message answers: the table begins a session, acts on what is always sent,
# or answers in as many frames as the caller counts.
UNANSWERED = {
    m.IDENTIFY,
    m.ACKNOWLEDGE,
    m.START_SESSION,
    m.BEACON,
    m.SET_KEY,
    m.SELF_TEST,
    m.FETCH_PICTURE,
}


class Line:
    """A session online with device 7 in boot 3, and a conversation on it."""

    def __init__(self):
        self.session = Session()
        self.session.connected(0.0)
        self.conversation = Conversation(self.session)
        self.table = Sender(DEVICE, BOOT)
        self.say(m.STATE, (2, 1))
        self.sent()

    def say(self, ident, values, flags=0, sender=None):
        """A frame of the table reaches the host; returns the exchange it ends."""
        wire = (sender or self.table).build(ident, values, flags)
        self.session.receive(wire, 0.1)
        [frame] = Receiver().feed(wire)
        return self.conversation.take(frame)

    def ask(self, ident, values=(), **more):
        return self.conversation.ask(Request(ident, values, **more))

    def sent(self, now_s=1.0):
        """What goes to the table in a tick: type and values."""
        self.conversation.tick(now_s)
        return [(frame.type, frame.values) for frame in self.frames()]

    def frames(self):
        frames = Receiver().feed(self.session.outgoing())
        return [frame for frame in frames if isinstance(frame, Frame) and frame.type != m.IDENTIFY]

    def asked(self, ident, values=(), **more):
        """An exchange whose command went out, and the counter it went out under."""
        exchange = self.ask(ident, values, **more)
        self.conversation.tick(1.0)
        [frame] = self.frames()
        return exchange, frame.counter


@pytest.fixture
def line():
    return Line()


def configuration(key, value):
    return m.CONFIGURATION, (key, value, value, 0, 99)


def refusal(command, counter):
    return m.REFUSAL, (command, counter, m.REFUSAL_WRONG_PHASE, 1, 2, 3, 0)


def test_every_command_has_an_answer():
    """Each command of the protocol but those that have none, and no others."""
    commands = {message.id for message in BY_ID.values() if message.sender == "host"}
    assert set(ANSWERS) == commands - UNANSWERED


@pytest.mark.parametrize(
    ("command", "wrong", "right"),
    [
        ((m.GET_CONFIGURATION, (8,)), configuration(2, 1), configuration(8, 7)),
        ((m.SET_CONFIGURATION, (8, 6)), configuration(8, 7), configuration(8, 6)),
        ((m.FACTORY_CONFIGURATION, ()), configuration(8, 7), configuration(1, 1)),
        ((m.CLEAR_FAULT, (506,)), (m.FAULT_CLEARED, (401, 8, 1)), (m.FAULT_CLEARED, (506, 8, 1))),
        ((m.LOCK, ()), (m.FAULT_RAISED, (507, 255, 0, 0)), (m.FAULT_RAISED, (508, 255, 0, 0))),
        (
            (m.FETCH_TRACE, (4, 192)),
            (m.TRACE_CHUNK, (4, 0, 300, PIECE)),
            (m.TRACE_CHUNK, (4, 192, 300, PIECE)),
        ),
    ],
)
def test_an_answer_repeats_what_was_asked(line, command, wrong, right):
    """A key, a fault, a place in a trace: another one of them is the answer to something else."""
    exchange, _ = line.asked(*command)
    assert (line.say(*wrong), exchange.outcome) == (None, None)
    assert line.say(*right) is exchange
    assert (exchange.outcome, exchange.answer.values) == (ANSWERED, right[1])


def test_a_refusal_names_the_command_by_its_counter(line):
    """Of any of the times it was sent; that of another command or another sending is not its."""
    exchange, first = line.asked(m.CLOSE_BETS)
    line.conversation.tick(1.0 + AGAIN_S)
    assert [frame.counter for frame in line.frames()] == [first + 1]
    assert line.say(*refusal(m.CLOSE_BETS, first + 2)) is None
    assert line.say(*refusal(m.OPEN_BETS, first)) is None
    assert line.say(*refusal(m.CLOSE_BETS, first)) is exchange
    assert (exchange.outcome, exchange.cause) == (REFUSED, m.REFUSAL_WRONG_PHASE)


@pytest.mark.parametrize(("number", "high", "is_newer"), [(86, 85, True), (0, 88, False)])
def test_a_key_that_older_firmware_lacks(line, number, high, is_newer):
    """Refused as unknown, and above the last that the table has: 0 is no newer key."""
    exchange, counter = line.asked(m.GET_CONFIGURATION, (number,))
    assert not exchange.is_of_newer_key
    values = (m.GET_CONFIGURATION, counter, m.REFUSAL_UNKNOWN_KEY, number, 1, high, 0)
    assert line.say(m.REFUSAL, values) is exchange
    assert exchange.is_of_newer_key is is_newer


def test_a_record_from_before_the_command_is_no_answer(line):
    """It may be repeated at any time; one made after the command counts, repeated or not."""
    line.say(m.FAULT_RAISED, (508, 255, 0, 0), DURABLE)
    exchange, _ = line.asked(m.LOCK)
    line.table.counter -= 1
    assert line.say(m.FAULT_RAISED, (508, 255, 0, 0), REPEATED) is None
    assert line.say(m.FAULT_RAISED, (508, 255, 0, 0), REPEATED) is exchange


def test_another_boot_or_another_table_does_not_answer(line):
    """What opened the bets there was not this command."""
    exchange, counter = line.asked(m.OPEN_BETS, tries=1)
    opened = m.ROUND_OPENED, (1, 7, 60_000), DURABLE
    for sender in (Sender(DEVICE, BOOT + 1), Sender(8, BOOT)):
        sender.counter = 50
        assert line.say(*opened, sender) is None
        assert line.say(*refusal(m.OPEN_BETS, counter), 0, sender) is None
    assert exchange.outcome is None


def test_what_was_asked_of_one_table_is_not_asked_of_another(line):
    """A lock on its way to table 7 is lost when table 8 answers on the line."""
    exchange = line.ask(m.LOCK)
    line.say(m.STATE, (2, 1), 0, Sender(8, 1))
    assert (line.sent(), exchange.outcome) == ([], LOST)


def test_after_a_restart_it_is_asked_again(line):
    """The same table in another boot; a journal record of the boot before still answers."""
    exchange, _ = line.asked(m.LOCK)
    journal = Sender(DEVICE, BOOT)
    journal.counter = line.table.counter
    line.table = Sender(DEVICE, BOOT + 1)
    line.say(m.STATE, (2, 1))
    assert line.sent(1.0 + AGAIN_S) == [(m.LOCK, ())]
    assert line.say(m.FAULT_RAISED, (508, 255, 0, 0), REPEATED, journal) is exchange


def test_it_is_sent_again_and_then_given_up(line):
    """As often as it may be, with its pause between; the next of its type then has its turn."""
    first, second = line.ask(m.GET_CONFIGURATION, (1,)), line.ask(m.GET_CONFIGURATION, (2,))
    for nth in range(TRIES):
        assert line.sent(1.0 + nth * AGAIN_S) == [(m.GET_CONFIGURATION, (1,))]
        assert line.sent(1.2 + nth * AGAIN_S) == []
        assert first.is_spent == (nth == TRIES - 1)
    assert line.sent(1.0 + TRIES * AGAIN_S) == []
    assert (first.outcome, second.outcome) == (SILENT, None)
    assert line.sent(2.0 + TRIES * AGAIN_S) == [(m.GET_CONFIGURATION, (2,))]


def test_commands_of_one_type_wait_for_each_other(line):
    """Only those: no more bets does not wait for a fault to be cleared."""
    for code in (505, 506):
        line.ask(m.CLEAR_FAULT, (code,))
    line.ask(m.CLOSE_BETS)
    assert line.sent() == [(m.CLEAR_FAULT, (505,)), (m.CLOSE_BETS, ())]
    line.say(m.FAULT_CLEARED, (505, 255, 1), DURABLE)
    assert line.sent() == [(m.CLEAR_FAULT, (506,))]


def test_nothing_is_sent_while_the_table_is_offline(line):
    """And that is no try; it continues when the table is back."""
    exchange = line.ask(m.OPEN_BETS)
    line.session.tick(5.0)
    assert (line.sent(9.0), exchange.is_spent) == ([], False)
    line.say(m.STATE, (2, 1))
    assert line.sent(10.0) == [(m.OPEN_BETS, ())]


def test_what_is_dropped_or_forgotten_ends_as_lost(line):
    """It is not sent any more, and nothing answers it."""
    first, second, third = (line.ask(m.CLEAR_FAULT, (code,)) for code in (501, 502, 503))
    line.conversation.forget(first)
    assert line.sent() == [(m.CLEAR_FAULT, (502,))]
    line.conversation.drop()
    assert {each.outcome for each in (first, second, third)} == {LOST}
    assert line.say(m.FAULT_CLEARED, (502, 255, 1), DURABLE) is None
    assert not line.conversation.is_busy


def test_a_caller_may_say_what_ends_it(line):
    """Every frame after the command is shown to it; the refusal is matched all the same."""
    frames = []

    def ends(frame):
        frames.append(frame.type)
        return frame.type == m.HEARTBEAT

    exchange, counter = line.asked(m.SELF_TEST, (0,), ends=ends)
    assert line.say(m.STATE, (2, 1)) is None
    assert line.say(*refusal(m.SELF_TEST, counter)) is exchange
    assert (frames, exchange.outcome) == ([m.STATE], REFUSED)
