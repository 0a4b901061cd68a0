"""The states of a link: what is listed happens, the rest is refused, and no line reaches it."""

from itertools import chain, product, starmap

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from hil_tests.thinned import share
from host_tools.tests.test_link_fresh import foreign, newer
from host_tools.tests.test_link_trust import forged
from tableemulator.machines.keyed import KeyedTable
from tableemulator.machines.repeater import OPENED
from tabletools.link import OnceStore, Session
from tabletools.link.link_states import (
    CLOSED,
    FIRST_FRAME,
    LISTENING,
    LIVE_FRAME,
    LOSS,
    OFFLINE,
    ONLINE,
    OPENING,
    QUIET_OPENING,
    SILENCE,
    TAKEN,
    TRANSITIONS,
    WAITING,
    Age,
    Handshake,
    ImpossibleTransition,
    Presence,
    States,
    Trigger,
)
from tablewire import messages as m
from tablewire import seal
from tablewire.framing import Receiver
from tablewire.sender import Sender

SECRET, OTHER = bytes(range(32)), bytes(range(1, 33))
KEYS = {7: {1: SECRET}, 8: {1: OTHER}}
MEMBERS = (Presence.members, Handshake.members, Age.members)

# What a handshake may be in each presence, by hand.
WHILE = {
    CLOSED: {"unopened"},
    WAITING: {"listening", "asking", "starting", "settled"},
    ONLINE: {"asking", "starting", "settled", "paused", "dismissed"},
    OFFLINE: {"listening", "asking", "starting", "settled"},
    TAKEN: {"asking", "starting", "settled", "paused", "dismissed"},
}


def reachable():
    """Every state that the table leads to from a closed port."""
    reached, ahead = {States()}, [States()]
    while ahead:
        states = ahead.pop()
        after = {states.after(trigger) for trigger in Trigger.members if states.permits(trigger)}
        ahead += after - reached
        reached |= after
    return reached


REACHABLE = reachable()


# --- the table ----------------------------------------------------------------------------------


@pytest.mark.parametrize("states", [*starmap(States, product(*MEMBERS))], ids=",".join)
def test_every_pair_is_listed_or_refused(states):
    """A trigger moves each part that lists it as listed; one that lists it elsewhere refuses."""
    for trigger in Trigger.members:
        concerned = {type(state) for state in chain(*MEMBERS) if (state, trigger) in TRANSITIONS}
        listed = {type(s): TRANSITIONS[s, trigger] for s in states if (s, trigger) in TRANSITIONS}
        if set(listed) == concerned:
            assert states.permits(trigger)
            assert states.after(trigger) == tuple(listed.get(type(s), s) for s in states)
        else:
            assert not states.permits(trigger)
            with pytest.raises(
                ImpossibleTransition, match=f"^{trigger} while {states.presence}, "
            ):
                states.after(trigger)


def test_a_transition_stays_in_its_part():
    """And every state and trigger is in the table."""
    assert all(type(state) is type(after) for (state, _), after in TRANSITIONS.items())
    assert {state for state, _ in TRANSITIONS} == {*chain(*MEMBERS)}
    assert {trigger for _, trigger in TRANSITIONS} == set(Trigger.members)


def test_the_states_that_are_possible_together():
    """As written by hand; every row of the table begins in one of them."""
    assert {(s.presence, str(s.handshake)) for s in REACHABLE} == {
        (presence, handshake) for presence, many in WHILE.items() for handshake in many
    }
    rows = {(s, trigger) for states in REACHABLE for s in states for trigger in Trigger.members}
    assert set(TRANSITIONS) <= rows


def test_a_closed_port_is_only_opened():
    """Nothing is received or requested on it; to lose it again changes nothing."""
    possible = {trigger for trigger in Trigger.members if States().permits(trigger)}
    assert possible == {OPENING, QUIET_OPENING, LOSS}


def test_nothing_is_written_before_a_table_is_received():
    """While it listens no request, proof or takeover is possible; the first frame ends that."""
    for states in REACHABLE:
        if states.handshake is LISTENING:
            possible = {trigger for trigger in Trigger.members if states.permits(trigger)}
            assert possible <= {FIRST_FRAME, SILENCE, LOSS}


def test_only_a_live_frame_brings_a_table_online():
    """And only while it is online does its information become stale or fresh."""
    for states, trigger in product(REACHABLE, Trigger.members):
        if not states.permits(trigger):
            continue
        if states.presence is not ONLINE:
            is_online = states.after(trigger).presence is ONLINE
            assert is_online == (trigger is LIVE_FRAME)
            assert states.after(trigger).age is states.age


def test_every_port_can_be_lost():
    """Whatever state it is in."""
    for states in REACHABLE:
        assert states.after(LOSS)[:2] == States()[:2]


# --- a session ----------------------------------------------------------------------------------


def test_a_session_without_a_port_refuses_bytes():
    """It is an error of the program; nothing is counted or stored."""
    stored = []
    session = Session(OnceStore(stored.append))
    wire = Sender(7, 3).build(m.ROUND_OPENED, OPENED, m.FLAG_DURABLE)
    with pytest.raises(ImpossibleTransition, match="no port is open"):
        session.receive(wire, 100.0)
    assert (session.frames, stored, session.outgoing()) == (0, [], b"")


class Line:
    """A host and the table at the other end; each write waits until it is read.

    session.states are those after the last act.
    """

    def __init__(self, *, is_watcher=False, joins=True, device=None):
        self.now, self.is_open = 100.0, False
        self.table = KeyedTable(7, 1, SECRET)
        self.to_host, self.to_table = [], []
        nonces = iter(range(1, 1 << 20))
        self.session = Session(
            None if is_watcher else OnceStore(lambda frame: None),
            keys=lambda device: KEYS.get(device, {}),
            new_nonce=lambda: next(nonces).to_bytes(8, "big"),
            joins=joins,
            device=device,
        )

    def open(self, *, listens):
        self.to_host.clear()
        self.to_table.clear()
        self.session.connected(self.now, listens=listens)
        self.is_open = True

    def lose(self):
        self.session.lost(self.now, "unplugged")
        self.is_open = False

    def say(self, wire):
        self.to_host += [wire] * bool(wire)

    def write(self):
        self.to_table += [wire for wire in (self.session.outgoing(),) if wire]

    def obey(self):
        if self.to_table:
            self.say(self.table.receive(self.to_table.pop(0)))

    def receive(self):
        self.session.receive(self.to_host.pop(0), self.now)

    def end(self):
        """Another host began a session."""
        self.say(self.table.say(m.SESSION_ENDED, (b"the pit".ljust(16, b"\0"),)))

    def wait(self, seconds):
        self.now += seconds
        self.table.sender.advance(round(seconds * 1000))
        self.session.tick(self.now)

    def settle(self):
        """Both answer at once until neither has more to say."""
        self.write()
        while self.to_table or self.to_host:
            while self.to_table:
                self.obey()
            while self.to_host:
                self.receive()
            self.write()


def test_the_way_of_a_host_that_opens_a_port_of_unknown_use():
    """listening, asking, starting, settled; silent, taken, paused, asking again."""
    line = Line()
    steps = []

    def note():
        steps.append((*map(str, line.session.states[:2]),))

    note()
    line.open(listens=True)
    note()
    line.say(line.table.beat())
    line.receive()
    note()
    line.write()
    line.obey()
    line.receive()
    note()
    line.settle()
    note()
    line.wait(2.0)
    note()
    line.settle()
    note()
    line.end()
    line.receive()
    note()
    line.wait(10.0)
    note()
    line.lose()
    note()
    assert steps == [
        ("closed", "unopened"),
        ("waiting", "listening"),
        ("waiting", "asking"),
        ("waiting", "starting"),
        ("online", "settled"),
        ("offline", "asking"),
        ("online", "settled"),
        ("taken", "paused"),
        ("taken", "asking"),
        ("closed", "unopened"),
    ]


@pytest.mark.parametrize(
    ("is_watcher", "expected"), [(False, ("taken", "paused")), (True, ("taken", "dismissed"))]
)
def test_a_session_that_only_repeats_began_can_be_taken(is_watcher, expected):
    """session_started was lost and a repeated record came: no life, but a session that can end."""
    line = Line(is_watcher=is_watcher)
    line.table.say(m.ROUND_OPENED, OPENED, 1)
    line.open(listens=False)
    line.write()
    line.obey()
    line.receive()
    line.write()
    line.obey()
    line.to_host.clear()
    line.say(line.table.repeat())
    line.receive()
    assert line.session.states[:2] == ("waiting", "settled")
    line.end()
    line.receive()
    assert line.session.states[:2] == expected


@pytest.fixture(params=[False, True], ids=["host", "watcher"])
def late(request):
    """A line whose host was taken from, while the table has still to follow the host's start.

    Its session_started is lost, and a record waits.
    """
    line = Line(is_watcher=request.param)
    line.handshake = "dismissed" if request.param else "paused"
    line.open(listens=False)
    line.settle()
    line.wait(2.0)
    line.write()
    line.obey()
    line.receive()
    line.write()
    line.end()
    line.receive()
    assert line.session.states[:2] == ("taken", line.handshake)
    line.table.say(m.ROUND_OPENED, OPENED, 1)
    line.obey()
    line.to_host.clear()
    return line


def test_a_repeat_under_a_late_session_settles_and_brings_no_life(late):
    """The session can end again."""
    late.say(late.table.repeat())
    late.receive()
    assert late.session.states[:2] == ("taken", "settled")
    late.end()
    late.receive()
    assert late.session.states[:2] == ("taken", late.handshake)


@pytest.mark.parametrize("is_silent", [False, True])
def test_an_unread_frame_under_a_late_session_brings_life_and_settles_nothing(late, is_silent):
    """Then the table ends the session, or falls silent."""
    late.say(newer(late))
    late.receive()
    assert late.session.states[:2] == ("online", late.handshake)
    if is_silent:
        late.wait(2.0)
        assert late.session.states[:2] == ("offline", "asking")
        assert [f.type for f in Receiver().feed(late.session.outgoing())] == [m.IDENTIFY]
        return
    late.end()
    late.receive()
    assert late.session.states[:2] == ("taken", late.handshake)


@pytest.mark.parametrize("is_watcher", [False, True])
def test_a_proof_that_was_on_its_way_when_the_table_was_taken_starts_a_session(is_watcher):
    """The table answered after the other host had begun its session: it follows the newest."""
    line = Line(is_watcher=is_watcher)
    line.open(listens=False)
    line.settle()
    line.wait(2.0)
    line.write()
    line.end()
    line.obey()
    line.receive()
    assert line.session.states[:2] == ("taken", "dismissed" if is_watcher else "paused")
    line.receive()
    assert line.session.states[:2] == ("taken", "starting")
    line.settle()
    assert line.session.states[:2] == ("online", "settled")


def greeting(table):
    """The identity of a table that has just come up, without a proof."""
    return Sender(table.sender.device, table.sender.boot + 1).build(
        m.IDENTITY, (bytes(8), m.FINGERPRINTS[1], 0, 1, 0, 1, 1, 1, b"", bytes(8), 1)
    )


def requests(line, seconds):
    """Pass time with a greeting every 0.2 s; return when identify was sent."""
    times = []
    for _ in range(round(seconds * 5)):
        line.say(greeting(line.table))
        line.receive()
        line.wait(0.2)
        if any(frame.type == m.IDENTIFY for frame in Receiver().feed(line.session.outgoing())):
            times.append(round(line.now - 100.0, 1))
    return times


def test_a_table_that_comes_up_is_requested_at_most_once_a_second():
    """However often it greets."""
    line = Line()
    line.open(listens=False)
    line.settle()
    assert requests(line, 3.0) == [1.0, 2.0, 3.0]


def test_a_greeting_does_not_shorten_the_pause_of_a_host_that_was_taken_from():
    """Of a watcher it does: nothing else would ever end its wait."""
    line = Line()
    line.open(listens=False)
    line.settle()
    line.end()
    line.receive()
    assert requests(line, 9.8) == []
    watcher = Line(is_watcher=True)
    watcher.open(listens=False)
    watcher.settle()
    watcher.end()
    watcher.receive()
    assert requests(watcher, 1.2) == [1.0]


def test_a_greeting_before_the_port_was_lost_moves_nothing_that_listens():
    """What follows on the next port is noise: nothing is written."""
    line = Line()
    line.open(listens=False)
    line.write()
    line.say(greeting(line.table))
    line.receive()
    line.lose()
    line.open(listens=True)
    line.say(b"\x55\xaa\0")
    line.receive()
    line.wait(2.0)
    assert line.session.states[:2] == ("offline", "listening")
    assert line.session.outgoing() == b""


def test_a_new_port_ends_the_pause_of_a_host_that_was_taken_from():
    """It is asked at once, and the next pause is the first again."""
    line = Line()
    for _ in range(2):
        line.open(listens=False)
        line.settle()
        assert line.session.states[:2] == ("online", "settled")
        line.end()
        [event] = line.session.receive(line.to_host.pop(), line.now)
        assert event.text.endswith("this host tries again in 10 s")


def test_what_waits_when_the_table_is_taken_is_dropped():
    """A command meant the session that has ended; a record comes again."""
    line = Line()
    line.open(listens=False)
    line.settle()
    order = line.session.command(m.CLEAR_FAULT, (505,), 0)
    line.say(line.table.say(m.ROUND_OPENED, OPENED, 1))
    line.receive()
    line.end()
    line.receive()
    assert line.session.outgoing() == b""
    line.wait(10.0)
    line.settle()
    assert line.session.states[:2] == ("online", "settled")
    assert (order.counter, m.CLEAR_FAULT in line.table.obeyed) == (0, False)


def test_a_table_that_speaks_again_has_time_to_prove_that_its_frames_are_new():
    """Its first frame after a silence does not, and no beacon was sent since."""
    line = Line()
    line.open(listens=False)
    line.settle()
    line.wait(0.1)
    line.settle()
    line.wait(3.0)
    assert line.session.states == ("offline", "asking", "current")
    line.say(line.table.say(m.BETS_CLOSED, (1, 0), 1))
    line.receive()
    assert line.session.states == ("online", "settled", "current")


def test_a_host_that_joins_no_session_asks_no_more_after_the_answer():
    """It leaves the table to the host that it follows."""
    line = Line(joins=False)
    line.open(listens=False)
    line.settle()
    assert line.session.states[:2] == ("waiting", "settled")
    assert line.session.identity is not None


def test_another_device_is_left_to_its_host_and_identified_until_the_right_one_answers():
    """Each second, and no session is started with it; then plugs are changed."""
    line = Line(device=8)
    line.open(listens=False)
    line.settle()
    for _ in range(3):
        line.wait(1.0)
        line.settle()
    assert line.session.states[:2] == ("offline", "asking")
    assert line.session.identity.device == 7
    assert line.session.trust.session is line.table.session is None
    line.table = KeyedTable(8, 1, OTHER)
    line.wait(1.0)
    line.settle()
    assert line.session.states[:2] == ("online", "settled")
    assert line.session.trust.session.device == 8


def test_another_device_in_place_of_the_one_that_spoke_ends_its_session():
    """Frames of the other are forged ones until it has proved itself, which is requested after
    2 s; then they are not judged. Back on its plug, the first one begins a session again."""
    line = Line(device=7)
    line.open(listens=False)
    line.settle()
    first, line.table = line.table, KeyedTable(8, 1, OTHER)
    line.say(followed_elsewhere())
    line.receive()
    assert line.session.tampered == 1
    for _ in range(4):
        line.wait(1.0)
        line.settle()
    line.say(followed_elsewhere())
    line.receive()
    assert (line.session.tampered, line.session.states[:2]) == (1, ("offline", "asking"))
    line.table = first
    line.wait(1.0)
    line.settle()
    assert line.session.states[:2] == ("online", "settled")


def followed_elsewhere():
    """A frame of device 8, which follows another host."""
    sender = Sender(8, 1)
    sender.mac = seal.Session(OTHER, 8, 1, b"of other", b" hosts  ").table
    return sender.build(m.BETS_CLOSED, (1, 0))


class AnyLine(RuleBasedStateMachine):
    """Lines that delay, lose, forge and replay; tables that restart, are swapped or taken.

    A session that applies a trigger which its states do not list raises, and that fails.
    """

    @initialize(
        is_watcher=st.booleans(),
        joins=st.booleans(),
        device=st.sampled_from((None, 7)),
        listens=st.booleans(),
    )
    def begin(self, is_watcher, joins, device, listens):
        self.line = Line(is_watcher=is_watcher, joins=joins, device=device)
        self.history = []
        self.line.open(listens=listens)

    @rule(listens=st.booleans())
    def open(self, listens):
        self.line.open(listens=listens)

    @precondition(lambda self: self.line.is_open)
    @rule()
    def lose(self):
        self.line.lose()

    @rule()
    def write(self):
        self.line.write()

    @rule()
    def obey(self):
        self.line.write()
        self.line.obey()

    @precondition(lambda self: self.line.is_open and self.line.to_host)
    @rule(count=st.integers(1, 4))
    def receive(self, count):
        self.history += self.line.to_host[:count]
        for _ in self.line.to_host[:count]:
            self.line.receive()

    @precondition(lambda self: self.line.is_open)
    @rule()
    def settle(self):
        self.line.settle()

    @rule(is_from_table=st.booleans())
    def drop(self, is_from_table):
        del (self.line.to_host if is_from_table else self.line.to_table)[:1]

    @rule(seconds=st.sampled_from((0.1, 0.6, 1.1, 2.2, 11.0)))
    def wait(self, seconds):
        self.line.wait(seconds)

    @rule(count=st.integers(1, 8))
    def beat(self, count):
        for _ in range(count):
            self.line.say(self.line.table.beat())
            self.line.wait(0.25)

    @rule()
    def play(self):
        self.line.say(self.line.table.say(m.ROUND_OPENED, OPENED, 1))

    @rule()
    def repeat(self):
        self.line.say(self.line.table.repeat())

    @rule()
    def take_over(self):
        self.line.end()

    @rule()
    def restart(self):
        self.line.table.restart()

    @rule(key=st.sampled_from(((7, 1, SECRET), (7, 1, OTHER), (8, 1, OTHER), (9,), (7,))))
    def swap(self, key):
        self.line.table = KeyedTable(*key)

    @precondition(lambda self: self.line.table.session is not None)
    @rule()
    def send_unread(self):
        self.line.say(newer(self.line))

    @rule(boot=st.integers(0, 3), counter=st.integers(1, 300))
    def forge(self, boot, counter):
        self.line.say(forged(boot=boot, counter=counter))
        self.line.say(foreign(self.line.table))

    @precondition(lambda self: self.history)
    @rule(data=st.data())
    def replay(self, data):
        self.line.say(data.draw(st.sampled_from(self.history)))

    @rule(garbage=st.sampled_from((b">>> ", b"\x55\xaa\0", b"\x01\x02")))
    def send_garbage(self, garbage):
        self.line.say(garbage)

    @invariant()
    def is_a_possible_state(self):
        if hasattr(self, "line"):
            states = self.line.session.states
            assert states in REACHABLE
            assert (states.presence is not CLOSED) == self.line.is_open


TestAnyLine = AnyLine.TestCase
TestAnyLine.settings = settings(max_examples=share(200, 4), stateful_step_count=60, deadline=None)
