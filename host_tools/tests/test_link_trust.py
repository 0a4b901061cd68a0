"""The link under attack: each forged, replayed, reflected, stripped or late frame is refused,
counted and reported; nothing of it is stored; the honest session continues."""

import pytest

from tableemulator.machines.keyed import KeyedTable
from tableemulator.machines.repeater import OPENED, result
from tabletools.authenticity import NONE, UNVERIFIED, VERIFIED
from tabletools.link import (
    ONLINE,
    WAITING,
    Notice,
    NotOnline,
    OnceStore,
    Received,
    Session,
    Tampered,
)
from tablewire.cobs import stuff, unstuff
from tablewire.codec import parse
from tablewire.crc import crc32
from tablewire.messages import (
    ACKNOWLEDGE,
    CLEAR_FAULT,
    FLAG_DURABLE,
    HEARTBEAT,
    IDENTITY,
    ROUND_OPENED,
    SEED,
    SET_KEY,
    START_SESSION,
)
from tablewire.roulette import WHEEL_RESULT
from tablewire.seal import Mac
from tablewire.sender import Sender

SECRET, OTHER = bytes(range(32)), bytes(range(1, 33))
KEYS = {7: {1: SECRET}, 8: {1: OTHER}}


class Line:
    """A host and a table, and the frames that an attacker on the line between them recorded.

    heard: every frame the table sent. stored: records the host stored.
    """

    def __init__(self, table, keys=KEYS, first_nonce=1):
        self.table = table
        self.stored = []
        self.heard = []
        self.now = 100.0
        nonces = iter(range(first_nonce, 1000))
        self.session = Session(
            OnceStore(self.stored.append),
            keys=lambda device: keys.get(device, {}),
            new_nonce=lambda: next(nonces).to_bytes(8, "big"),
        )
        self.events = list(self.session.connected(self.now))

    def receive(self, wire):
        """Bytes reach the host; returns what that brought."""
        frames = self.session.receive(wire, self.now)
        self.events += frames
        return frames

    def turn(self, wire=b""):
        """Pass honest bytes both ways until neither side sends more."""
        while True:
            self.heard += [piece + b"\0" for piece in wire.split(b"\0") if piece]
            self.receive(wire)
            wire = self.table.receive(self.session.outgoing())
            if not wire:
                return

    def wait(self, seconds):
        """Time passes; the host's frames are then answered."""
        self.now += seconds
        self.events += self.session.tick(self.now)
        self.turn()

    def tampered(self):
        return [event.skip.reason for event in self.events if isinstance(event, Tampered)]

    def stored_names(self):
        return [(frame.type, frame.counter) for frame in self.stored]


@pytest.fixture
def line():
    """An open session of device 7."""
    line = Line(KeyedTable(7, 1, SECRET))
    line.turn()
    assert line.session.trust.session.proof.key == 1
    return line


def forged(ident=WHEEL_RESULT, values=None, *, device=7, boot=1, counter=90, mac=None):
    """A frame with a right CRC, made without the table's key."""
    sender = Sender(device, boot)
    sender.counter, sender.round, sender.mac = counter - 1, 12, mac
    return sender.build(ident, result(17) if values is None else values, FLAG_DURABLE)


def change_body(wire, change):
    """A frame with its body changed and its CRC made right again."""
    body = bytearray(unstuff(wire[:-1]))[:-4]
    change(body)
    sealed = bytes(body) + crc32(bytes(body), SEED).to_bytes(4, "little")
    buf = bytearray(1) + bytearray(sealed) + bytearray(1)
    return bytes(buf[: stuff(buf, len(sealed))])


def strip_tag(body):
    body[2] &= ~1
    del body[-16:]


def cut_tag(body):
    del body[-8:]


def flip_pocket(body):
    body[23] ^= 1


# --- the honest way -----------------------------------------------------------------------------


def test_a_table_proves_itself_then_everything_is_verified(line):
    """identify, identity under the nonces, start_session, session_started; acknowledges sealed."""
    assert line.session.state == ONLINE
    for ident, values in ((ROUND_OPENED, OPENED), (WHEEL_RESULT, result(17))):
        line.turn(line.table.say(ident, values, 12))
    line.turn(line.table.beat())
    seals = {event.seal for event in line.events if isinstance(event, Received)}
    assert (seals, line.tampered(), line.table.refused) == ({VERIFIED}, [], [])
    assert line.table.journal == []
    texts = [event.text for event in line.events if isinstance(event, Notice)]
    assert "device 7 has proved key 1: authenticated" in texts


def test_records_made_before_the_session_come_under_it():
    """What waited in the journal of a silent table, of this boot and the one before."""
    table = KeyedTable(7, 1, SECRET)
    table.say(ROUND_OPENED, OPENED, 12)
    table.restart()
    table.say(ROUND_OPENED, OPENED, 13)
    line = Line(table)
    line.turn()
    assert [(f.boot, f.round) for f in line.stored] == [(1, 12), (2, 13)]
    assert (line.tampered(), table.journal) == ([], [])


def test_a_table_that_restarts_is_asked_anew(line):
    """Its untagged identity makes no claim; it proves itself again, under its new boot."""
    line.table.restart()
    hello = line.table.sender.build(IDENTITY, (bytes(8), 1, 0, 1, 0, 1, 1, 1, b"", bytes(8), 1))
    line.now += 2
    line.turn(hello)
    line.wait(0.1)
    line.turn(line.table.say(ROUND_OPENED, OPENED, 13))
    assert line.session.trust.session.proof.boot == 2
    assert [f.boot for f in line.stored] == [2]
    assert (line.tampered(), line.table.refused) == ([], [])
    assert "rebooted" in [e.kind for e in line.events if isinstance(e, Notice)]


def test_a_new_connection_begins_a_new_session(line):
    """Late frames of the one before are not judged; the session after it is whole."""
    line.events += line.session.lost(line.now, "unplugged")
    line.session.connected(line.now)
    line.turn(line.table.say(ROUND_OPENED, OPENED, 12))
    assert (line.tampered(), line.stored_names()) == ([], [(ROUND_OPENED, 3)])
    assert line.session.state == ONLINE


def test_a_lost_start_is_asked_for_again():
    """start_session never arrived: a second later there is another try, with fresh nonces."""
    line = Line(KeyedTable(7, 1, SECRET))
    line.receive(line.table.receive(line.session.outgoing()))
    line.session.outgoing()  # start_session, lost
    assert line.session.state == WAITING
    line.wait(1.0)
    assert (line.session.state, line.tampered(), line.table.refused) == (ONLINE, [], [])


def test_commands_are_sealed_and_rise(line):
    """A command before the session is refused here; under it each has a higher counter."""
    first, second = (line.session.command(CLEAR_FAULT, (506,), 0) for _ in range(2))
    assert (first.counter, second.counter) == (0, 0)
    line.turn()
    assert (first.counter, second.counter) == (3, 4)
    assert line.table.obeyed[-2:] == [CLEAR_FAULT, CLEAR_FAULT]
    waiting = Line(KeyedTable(7, 1, SECRET))
    with pytest.raises(NotOnline):
        waiting.session.command(CLEAR_FAULT, (506,), 0)


def test_a_table_without_a_key_works_and_says_so():
    """Bench mode: stored and acknowledged, and never called more than unauthenticated."""
    line = Line(KeyedTable(9))
    line.turn()
    line.turn(line.table.say(ROUND_OPENED, OPENED, 12))
    seals = {event.seal for event in line.events if isinstance(event, Received)}
    assert (seals, line.table.journal) == ({NONE}, [])
    assert any("unauthenticated" in e.text for e in line.events if isinstance(e, Notice))


def test_a_watcher_without_keys_believes_nothing(line):
    """Tagged frames are shown as not verified; no session is started, nothing acknowledged."""
    watcher = Session()
    watcher.connected(100.0)
    watcher.outgoing()
    [_, event] = watcher.receive(
        line.table.say(HEARTBEAT, (1, 0, 255, 1, 142, 0, 0, 0, 9, 9)), 100.0
    )
    assert (event.seal, event.stored) == (UNVERIFIED, False)
    assert watcher.outgoing() == b""


@pytest.mark.parametrize("number", [2, 1])
def test_a_table_whose_key_is_not_here_is_refused(number):
    """No key at all, or another number: a message with the next step, nothing stored or judged."""
    device = 7 if number == 2 else 5
    line = Line(KeyedTable(device, number, SECRET))
    line.turn()
    refusal = line.session.trust.refusal
    assert f"device {device} has key {number}" in refusal.what
    assert "tabletool keys import" in refusal.step
    line.turn(line.table.say(ROUND_OPENED, OPENED, 12))
    assert (line.session.state, line.stored, line.tampered()) == (WAITING, [], [])


def test_a_wrong_key_is_distinguished_from_a_missing_one():
    """The number is right and the key is not."""
    line = Line(KeyedTable(7, 1, OTHER))
    line.turn()
    assert "is not the table's" in line.session.trust.refusal.what
    assert line.session.state == WAITING


# --- attacks ------------------------------------------------------------------------------------

RESULT = Mac(OTHER)
ATTACKS = {
    "forged with a right CRC": (lambda line: forged(), "unauthenticated"),
    "forged tag": (lambda line: forged(mac=RESULT), "tag"),
    "of another device": (lambda line: forged(device=8, mac=RESULT), "tag"),
    "of another device, untagged": (lambda line: forged(device=8), "unauthenticated"),
    "reflected host frame": (lambda line: line.reflected, "tag"),
    "replayed": (lambda line: line.heard[-1], "replayed"),
    "pocket changed": (lambda line: change_body(line.heard[-1], flip_pocket), "tag"),
    "tag cut": (lambda line: change_body(line.heard[-1], cut_tag), "tag"),
    "tag stripped": (lambda line: change_body(line.heard[-1], strip_tag), "unauthenticated"),
    "type unknown": (
        lambda line: change_body(forged(), lambda b: b.__setitem__(1, 0x3E)),
        "unauthenticated",
    ),
    "downgrade": (
        lambda line: forged(
            IDENTITY, (bytes(8), 1, 0, 1, 0, 1, 0, 1, b"", bytes(8), 0), counter=200
        ),
        "downgrade",
    ),
}


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_is_refused_counted_and_reported(line, name):
    """Nothing of it is stored or answered, and the honest session continues."""
    line.turn(line.table.say(ROUND_OPENED, OPENED, 12))
    line.receive(line.table.say(WHEEL_RESULT, result(5), 12))
    line.heard.append(line.table.sender.build(HEARTBEAT, (1, 0, 255, 1, 142, 0, 0, 0, 9, 9)))
    line.receive(line.heard[-1])
    line.reflected = line.session.outgoing()
    assert parse(unstuff(line.reflected[:-1])).type == ACKNOWLEDGE
    line.table.receive(line.reflected)
    before = line.stored_names()
    make, reason = ATTACKS[name]
    wire = make(line)
    [event] = line.receive(wire)
    assert (type(event), event.skip.reason, event.device) == (Tampered, reason, 7)
    assert (event.data, line.session.tampered) == (wire, 1)
    assert (line.stored_names(), line.session.outgoing()) == (before, b"")
    line.turn(line.table.say(ROUND_OPENED, OPENED, 13))
    assert len(line.stored) == len(before) + 1


def test_a_replay_from_the_last_boot_is_refused(line):
    """The same device, the same key, another session: its tags say nothing any more."""
    line.turn(line.table.say(ROUND_OPENED, OPENED, 12))
    old = line.heard[-1]
    line.table.restart()
    line.wait(2.0)
    assert line.session.trust.session.proof.boot == 2
    line.receive(old)
    assert line.tampered() == ["tag"]


def test_an_old_handshake_does_not_begin_a_session(line):
    """identity and session_started of yesterday, played to a host that has just come."""
    recorded = b"".join(line.heard)
    fresh = Line(KeyedTable(7, 1, SECRET), first_nonce=500)
    fresh.session.outgoing()
    fresh.receive(recorded)
    assert (fresh.session.trust.session, fresh.session.outgoing()) == (None, b"")
    assert (fresh.session.state, fresh.stored) == (WAITING, [])


def test_frames_before_the_session_are_not_judged():
    """They may belong to a session before ours: dropped, not stored, no alarm."""
    line = Line(KeyedTable(7, 1, SECRET))
    line.receive(forged() + forged(mac=RESULT) + forged(counter=91))
    assert (line.stored, line.tampered(), line.session.skipped) == ([], [], 0)
    assert line.session.state == WAITING


def test_a_delayed_frame_is_refused_and_its_repeat_is_taken(line):
    """Held back and released after a younger one, it is a replay; the table's repeat is none."""
    held = line.table.say(ROUND_OPENED, OPENED, 12)
    line.turn(line.table.beat())
    line.receive(held)
    assert (line.tampered(), line.stored) == (["replayed"], [])
    line.turn(line.table.repeat())
    assert (len(line.stored), line.table.journal) == (1, [])


def test_a_replayed_repeat_counts_once(line):
    """A repeat and its replay look the same: the record is stored once in either case."""
    line.table.say(ROUND_OPENED, OPENED, 12)
    repeat = line.table.repeat()
    line.turn(repeat)
    line.receive(repeat)
    assert (len(line.stored), line.session.duplicates) == (1, 1)


def test_noise_is_no_tampering(line):
    """A frame with a wrong CRC, cut in half, or of another schema proves no intent."""
    wire = line.table.beat()
    torn = bytearray(wire)
    torn[-3] = torn[-3] % 255 + 1
    line.receive(bytes(torn) + wire[:9] + b"\0" + Sender(7, 1, seed=5).build(HEARTBEAT, (1,) * 10))
    assert (line.tampered(), line.session.skipped) == ([], 3)


def test_the_log_of_frames_never_holds_a_key():
    """It is shown with errors; a key goes over it as its name alone."""
    line = Line(KeyedTable(9))
    line.turn()
    line.session.command(SET_KEY, (1, 0, SECRET), 0)
    line.session.outgoing()
    text = " ".join(map(str, line.session.log.last()))
    assert "set_key" in text
    assert SECRET.hex() not in text
    assert SECRET[1:16].hex() not in text


def test_silence_of_the_table_is_not_filled_by_an_attacker(line):
    """Forged frames do not keep a dead table online."""
    for _ in range(5):
        line.now += 0.5
        line.receive(forged())
        line.events += line.session.tick(line.now)
    assert "offline" in [event.kind for event in line.events if isinstance(event, Notice)]
    assert START_SESSION in line.table.obeyed


def test_a_lower_boot_with_the_right_key_is_tampering(line):
    """A copy of the flash with its key answers after a reconnect: no session, and reported."""
    line.table.restart()
    line.wait(3.0)
    line.turn()
    assert line.session.trust.session.proof.boot == 2
    line.table = KeyedTable(7, 1, SECRET, boot=1)
    line.table._nonces = 50
    line.session.lost(line.now, "cable")
    line.session.connected(line.now)
    line.turn()
    assert line.tampered() == ["boot"]
    assert line.session.trust.session is None
