"""What may be settled: only records the device with the key made, once, under any attack."""

from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from hil_tests.thinned import share
from host_tools.tests.collecting import KEYS, SECRET, Collecting
from tableemulator.machines.keyed import KeyedTable
from tableemulator.machines.repeater import CLOSED, OPENED, result
from tabletools.pit.collector import Collector
from tabletools.store import LedgerRejection
from tablewire.cobs import stuff, unstuff
from tablewire.crc import crc32
from tablewire.messages import (
    BETS_CLOSED,
    FLAG_DURABLE,
    FLAG_RETRANSMITTED,
    ROUND_OPENED,
    SEED,
    TAMPER,
)
from tablewire.roulette import WHEEL_RESULT
from tablewire.seal import Mac
from tablewire.sender import Sender


@pytest.fixture
def host(tmp_path):
    new_host = Collecting(tmp_path / "night.db")
    yield new_host
    new_host.close()


def forged(number, pocket):
    sender = Sender(7, 3)
    sender.counter, sender.round = 500, number
    wires = [sender.build(ROUND_OPENED, OPENED, 2), sender.build(BETS_CLOSED, CLOSED, 2)]
    return b"".join([*wires, sender.build(WHEEL_RESULT, result(pocket), 2)])


def test_only_a_verified_round_is_settled(host):
    """All of it under a session, not in test mode."""
    host.round(12)
    assert host.settleable() == [(7, 12, 17)]
    host.table.sender.test_mode = True
    host.round(13)
    assert host.settleable() == [(7, 12, 17)]
    assert host.rows("SELECT DISTINCT seal FROM frames") == [("verified",)]


def test_the_bench_is_never_settled(tmp_path):
    """Stored and listed, and nothing counts: there was no key."""
    host = Collecting(tmp_path / "bench.db", KeyedTable(9), keys={})
    host.round(12)
    assert host.rows("SELECT DISTINCT seal, counts FROM frames") == [("none", 0)]
    [row] = host.listed("round")
    assert (row["verdict"], row["pocket"], row["settleable"]) == ("unproved", "17", False)
    assert (host.verdicts(), host.settleable()) == ({}, [])
    host.close()


def test_a_round_that_got_its_key_half_way_is_not_settled(tmp_path):
    """Opened on the bench, ended under a session: who opened it is not proven."""
    table = KeyedTable(7)
    host = Collecting(tmp_path / "night.db", table, keys={})
    host.say(ROUND_OPENED, OPENED, 12)
    host.close()
    table.number, table.secret = 1, SECRET
    host = Collecting(tmp_path / "night.db", table, clock=host.clock)
    host.say(BETS_CLOSED, CLOSED, 12)
    host.say(WHEEL_RESULT, result(3), 12)
    host.beat()
    assert (host.verdicts(), host.settleable()) == ({12: "unexpected"}, [])
    host.close()


def test_a_forged_round_stops_the_table_until_a_person_releases_it(host):
    """One alarm with the first frame, the rest counted; the honest rounds count after release."""
    host.round(12)
    wire = forged(13, 5)
    host.receive(wire)
    assert host.rows("SELECT kind, device, repeats, raw FROM alarms") == [
        ("tamper", 7, 2, wire[: wire.index(b"\0") + 1])
    ]
    assert "round_opened of device 7 boot 3 counter 501 refused" in host.stopped()
    host.round(13)
    assert host.settleable() == []
    assert host.bets()[0] == 0
    host.release("line replaced")
    assert host.settleable() == [(7, 12, 17), (7, 13, 17)]
    host.receive(wire)
    assert [row["kind"] for row in host.listed("alarm")] == ["tamper", "tamper"]


def test_what_the_table_refused_is_an_alarm(host):
    """Its tamper record reports forged commands; an alarm tells a person."""
    host.say(TAMPER, (2, 66, 900, 3))
    [(kind, text)] = host.rows("SELECT kind, text FROM alarms")
    assert kind == "tamper"
    assert '"count": 3' in text
    assert host.table.journal == []


class ManInTheMiddle(RuleBasedStateMachine):
    """A table, a host, and an attacker who controls the line between them.

    The attacker may drop, repeat, hold back, reorder, change and make frames, both ways, and cut
    the power. The table's records are the truth: nothing else may be settled, nothing twice.
    """

    def __init__(self):
        super().__init__()
        self.truth = {}
        self.table = KeyedTable(7, 1, SECRET)
        self.folder = TemporaryDirectory()
        self.host = Collecting(Path(self.folder.name) / "night.db", self.table)
        self.up, self.down, self.heard = [], [], []
        self.number = 0

    def start(self):
        """Restart the host's program."""
        host = self.host
        host.collector = Collector(host.store, lambda device: KEYS.get(device, {}))
        host.session = host.collector.session
        host.take(host.session.connected(host.now_s()))

    def teardown(self):
        self.host.close()
        self.folder.cleanup()

    def flow(self):
        """What each end wants to say goes onto the line, where it waits for the attacker."""
        self.down += [p + b"\0" for p in self.host.session.outgoing().split(b"\0") if p]

    def say(self, wire):
        frames = [p + b"\0" for p in wire.split(b"\0") if p]
        self.up += frames
        self.heard += frames

    @rule(pocket=st.integers(0, 36))
    def play(self, pocket):
        """The table plays a round."""
        self.number += 1
        self.truth[self.number] = pocket
        for ident, values in (
            (ROUND_OPENED, OPENED),
            (BETS_CLOSED, CLOSED),
            (WHEEL_RESULT, result(pocket)),
        ):
            self.say(self.table.say(ident, values, self.number))
        self.say(self.table.beat())

    @rule()
    def repeat(self):
        """The table sends again what was not acknowledged."""
        self.say(self.table.repeat())
        self.say(self.table.beat())

    @rule()
    def pass_on(self):
        """The line is left alone for a while: everything arrives."""
        for _ in range(4):
            self.flow()
            while self.down:
                self.say(self.table.receive(self.down.pop(0)))
            while self.up:
                self.host.receive(self.up.pop(0))

    @rule()
    def wait(self):
        """Three seconds of silence."""
        self.host.clock.pass_ms(3000)
        self.host.take(self.host.session.tick(self.host.now_s()))
        self.host.collector.tick()

    @rule()
    def restart_table(self):
        self.table.restart()

    @rule()
    def restart_host(self):
        self.start()

    @rule()
    def release(self):
        with suppress(LedgerRejection):
            self.host.release()

    @precondition(lambda self: self.up)
    @rule(data=st.data())
    def drop(self, data):
        self.up.pop(data.draw(st.integers(0, len(self.up) - 1)))

    @precondition(lambda self: len(self.up) > 1)
    @rule(data=st.data())
    def reorder(self, data):
        self.up.insert(0, self.up.pop(data.draw(st.integers(0, len(self.up) - 1))))

    @precondition(lambda self: self.heard)
    @rule(data=st.data())
    def replay(self, data):
        self.up.append(data.draw(st.sampled_from(self.heard)))

    @precondition(lambda self: self.heard)
    @rule(data=st.data(), place=st.integers(23, 60), bit=st.integers(0, 7))
    def change(self, data, place, bit):
        """A bit of a recorded frame, CRC made right again; or its tag stripped, flag cleared."""
        body = bytearray(unstuff(data.draw(st.sampled_from(self.heard))[:-1]))[:-4]
        if data.draw(st.booleans()):
            body[2] &= ~1
            del body[-16:]
        body[min(place, len(body) - 1)] ^= 1 << bit
        sealed = bytes(body) + crc32(bytes(body), SEED).to_bytes(4, "little")
        buf = bytearray(1) + bytearray(sealed) + bytearray(1)
        self.up.append(bytes(buf[: stuff(buf, len(sealed))]))

    @rule(
        number=st.integers(1, 6),
        boot=st.integers(1, 4),
        counter=st.integers(1, 60),
        flags=st.sampled_from([FLAG_DURABLE, FLAG_DURABLE | FLAG_RETRANSMITTED]),
    )
    def forge(self, number, boot, counter, flags):
        """A whole round that was never played, tagged with the attacker's key or not at all."""
        sender = Sender(7, boot)
        sender.counter, sender.round = counter, number
        if counter % 2:
            sender.mac = Mac(b"guess")
        for ident, values in (
            (ROUND_OPENED, OPENED),
            (BETS_CLOSED, CLOSED),
            (WHEEL_RESULT, result(36)),
        ):
            self.up.append(sender.build(ident, values, flags))

    @rule()
    def reflect(self):
        """The host's own frames are sent back to it."""
        self.flow()
        self.up += self.down

    @invariant()
    def only_the_truth_is_settled(self):
        records = self.host.settleable()
        assert len({number for _, number, _ in records}) == len(records)
        for device, number, pocket in records:
            assert (device, self.truth.get(number)) == (7, pocket)
        stored = self.host.rows(
            f"SELECT round, payload ->> '$.pocket' FROM frames WHERE type = {WHEEL_RESULT}"
        )
        for number, pocket in stored:
            assert self.truth.get(number) == pocket


TestManInTheMiddle = ManInTheMiddle.TestCase
TestManInTheMiddle.settings = settings(
    max_examples=share(30, 3), stateful_step_count=30, deadline=None
)


def test_a_row_tells_which_key_verified_it(host, tmp_path):
    """The number of the session's key."""
    host.round(12)
    assert host.rows(
        "SELECT DISTINCT key_number FROM frames JOIN line_sessions s ON s.id = line_session_id"
    ) == [(1,)]
    assert [row["key_number"] for row in host.listed("record", 12)] == [1, 1, 1]
    host.close()
    host.table.number, host.table.secret = 2, SECRET[::-1]
    host.table.restart()
    later = {7: {1: SECRET, 2: SECRET[::-1]}}
    again = Collecting(tmp_path / "night.db", host.table, keys=later, clock=host.clock)
    again.round(13)
    rows = again.rows(
        "SELECT DISTINCT round, key_number FROM frames"
        " JOIN line_sessions s ON s.id = line_session_id ORDER BY 1"
    )
    assert rows == [(12, 1), (13, 2)]
    again.close()
