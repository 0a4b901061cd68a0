"""The link's session: who is there, what is new, what is safe, what is silent. Time is given."""

import pytest

from tabletools.link import (
    CLOSED,
    OFFLINE,
    ONLINE,
    WAITING,
    FrameRefused,
    Notice,
    NotOnline,
    OnceStore,
    Received,
    Session,
)
from tablewire.framing import Receiver
from tablewire.messages import (
    ACKNOWLEDGE,
    BEACON,
    CLOSE_BETS,
    HEARTBEAT,
    IDENTIFY,
    IDENTITY,
    ROUND_OPENED,
    STATE,
)
from tablewire.sender import Sender

NONCE = b"12345678"
OPENED = (2, 7, 60000)
BEAT = (2, 0, 255, -1, 142, 0, 0, 0, 180000, 96_000)
DURABLE, REPEATED = 2, 10


def identity(nonce=NONCE):
    return nonce, 0x8A904652, 0, 1, 0, 1, 0, 1, b"emulated", bytes(8), 0


class Store(list):
    """Keeps the counters of the records stored; refuses when ordered to."""

    refuses = False

    def __call__(self, frame):
        if self.refuses:
            raise OSError("disk full")
        self.append(frame.counter)


@pytest.fixture
def table():
    """The far end: device 7 in its third boot."""
    return Sender(7, 3)


@pytest.fixture
def store():
    return Store()


@pytest.fixture
def session(store):
    """A session on a port opened at 100 s, its identify already taken off."""
    session = Session(OnceStore(store), new_nonce=lambda: NONCE)
    session.connected(100.0)
    session.outgoing()
    return session


def sent(session):
    """What the session wants to send, as (type, device, boot, values)."""
    frames = Receiver().feed(session.outgoing())
    return [(frame.type, frame.device, frame.boot, frame.values) for frame in frames]


def counters_of(events):
    return [event.frame.counter for event in events if isinstance(event, Received)]


def notices(events):
    return [event.kind for event in events if isinstance(event, Notice)]


def test_connecting_asks_who_is_there():
    """Identify is sent at once, to any device, and again every second until answered."""
    session = Session(new_nonce=lambda: NONCE)
    assert (session.state, session.outgoing()) == (CLOSED, b"")
    assert notices(session.connected(100.0)) == ["connected"]
    assert session.state == WAITING
    assert sent(session) == [(IDENTIFY, 0, 0, (NONCE,))]
    session.tick(100.9)
    assert sent(session) == []
    session.tick(101.0)
    assert sent(session) == [(IDENTIFY, 0, 0, (NONCE,))]


def test_the_answer_ends_the_asking(session, table):
    """An identity with our nonce is the answer; the table is online."""
    events = session.receive(table.build(IDENTITY, identity()), 100.1)
    assert notices(events) == ["online"]
    assert session.identity.values[8].rstrip(b"\0") == b"emulated"
    session.tick(101.5)
    assert session.state == ONLINE
    assert [kind for kind, *_ in sent(session)] == [BEACON]


def test_an_answer_to_somebody_else_is_not_ours(session, table):
    """Another nonce identifies no one to us; zeros come unasked at boot and do."""
    session.receive(table.build(IDENTITY, identity(b"87654321")), 100.1)
    assert session.identity is None
    session.receive(table.build(IDENTITY, identity(bytes(8))), 100.2)
    assert session.identity is not None
    session.tick(101.0)
    assert [ident for ident, *_ in sent(session)] == [IDENTIFY]


def test_a_durable_record_is_acknowledged_after_it_is_stored(session, store, table):
    """Store first, then acknowledge by boot and counter; ephemeral frames need neither."""
    events = session.receive(table.build(ROUND_OPENED, OPENED, DURABLE), 100.1)
    assert [event.stored for event in events if isinstance(event, Received)] == [True]
    assert store == [1]
    assert sent(session) == [(ACKNOWLEDGE, 7, 3, (3, 1))]
    events = session.receive(table.build(HEARTBEAT, BEAT), 100.2)
    assert [event.stored for event in events] == [False]
    assert (store, sent(session)) == ([1], [])


def test_what_is_not_stored_is_not_acknowledged(session, store, table):
    """A store that fails is an error with the last frames; the repeat is stored and delivered."""
    wire = table.build(ROUND_OPENED, OPENED, DURABLE)
    store.refuses = True
    events = session.receive(wire, 100.1)
    assert notices(events) == ["online", "store_failed"]
    assert events[1].text == "OSError: disk full"
    assert (counters_of(events), sent(session)) == ([], [])
    store.refuses = False
    assert counters_of(session.receive(wire, 101.1)) == [1]
    assert sent(session) == [(ACKNOWLEDGE, 7, 3, (3, 1))]


def test_a_watcher_never_acknowledges(table):
    """Without a store nothing is acknowledged, and repeats are still delivered once."""
    session = Session(new_nonce=lambda: NONCE)
    session.connected(100.0)
    session.outgoing()
    wire = table.build(ROUND_OPENED, OPENED, DURABLE)
    events = session.receive(wire + wire, 100.1)
    assert (counters_of(events), session.duplicates, sent(session)) == ([1], 1, [])


def test_a_duplicate_is_delivered_once_and_acknowledged_again(session, store, table):
    """The acknowledge may have been lost, so a repeat gets another; nothing is stored twice."""
    wire = table.build(ROUND_OPENED, OPENED, DURABLE)
    table.counter = 0
    repeat = table.build(ROUND_OPENED, OPENED, REPEATED)
    events = session.receive(wire + repeat, 100.1)
    assert (counters_of(events), store, session.duplicates) == ([1], [1], 1)
    assert [ident for ident, *_ in sent(session)] == [ACKNOWLEDGE]  # the first still waited
    session.receive(repeat, 100.2)
    assert [ident for ident, *_ in sent(session)] == [ACKNOWLEDGE]


def test_the_same_name_with_another_content_is_an_alarm(session, store, table):
    """Nothing is overwritten, delivered or acknowledged."""
    session.receive(table.build(ROUND_OPENED, OPENED, DURABLE), 100.1)
    session.outgoing()
    table.counter = 0
    events = session.receive(table.build(ROUND_OPENED, (1, 7, 60000), REPEATED), 100.2)
    assert notices(events) == ["conflict"]
    assert "device 7 boot 3 counter 1" in events[0].text
    assert (counters_of(events), store, sent(session)) == ([], [1], [])


def test_a_watcher_reports_a_repeat_with_another_content(table):
    """Of a record and of any other frame; it is not delivered."""
    session = Session(new_nonce=lambda: NONCE)
    session.connected(100.0)
    for flags in (DURABLE, 0):
        session.receive(table.build(STATE, (2, 1), flags), 100.1)
        table.counter -= 1
        [event] = session.receive(table.build(STATE, (1, 1), flags), 100.2)
        assert (event.kind, session.duplicates) == ("conflict", 0)


def test_a_record_without_boot_or_counter_is_refused(session, store):
    """Both count from 1, so no acknowledgement could name it: not stored, and no exception."""
    for boot, counter in ((0, 1), (3, 0)):
        table = Sender(7, boot)
        table.counter = counter - 1
        events = session.receive(table.build(ROUND_OPENED, OPENED, REPEATED), 100.1)
        assert notices(events)[-1] == "conflict"
        assert f"boot {boot} counter {counter}" in events[-1].text
    assert (store, sent(session)) == ([], [])


def test_a_repeat_of_another_table_is_not_acknowledged_to_this_one(session, table):
    """The table last received may have another record with that boot and counter."""
    session.receive(table.build(HEARTBEAT, BEAT), 100.1)
    other = Sender(8, 3)
    session.receive(other.build(ROUND_OPENED, OPENED, REPEATED), 100.2)
    assert sent(session) == []


def test_a_repeat_of_an_older_boot_is_acknowledged_to_the_present_one(session, table):
    """A record journaled before a restart keeps its boot; the command names the boot of today."""
    session.receive(table.build(STATE, (2, 1)), 100.1)
    old = Sender(7, 2)
    old.counter = 40
    events = session.receive(old.build(ROUND_OPENED, OPENED, REPEATED), 100.2)
    assert (notices(events), counters_of(events)) == ([], [41])
    assert sent(session) == [(ACKNOWLEDGE, 7, 3, (2, 41))]


def test_two_seconds_of_silence_are_offline(session, table):
    """The state changes at 2 s, once, with the last frames; the next frame brings it back."""
    session.receive(table.build(HEARTBEAT, BEAT), 100.5)
    assert session.tick(102.4) == []
    [event] = session.tick(102.5)
    assert (event.kind, event.text, event.error) == ("offline", "no frame for 2.0 s", True)
    assert [logged.name for logged in event.frames] == ["identify", "heartbeat", "identify"]
    assert session.state == OFFLINE
    assert session.tick(103.0) == []
    assert notices(session.receive(table.build(HEARTBEAT, BEAT), 104.0)) == ["online"]


def test_a_port_on_which_nobody_ever_spoke_goes_offline(session):
    """Silence counts from the opening of the port, not from an earlier connection."""
    assert notices(session.tick(102.0)) == ["offline"]
    session.lost(103.0, "unplugged")
    session.connected(150.0)
    assert notices(session.tick(151.9)) == []
    assert notices(session.tick(152.0)) == ["offline"]


def test_a_long_silence_then_a_burst(session, store, table):
    """134 s of silence, then 200 durable frames in 34 ms: each stored and acknowledged once."""
    session.tick(102.0)
    burst = [table.build(ROUND_OPENED, OPENED, DURABLE) for _ in range(200)]
    events = []
    for n, wire in enumerate(burst):
        events += session.receive(wire, 234.0 + n * 0.00017)
    assert counters_of(events) == store == list(range(1, 201))
    acknowledged = [values for ident, _, _, values in sent(session) if ident == ACKNOWLEDGE]
    assert acknowledged == [(3, counter) for counter in range(1, 201)]


def test_bytes_that_are_no_frame_are_reported_with_their_content(session, table):
    """The owner sees what was refused and why; the log keeps it too."""
    wire = table.build(STATE, (2, 1))
    events = session.receive(b"\x55\xaa\0" + wire, 100.1)
    [refused] = [event for event in events if isinstance(event, FrameRefused)]
    assert (refused.skip.reason, refused.data) == ("cobs", b"\x55\xaa\0")
    assert (session.skipped, counters_of(events)) == (1, [1])
    assert session.log.last()[1].name == "refused: cobs"


def test_an_error_shows_the_last_twenty_frames(session, table):
    """Hex, direction and name of the last 20, oldest first, both directions."""
    for _ in range(30):
        session.receive(table.build(STATE, (2, 1)), 100.1)
    [event] = session.lost(101.0, "unplugged")
    assert (event.kind, event.text) == ("disconnected", "the port was lost: unplugged")
    assert len(event.frames) == 20
    table.counter = 29
    wire = table.build(STATE, (2, 1))
    assert str(event.frames[-1]) == f"     100.100 < {wire.hex()}  state"


def test_losing_the_port_reports_the_frame_it_cut(session, table):
    """Half a frame is reported when the port goes, and does not spoil the next connection."""
    wire = table.build(STATE, (2, 1))
    session.receive(wire[:9], 100.1)
    refused, lost = session.lost(100.2, "unplugged")
    assert (refused.skip.reason, refused.data, lost.kind) == (
        "truncated",
        wire[:9],
        "disconnected",
    )
    session.connected(101.0)
    assert counters_of(session.receive(table.build(STATE, (2, 1)), 101.1)) == [2]


def test_gaps_in_the_counters_are_counted(session, table):
    """Frames that never came are missed; the first frame received and repeats are no gap."""
    table.counter = 500
    session.receive(table.build(STATE, (2, 1)), 100.1)
    assert session.missed == 0
    table.counter += 3
    session.receive(table.build(STATE, (2, 1)), 100.2)
    assert session.missed == 3


def test_a_restart_of_the_table_is_noticed(session, table):
    """A higher boot is a restart, identity is asked; a lower one is an error, reported once."""
    session.receive(table.build(IDENTITY, identity()), 100.1)
    [reboot, _] = session.receive(Sender(7, 4).build(STATE, (2, 1)), 100.2)
    assert (reboot.kind, reboot.text, reboot.error) == ("rebooted", "boot 4 after boot 3", False)
    session.tick(100.3)
    assert [ident for ident, *_ in sent(session)] == [IDENTIFY]
    old = Sender(7, 2)
    [fell, _] = session.receive(old.build(STATE, (2, 1)), 100.4)
    assert (fell.kind, fell.error) == ("boot_fell", True)
    again = session.receive(old.build(STATE, (1, 2)), 100.4)
    assert [type(event) for event in again if isinstance(event, Notice)] == []
    assert session.present == (7, 4)
    [other, _] = session.receive(Sender(8, 1).build(STATE, (2, 1)), 100.5)
    assert (other.kind, other.text) == ("replaced", "device 8 in place of 7")


def test_commands_need_a_table(session, table):
    """A command names device, boot and round of the table that answers; else it is refused."""
    with pytest.raises(NotOnline, match="the table is waiting"):
        session.command(CLOSE_BETS, (), 12)
    session.receive(table.build(STATE, (2, 1)), 100.2)
    order = session.command(CLOSE_BETS, (), 12)
    [frame] = Receiver().feed(session.outgoing())
    assert (frame.type, frame.device, frame.boot, frame.round) == (CLOSE_BETS, 7, 3, 12)
    assert order.counter == frame.counter == 1
