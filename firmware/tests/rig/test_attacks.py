"""Attacks on the line of the shipped program, on the VM: refused, counted, reported; money stays.

An attacker sees every frame both ways, and sends what he likes; he has no key.
"""

import pytest
from tests.rig.desk import Desk, names

from tablewire import codes, roulette
from tablewire import messages as m
from tablewire.framing import Receiver
from tablewire.seal import Mac
from tablewire.sender import Sender

KEY = bytes(range(32))
# Kinds of a tamper record, as PROTOCOL.md numbers them.
KINDS = {
    "unauthenticated": 1,
    "tag": 2,
    "replayed": 3,
    "session": 4,
    "malformed": 5,
    "device": 6,
}
OPEN_MS = 8000  # from power-on to the first round
SWITCH = 21  # pin of the maintenance switch
COMMANDS = [
    (m.OPEN_BETS, ()),
    (m.ACKNOWLEDGE, (1, 3)),
    (m.SET_CONFIGURATION, (roulette.MIN_CIRCUITS, 1)),
    (m.VOID_ROUND, (codes.CROUPIER_VOID,)),
    (m.SET_KEY, (2, 0, bytes(32))),
    (m.OFFER_KEY, (2, bytes(range(32)))),
    (m.CONFIRM_KEY, (2, bytes(16))),
]


@pytest.fixture
def desk():
    """A table with a session and a round open; healthy at the end."""
    with Desk(secret=KEY) as keyed_desk:
        keyed_desk.play(1000)
        assert names(keyed_desk.start()) == []
        assert m.SESSION_STARTED in [frame.type for _, frame in keyed_desk.frames]
        keyed_desk.acknowledge(keyed_desk.play(OPEN_MS))
        yield keyed_desk
        assert keyed_desk.errors == ""
        assert {cause for _, cause in keyed_desk.resets} <= {"power"}


def attack(desk, wire):
    """Send an attacker's bytes; returns what the table says of it in two seconds."""
    return desk.play(2000, [(0, "rx", 0, wire.hex())])


def reported(frames):
    """Fields of the tamper records."""
    records = {f.counter: f.values for f in frames if f.type == m.TAMPER}
    return [records[counter] for counter in sorted(records)]


def check_lock(desk, frames, kind, ident, counter):
    """The round is void for the tampering alone; nothing the attacker wanted came to pass."""
    assert reported(frames) == [(kind, ident, counter, 1)]
    assert {"fault_raised", "round_void", "tamper"} <= set(names(frames))
    assert "key_changed" not in names(frames)
    assert "configuration" not in names(frames)
    void = [f for f in frames if f.type == m.ROUND_VOID]
    assert {f.values[0] for f in void} == {codes.LINK_TAMPERED}
    raised = [f.values for f in frames if f.type == m.FAULT_RAISED]
    assert raised[0] == (codes.LINK_TAMPERED, m.UNKNOWN_U8, kind, ident)
    beat = [f for f in desk.play(600) if f.type == m.HEARTBEAT][-1]
    assert (beat.values[0], beat.values[1], beat.values[7]) == (m.PHASE_CLOSED, 1, 1)
    # No round opens until the host, and nobody else, has cleared it.
    assert "round_opened" not in names(desk.play(OPEN_MS))
    desk.acknowledge([frame for _, frame in desk.frames], ms=3000)
    answer = desk.send(m.CLEAR_FAULT, [codes.LINK_TAMPERED])
    assert "fault_cleared" in names(answer)
    assert "round_opened" in names(answer + desk.play(OPEN_MS))


def forger(desk, counter=50):
    """A sender that knows everything but the key."""
    sender = Sender(desk.device, desk.boot)
    sender.counter = counter - 1
    sender.round = max(frame.round for _, frame in desk.frames)
    return sender


@pytest.mark.parametrize(("ident", "values"), COMMANDS)
def test_a_forged_command(desk, ident, values):
    """Right CRC, right device, boot, round and counter; the tag of another key."""
    sender = forger(desk)
    sender.mac = Mac(bytes(32))
    frames = attack(desk, sender.build(ident, values))
    check_lock(desk, frames, KINDS["tag"], ident, 50)


@pytest.mark.parametrize(("ident", "values"), COMMANDS)
def test_an_untagged_command(desk, ident, values):
    """The tag stripped and the flag cleared: what an unkeyed table would obey."""
    frames = attack(desk, forger(desk).build(ident, values))
    check_lock(desk, frames, KINDS["unauthenticated"], ident, 50)


def test_a_replayed_command(desk):
    """The host's own bytes, once more."""
    wire = desk.command(m.GET_CONFIGURATION, [roulette.MIN_CIRCUITS])
    assert "configuration" in names(desk.play(300, [(0, "rx", 0, wire.hex())]))
    counter = Receiver().feed(wire)[0].counter
    frames = attack(desk, wire)
    check_lock(desk, frames, KINDS["replayed"], m.GET_CONFIGURATION, counter)


def test_a_reflected_frame(desk):
    """The last heartbeat, sent back."""
    before = len(desk.bytes)
    beat = [f for f in desk.play(500) if f.type == m.HEARTBEAT][-1]
    wire = desk.bytes[before:]
    frames = attack(desk, wire[wire.rfind(b"\0", 0, -1) + 1 :])
    check_lock(desk, frames, KINDS["tag"], m.HEARTBEAT, beat.counter)


def test_a_command_of_the_boot_before(desk):
    """Recorded, never delivered, played after a reset into the new session."""
    wire = desk.command(m.CLOSE_BETS, round=1)
    counter = Receiver().feed(wire)[0].counter
    desk.reset("power")
    assert [f.type for _, f in desk.frames[-1:]] == [m.IDENTITY]
    desk.start(b"nonce  2")
    desk.acknowledge([frame for _, frame in desk.frames])
    desk.acknowledge(desk.play(OPEN_MS))
    frames = attack(desk, wire)
    check_lock(desk, frames, KINDS["tag"], m.CLOSE_BETS, counter)


def test_a_command_for_another_device(desk):
    """Sealed under the right keys, addressed to the next table: reported, and nothing else."""
    other = Sender(desk.device + 1, desk.boot)
    other.counter, other.mac = 50, desk.session.host
    frames = attack(desk, other.build(m.OPEN_BETS))
    assert reported(frames) == [(KINDS["device"], m.OPEN_BETS, 51, 1)]
    assert names(frames) == ["tamper"]


def test_a_truncated_tag(desk):
    """Half of the right tag is no tag."""
    sender = forger(desk)
    size = sender.pack(m.OPEN_BETS, (), m.FLAG_AUTHENTICATED)
    tag = desk.session.host.digest(bytes(sender.buf[1 : 1 + size]))
    sender.buf[1 + size : 9 + size] = tag[:8]
    frames = attack(desk, bytes(sender.buf[: sender.close(size + 8)]))
    assert reported(frames) == [(KINDS["malformed"], m.OPEN_BETS, 50, 1)]
    assert names(frames) == ["tamper"]


def test_a_forged_identify_breaks_nothing(desk):
    """The table answers whoever asks; its session and its host's commands go on."""
    for _ in range(3):
        (answer,) = attack(desk, forger(desk).build(m.IDENTIFY, [b"attacker"]))[:1]
        assert (answer.type, answer.values[6]) == (m.IDENTITY, 1)
    assert "configuration" in names(desk.send(m.GET_CONFIGURATION, [roulette.WHEEL]))
    assert reported([frame for _, frame in desk.frames]) == []


def test_a_flood(desk):
    """Ten seconds of 125 forgeries each: one record at a time, no journal_full, no reset.

    The table reads 1,600 bytes a second, so most of them are lost, some in the middle.
    """
    sender = forger(desk)
    sender.mac = Mac(bytes(32))
    wire = sender.build(m.OPEN_BETS).hex()
    frames = desk.play(10_000, [(8 * n, "rx", 0, wire) for n in range(1250)])
    assert len(reported(frames)) == 1
    raised = {f.values[0] for f in frames if f.type == m.FAULT_RAISED}
    assert raised == {codes.LINK_TAMPERED}
    # The host is heard through it all, and learns how many there were.
    counts = {}
    for _ in range(3):
        for frame in desk.acknowledge([frame for _, frame in desk.frames], ms=3000):
            if frame.type == m.TAMPER:
                counts[frame.counter] = frame.values[3]
    counts.update({f.counter: f.values[3] for _, f in desk.frames if f.type == m.TAMPER})
    skipped = [f.values[7] for _, f in desk.frames if f.type == m.HEARTBEAT][-1]
    assert 150 <= sum(counts.values()) <= skipped
    answer = desk.send(m.CLEAR_FAULT, [codes.LINK_TAMPERED])
    assert "fault_cleared" in names(answer)
    assert "round_opened" in names(answer + desk.play(OPEN_MS))


def only_identities(frames):
    """Whether the table says who it is, unasked, and nothing else."""
    return {(f.type, f.values[0], f.tag) for f in frames} == {(m.IDENTITY, bytes(8), None)}


def test_without_a_session_nothing_is_said_or_done():
    """A table with a key and no host: its identity twice a second; no command works."""
    with Desk(secret=KEY) as desk:
        frames = desk.play(1000)
        assert only_identities(frames)
        assert len(frames) == 3  # at boot, and in the place of two heartbeats
        for ident, values in COMMANDS:
            wire = Sender(desk.device, desk.boot).build(ident, values).hex()
            assert only_identities(desk.play(2000, [(0, "rx", 0, wire)]))
        frames = desk.start()
        assert reported(frames)[0][:2] == (KINDS["unauthenticated"], m.OPEN_BETS)
        assert "key_changed" not in names(frames)
        assert desk.errors == ""


def test_provisioning_and_rotation_on_the_line():
    """From a table without a key to its second one, over power cuts; the old key is dead."""
    with Desk(secret=None) as desk:
        desk.play(1000)
        assert desk.frames[0][1].values[6:11:4] == (0, 0)
        desk.acknowledge([frame for _, frame in desk.frames])
        desk.send(m.SET_KEY, (1, 0, KEY))
        desk.secret = KEY
        frames = desk.start()
        assert [f.values for f in frames if f.type == m.KEY_CHANGED][:1] == [(1, 0)]
        desk.acknowledge(frames)
        desk.reset("power")
        frames = desk.start(b"nonce  2")
        assert m.SESSION_STARTED in [f.type for f in frames]
        second, frames = desk.rotate(2)
        assert [f.values for f in frames if f.type == m.KEY_CHANGED] == [(2, 1)]
        desk.reset("power")
        assert only_identities(desk.start(b"nonce  3"))
        desk.secret = second
        assert m.SESSION_STARTED in [f.type for f in desk.start(b"nonce  4")]
        assert desk.errors == ""


def test_a_lost_key_is_replaced_by_whoever_turns_the_switch(desk):
    """Untagged, with the switch turned: the new key counts, the old session is over."""
    new_key = bytes(range(100, 132))
    desk.acknowledge(desk.play(500, [(0, "pin", SWITCH, 1)]))
    frames = attack(desk, forger(desk).build(m.SET_KEY, (2, 0, new_key)))
    assert only_identities(frames)  # the host of before has no session any more
    desk.secret = new_key
    frames = desk.start(b"nonce  2")
    assert [f.values for f in frames if f.type == m.KEY_CHANGED] == [(2, 1)]
    assert reported([frame for _, frame in desk.frames]) == []


def test_the_switch_lets_nothing_else_through(desk):
    """Turned on: other untagged commands are reported as before, no old number is accepted."""
    desk.acknowledge(desk.play(500, [(0, "pin", SWITCH, 1)]))
    answer = attack(desk, forger(desk).build(m.SET_KEY, (1, 0, bytes(32))))
    assert names(answer) == ["refusal"]
    frames = attack(desk, forger(desk).build(m.CLEAR_FAULT, [codes.MAINTENANCE_OPEN]))
    assert reported(frames) == [(KINDS["unauthenticated"], m.CLEAR_FAULT, 50, 1)]


def test_the_switch_turned_back_ends_it(desk):
    """Also when it was turned over a power cut."""
    desk.play(500, [(0, "pin", SWITCH, 1)])
    desk.reset("power")
    desk.play(2000, [(0, "pin", SWITCH, 0)])
    desk.start(b"nonce  2")
    frames = attack(desk, forger(desk).build(m.SET_KEY, (2, 0, bytes(32))))
    assert reported(frames) == [(KINDS["unauthenticated"], m.SET_KEY, 50, 1)]
    assert "key_changed" not in names(frames)
