"""The inbox: stored once, contradictions refused, rounds judged, bets closed. Time is given."""

import sqlite3
from contextlib import closing

import pytest

from hil_tests.emulators.repeater import result
from tabletools.inbox import Collector, Inbox, Listing, opened
from tabletools.inbox.schema import VERSION
from tabletools.link import OFFLINE, Notice
from tabletools.seals import NONE
from tablewire.framing import Receiver
from tablewire.messages import (
    ACKNOWLEDGE,
    BETS_CLOSED,
    FAULT_CLEARED,
    FAULT_RAISED,
    HEARTBEAT,
    ROUND_OPENED,
    ROUND_VOID,
    STATE,
)
from tablewire.roulette import WHEEL_RESULT
from tablewire.sender import Sender

DURABLE, RETRANSMITTED = 2, 8
S, MS = 1_000_000_000, 1_000_000
START = 1_800_000_000 * S  # 2027-01-15T08:00:00Z
OPENED, CLOSED = (2, 7, 60_000), (1, 8_000)
VOID = (404, 1, 255, 65535, 0, 0, 65535, 65535)
TILT, TILT_GONE = (401, 8, 1, 0), (401, 8, 800)


class Pit:
    """One table, device 7 in boot 3, on a link to an inbox; the test moves the time."""

    def __init__(self, file, **more):
        self.now_ns = 0
        self.wall_ahead = START
        self.made = {}  # counter: uptime
        self.db = opened(file)
        self.inbox = Inbox(
            self.db,
            mono_ns=lambda: self.now_ns,
            wall_ns=lambda: self.now_ns + self.wall_ahead,
            **more,
        )
        self.collector = Collector(self.inbox, lambda device: {}, clock=lambda: self.now_ns / S)
        self.inbox.is_fresh = lambda: True  # this table hears no beacons: see test_inbox_unread
        self.session = self.collector.session
        self.table = Sender(7, 3)
        self.take(self.session.connected(0.0))
        self.session.outgoing()

    def take(self, events):
        for event in events:
            self.collector.take(event)
        return [event.kind for event in events if isinstance(event, Notice)]

    def pass_ms(self, ms):
        """Let time pass on both sides; returns the notices of the link."""
        self.now_ns += ms * MS
        self.table.advance(ms)
        return self.take(self.session.tick(self.now_ns / S))

    def frame(self, ident, values, number=0, *, flags=DURABLE):
        self.table.round = number
        self.made.setdefault(self.table.counter + 1, self.table.uptime_low)
        return self.table.build(ident, values, flags)

    def hear(self, wire):
        """The host receives bytes; returns the notices of the link."""
        return self.take(self.session.receive(wire, self.now_ns / S))

    def say(self, ident, values, number=0, *, flags=DURABLE):
        self.pass_ms(10)
        return self.hear(self.frame(ident, values, number, flags=flags))

    def again(self, ident, values, number=0, *, counter, flags=DURABLE | RETRANSMITTED):
        """The table sends a record again under its counter."""
        kept = self.table.counter, self.table.uptime_low
        self.table.counter = counter - 1
        self.table.uptime_low = self.made.get(counter, 0)
        notices = self.hear(self.frame(ident, values, number, flags=flags))
        self.table.counter, self.table.uptime_low = kept
        return notices

    def beat(self, *, waiting=0, phase=1):
        return self.say(HEARTBEAT, (phase, 0, 255, 1, 142, waiting, 0, 0, 180_000), flags=0)

    def round(self, number, pocket=17):
        self.say(ROUND_OPENED, OPENED, number)
        self.say(BETS_CLOSED, CLOSED, number)
        return self.say(WHEEL_RESULT, result(pocket), number)

    def acknowledged(self):
        frames = Receiver().feed(self.session.outgoing())
        return [frame.values for frame in frames if frame.type == ACKNOWLEDGE]

    def rows(self, text):
        return self.db.execute(text).fetchall()

    def kinds(self):
        return [kind for (kind,) in self.rows("SELECT kind FROM alarms ORDER BY id")]

    def bets(self):
        return self.rows("SELECT bets_open, cause, round FROM tables WHERE device = 7")[0]

    def verdicts(self):
        return dict(self.rows("SELECT round, verdict FROM rounds"))

    def gaps(self):
        return self.rows("SELECT first, last, closed_by FROM gaps ORDER BY first")


@pytest.fixture
def pit(tmp_path):
    found = Pit(tmp_path / "inbox")
    yield found
    found.db.close()


def test_the_file_keeps_what_is_committed(pit):
    """WAL with a full sync at each commit, foreign keys, strict tables, the schema's version."""
    pragmas = ("journal_mode", "synchronous", "foreign_keys", "user_version")
    assert [pit.rows(f"PRAGMA {name}")[0][0] for name in pragmas] == ["wal", 2, 1, VERSION]
    tables = pit.rows("SELECT name, strict FROM pragma_table_list WHERE schema = 'main'"
                      " AND type = 'table' AND name NOT LIKE 'sqlite%'")  # fmt: skip
    assert len(tables) == 14
    assert all(strict for _, strict in tables)


def test_a_record_is_stored_with_all_that_is_known_of_it(pit):
    """Key, type, round, fields, raw bytes, authentication and both times."""
    pit.table.advance(5000)
    wire = pit.frame(ROUND_OPENED, OPENED, 12)
    pit.now_ns = 6 * S
    pit.hear(wire)
    [row] = pit.rows(
        "SELECT device, boot, counter, type, round, payload, raw, authentication, received_ns,"
        " device_ns, uncertainty_ns FROM records"
    )
    assert row[:5] == (7, 3, 1, ROUND_OPENED, 12)
    assert row[5] == '{"wheel": 2, "min_circuits": 7, "max_bet_ms": 60000}'
    assert row[6:9] == (wire, "none", START + 6 * S)
    # Nobody answered yet: half of the 2 s a link may take, and half a second for a lone sample.
    assert row[9:] == (START + 5 * S, 1 * S + S // 2)
    assert pit.acknowledged() == [(3, 1)]


def test_a_repeat_is_acknowledged_again_and_counted(pit):
    """The same record with the flag retransmitted changes nothing but a count, for ever."""
    pit.say(ROUND_OPENED, OPENED, 12)
    assert pit.acknowledged() == [(3, 1)]
    pit.again(ROUND_OPENED, OPENED, 12, counter=1)
    # Another program started later knows it as well.
    other = Inbox(pit.db)
    receiver = Receiver()
    pit.table.counter = 0
    pit.table.uptime_low = 10
    wire = pit.frame(ROUND_OPENED, OPENED, 12, flags=DURABLE | RETRANSMITTED)
    [frame] = receiver.feed(wire)
    assert other.store(frame, wire, NONE) is False
    assert pit.acknowledged() == [(3, 1)]
    assert pit.rows("SELECT count(*), sum(repeats) FROM records") == [(1, 2)]
    assert (pit.inbox.stored, pit.inbox.repeats) == (1, 1)


def test_another_content_under_the_same_name_stops_the_table(pit):
    """Refused, an alarm with the bytes, a stop; acknowledged, or no person could end it."""
    pit.say(ROUND_OPENED, OPENED, 12)
    assert pit.again(ROUND_OPENED, (1, 7, 60_000), 12, counter=1) == ["conflict"]
    assert pit.again(ROUND_OPENED, (1, 7, 60_000), 12, counter=1) == ["conflict"]
    assert pit.acknowledged() == [(3, 1)]
    [(kind, counter, raw, repeats)] = pit.rows("SELECT kind, counter, raw, repeats FROM alarms")
    assert (kind, counter, repeats) == ("conflict", 1, 1)
    [refused] = Receiver().feed(raw)
    assert refused.values == (1, 7, 60_000)
    assert pit.inbox.stopped(7) == "device 7 boot 3 counter 1 came again with another content"
    assert pit.bets() == (0, "stopped", 0)
    assert [(alarm.kind, alarm.is_new) for alarm in pit.inbox.take_alarms()] == [
        ("conflict", True), ("conflict", False),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("ident", "values"), [(WHEEL_RESULT, result(18)), (ROUND_VOID, VOID)], ids=["number", "void"]
)
@pytest.mark.parametrize("boot", [3, 4])
def test_another_end_of_a_round_stops_the_table(pit, ident, values, boot):
    """A round that has a result gets no other, under any name, in any boot."""
    pit.round(12)
    pit.acknowledged()
    pit.table.boot = boot
    assert "conflict" in pit.say(ident, values, 12)
    assert [named[0] for named in pit.acknowledged()] == [boot]
    assert pit.kinds() == ["conflict"]
    assert "for round 12 that ended: wheel_result" in pit.inbox.stopped(7)
    assert pit.rows("SELECT count(*) FROM records WHERE round = 12") == [(3,)]


def test_no_bets_open_on_a_stopped_table(pit):
    """What it sends is still kept as evidence; another table is not concerned."""
    pit.round(12)
    pit.say(WHEEL_RESULT, result(3), 12)
    pit.say(ROUND_OPENED, OPENED, 13)
    assert pit.bets() == (0, "stopped", 0)
    assert pit.rows("SELECT count(*) FROM records WHERE round = 13") == [(1,)]
    assert pit.inbox.stopped(8) is None


def test_a_whole_round_is_believed_but_not_settled(pit):
    """Opened, closed, result: believed; without a key it is never settled."""
    pit.round(12)
    assert pit.verdicts() == {12: "believed"}
    assert pit.kinds() == []
    assert pit.rows("SELECT * FROM settleable") == []


@pytest.mark.parametrize(
    ("records", "why"),
    [
        ([(WHEEL_RESULT, result(1))], "its round_opened is missing; its bets_closed is missing"),
        ([(ROUND_OPENED, OPENED), (WHEEL_RESULT, result(1))], "its bets_closed is missing"),
        ([(BETS_CLOSED, CLOSED), (WHEEL_RESULT, result(1))], "its round_opened is missing"),
        (
            [(BETS_CLOSED, CLOSED), (ROUND_OPENED, OPENED), (WHEEL_RESULT, result(1))],
            "bets closed before they opened",
        ),
        (
            [(ROUND_OPENED, OPENED), (FAULT_RAISED, TILT), (BETS_CLOSED, CLOSED),
             (WHEEL_RESULT, result(1))],
            "fault 401 stood",
        ),
    ],
)  # fmt: skip
def test_a_result_out_of_order_is_unexpected(pit, records, why):
    """Stored and acknowledged, for it is evidence, with an alarm, and never settled."""
    for ident, values in records:
        pit.say(ident, values, 12)
    assert pit.verdicts() == {12: "unexpected"}
    assert pit.rows("SELECT kind, text FROM alarms") == [
        ("unexpected", f"result of round 12 not believed: {why}")
    ]
    assert len(pit.acknowledged()) == len(records)


@pytest.mark.parametrize(
    ("ident", "values"),
    [(ROUND_OPENED, (1, 7, 9_000)), (BETS_CLOSED, (3, 1)), (WHEEL_RESULT, result(17))],
)  # fmt: skip
def test_each_happens_once_a_round(pit, ident, values):
    """A second opening, closing or equal end is an alarm; the round stays as it was."""
    pit.round(12)
    pit.say(ident, values, 12)
    assert pit.kinds() == ["unexpected"]
    assert pit.verdicts() == {12: "believed"}


def test_a_cleared_fault_stands_no_more(pit):
    """Raised and cleared before the result."""
    pit.say(FAULT_RAISED, TILT)
    pit.say(FAULT_CLEARED, TILT_GONE)
    pit.round(12)
    assert (pit.verdicts(), pit.kinds()) == ({12: "believed"}, [])


def test_a_void_may_be_told_twice(pit):
    """After a power cut the table may not know whether it told; a void pays nothing."""
    pit.say(ROUND_OPENED, OPENED, 12)
    pit.table = Sender(7, 4)
    pit.say(ROUND_VOID, VOID, 12)
    pit.say(ROUND_VOID, VOID, 12)
    assert (pit.verdicts(), pit.kinds()) == ({12: "believed"}, [])


def test_a_late_record_is_waited_for(pit):
    """The closing is lost and repeated after the result: pending meanwhile, then believed."""
    pit.say(ROUND_OPENED, OPENED, 12)
    pit.frame(BETS_CLOSED, CLOSED, 12)
    pit.say(WHEEL_RESULT, result(1), 12)
    assert (pit.verdicts(), pit.gaps()) == ({12: "pending"}, [(2, 2, None)])
    pit.beat(waiting=1)
    assert pit.verdicts() == {12: "pending"}
    pit.again(BETS_CLOSED, CLOSED, 12, counter=2)
    assert (pit.verdicts(), pit.gaps()) == ({12: "believed"}, [(2, 2, "filled")])
    assert pit.kinds() == []


def test_what_nobody_has_any_more_is_not_waited_for(pit):
    """The table says nothing waits: the gap is closed and the result not believed."""
    pit.say(ROUND_OPENED, OPENED, 12)
    pit.frame(BETS_CLOSED, CLOSED, 12)
    pit.say(WHEEL_RESULT, result(1), 12)
    pit.beat()
    assert (pit.verdicts(), pit.gaps()) == ({12: "unexpected"}, [(2, 2, "nothing_waiting")])
    assert pit.kinds() == ["unexpected"]


def test_gaps_are_split_as_they_fill(pit):
    """Lost heartbeats and records between: what came is filled, the rest stays."""
    pit.beat()
    for _ in range(5):
        pit.frame(STATE, (2, 1), flags=0)
    pit.say(STATE, (2, 1), flags=0)
    assert pit.gaps() == [(2, 6, None)]
    pit.again(ROUND_OPENED, OPENED, 12, counter=4)
    assert pit.gaps() == [(2, 3, None), (4, 4, "filled"), (5, 6, None)]
    pit.beat()
    assert [closed for *_, closed in pit.gaps()] == [
        "nothing_waiting",
        "filled",
        "nothing_waiting",
    ]


def test_what_was_missed_while_away_is_a_gap(pit, tmp_path):
    """A collector started anew goes on from the counter of the last record stored."""
    pit.round(12)
    pit.db.close()
    later = Pit(tmp_path / "inbox")
    with closing(later.db):
        later.table.counter = 9
        later.beat(waiting=1)
        assert later.gaps() == [(4, 9, None)]


def test_reordered_records_are_counted(pit):
    """A first sending that comes after a younger frame."""
    pit.say(ROUND_OPENED, OPENED, 12)
    late = pit.frame(BETS_CLOSED, CLOSED, 12)
    pit.say(WHEEL_RESULT, result(1), 12)
    pit.hear(late)
    assert pit.verdicts() == {12: "believed"}
    pit.round(13)
    assert pit.rows("SELECT reordered FROM boots") == [(1,)]


def test_bets_follow_the_records(pit):
    """Open with the round, closed with it; with a fault at once."""
    pit.say(ROUND_OPENED, OPENED, 12)
    assert pit.bets() == (1, "round_opened", 12)
    pit.say(BETS_CLOSED, CLOSED, 12)
    assert pit.bets() == (0, "bets_closed", 12)
    pit.say(WHEEL_RESULT, result(1), 12)
    pit.say(ROUND_OPENED, OPENED, 13)
    pit.say(FAULT_RAISED, TILT, 13)
    assert pit.bets() == (0, "fault_raised", 13)
    pit.say(ROUND_VOID, (401, 2, 8, 65535, 0, 0, 65535, 65535), 13)
    pit.say(ROUND_OPENED, OPENED, 14)
    assert pit.bets()[0] == 0  # the fault stands still


def test_a_repeated_opening_opens_nothing(pit):
    """It may be old: the ball may have been launched since."""
    pit.beat()
    pit.frame(ROUND_OPENED, OPENED, 12)
    pit.again(ROUND_OPENED, OPENED, 12, counter=2)
    assert pit.rows("SELECT bets_open FROM tables") == []


def test_a_lost_closing_is_seen_in_the_phase(pit):
    """Heartbeat or state in a phase without bets closes them before the repeat comes."""
    pit.say(ROUND_OPENED, OPENED, 12)
    pit.beat(waiting=1, phase=3)
    assert pit.bets()[0] == 1
    pit.frame(BETS_CLOSED, CLOSED, 12)
    pit.say(STATE, (4, 3), 12, flags=0)
    assert pit.bets() == (0, "phase", 12)


def test_two_seconds_of_silence_close_the_bets(pit):
    """At 2 s, not before, once, with an alarm; the round stays closed when the table is back."""
    pit.pass_ms(990)
    pit.say(ROUND_OPENED, OPENED, 12)  # at 1 s
    assert pit.pass_ms(1999) == []
    assert pit.bets()[0] == 1
    assert pit.pass_ms(1) == ["offline"]
    assert (pit.session.state, pit.bets()) == (OFFLINE, (0, "link_lost", 0))
    pit.take(pit.session.lost(pit.now_ns / S, "unplugged"))
    assert pit.rows("SELECT kind, text FROM alarms") == [("link_lost", "no frame for 2.0 s")]
    pit.take(pit.session.connected(pit.now_ns / S))
    pit.beat(phase=2)
    pit.again(ROUND_OPENED, OPENED, 12, counter=1)
    assert pit.bets()[0] == 0
    pit.say(BETS_CLOSED, CLOSED, 12)
    pit.say(WHEEL_RESULT, result(1), 12)
    pit.say(ROUND_OPENED, OPENED, 13)
    assert pit.bets() == (1, "round_opened", 13)


def test_a_lost_port_closes_the_bets_at_once(pit):
    """A cable pulled out is certain; nobody waits two seconds."""
    pit.say(ROUND_OPENED, OPENED, 12)
    pit.take(pit.session.lost(pit.now_ns / S, "unplugged"))
    assert (pit.bets(), pit.kinds()) == ((0, "link_lost", 0), ["link_lost"])


def test_a_restart_of_the_table_closes_the_bets(pit):
    """With the first frame of the new boot, whatever it says."""
    pit.say(ROUND_OPENED, OPENED, 12)
    pit.table = Sender(7, 4)
    pit.beat(waiting=1, phase=2)
    assert pit.bets()[:2] == (0, "rebooted")


def test_another_table_on_the_link_closes_the_bets(pit):
    """The one before is no longer heard."""
    pit.say(ROUND_OPENED, OPENED, 12)
    pit.table = Sender(8, 1)
    pit.beat()
    assert (pit.bets()[:2], pit.kinds()) == ((0, "replaced"), ["link_lost"])


def test_steps_of_both_clocks_are_logged(pit):
    """With their size and whose they are; the table's own durations do not change."""
    for _ in range(8):
        pit.pass_ms(490)
        pit.beat()
    pit.wall_ahead += 3600 * S
    pit.pass_ms(490)
    pit.beat()
    pit.table.advance(5000)
    pit.beat()
    assert pit.rows("SELECT device, boot, kind, step_ns FROM clock_events") == [
        (None, None, "host_step", 3600 * S), (7, 3, "device_step", 5 * S),
    ]  # fmt: skip
    pit.say(ROUND_OPENED, OPENED, 12)
    pit.wall_ahead -= 7200 * S
    pit.pass_ms(1000)
    pit.say(ROUND_VOID, VOID, 12)
    [row] = Listing(pit.db).rounds()
    assert row["took_ms"] == 1010
    assert row["opened"] > row["ended"]  # as the wall clock said


def test_a_record_of_an_earlier_run_is_mapped_by_its_clock(pit, tmp_path):
    """The estimate of a boot is kept: a record repeated days later still has its time."""
    pit.say(ROUND_OPENED, OPENED, 12)
    kept = pit.rows("SELECT device_ns FROM records")[0][0]
    lost = pit.frame(BETS_CLOSED, CLOSED, 12, flags=DURABLE | RETRANSMITTED)
    pit.db.close()
    later = Pit(tmp_path / "inbox")
    with closing(later.db):
        later.now_ns = 86_400 * S
        later.hear(lost)
        assert later.rows("SELECT device_ns FROM records WHERE counter = 2") == [(kept,)]


def test_an_unknown_time_is_said_to_be_unknown(pit):
    """A repeat of a boot never heard live has no time of the table, only that it came."""
    pit.hear(pit.frame(ROUND_OPENED, OPENED, 12, flags=DURABLE | RETRANSMITTED))
    assert pit.rows("SELECT device_ns, uncertainty_ns FROM records") == [(None, None)]


def test_a_new_start_has_all_bets_closed(pit, tmp_path):
    """Whatever a program that died left open."""
    pit.say(ROUND_OPENED, OPENED, 12)
    pit.db.close()
    with closing(Pit(tmp_path / "inbox").db) as db:
        assert db.execute("SELECT bets_open, cause FROM tables").fetchall() == [
            (0, "host_started")
        ]


def test_a_record_needs_its_table_rows(pit):
    """The schema itself refuses what no code should write."""
    with pytest.raises(sqlite3.IntegrityError, match="FOREIGN KEY"):
        pit.db.execute(
            "INSERT INTO gaps (device, boot, first, last, seen_ns) VALUES (7, 99, 1, 2, 0)"
        )


def boot_fell(pit):
    """The table answers with boot 2 after boot 3."""
    pit.table = Sender(7, 2)


def test_a_live_record_of_an_older_boot_is_evidence_and_nothing_more(pit):
    """Kept and acknowledged, an alarm; it opens nothing, ends nothing, is never judged."""
    pit.round(12)
    pit.beat()
    pit.acknowledged()
    pit.say(ROUND_OPENED, OPENED, 13)
    assert pit.bets()[0] == 1
    boot_fell(pit)
    pit.round(13, pocket=5)
    assert pit.bets()[:2] == (0, "boot_fell")
    assert pit.kinds() == ["boot_fell"] * 4
    assert pit.rows("SELECT text FROM alarms")[0] == ("a live frame of boot 2 after boot 3",)
    assert pit.rows("SELECT boot, counter FROM records WHERE boot = 2") == [(2, 1), (2, 2), (2, 3)]
    assert pit.rows("SELECT round, verdict FROM rounds") == [(12, "believed"), (13, "running")]
    assert pit.rows("SELECT closed, ended FROM rounds WHERE round = 13") == [(None, None)]
    assert (2, 3) in pit.acknowledged()


def test_a_fallen_boot_stays_fallen(tmp_path):
    """Repeated, and collected by a program started anew: its records count for nothing."""
    pit = Pit(tmp_path / "inbox")
    pit.beat()
    boot_fell(pit)
    pit.beat()
    pit.db.close()
    pit = Pit(tmp_path / "inbox")
    with closing(pit.db):
        boot_fell(pit)
        for ident, values in (
            (ROUND_OPENED, OPENED), (BETS_CLOSED, CLOSED), (WHEEL_RESULT, result(5)),
        ):  # fmt: skip
            pit.say(ident, values, 40, flags=DURABLE | RETRANSMITTED)
        pit.beat()
        assert pit.rows("SELECT count(*) FROM records") == [(3,)]
        assert pit.rows("SELECT count(*) FROM rounds") == [(0,)]
        assert pit.kinds() == ["boot_fell"] * 4
        # The table itself plays on in its higher boot.
        pit.table = Sender(7, 3)
        pit.table.counter = 50
        pit.round(41)
        pit.beat()
        assert pit.rows("SELECT round, verdict FROM rounds") == [(41, "believed")]


def test_a_repeated_record_of_an_older_boot_counts(pit):
    """What a table could not tell before its restart it repeats after it: that is no fall."""
    pit.beat()
    pit.table = Sender(7, 2)
    for ident, values in (
        (ROUND_OPENED, OPENED), (BETS_CLOSED, CLOSED), (WHEEL_RESULT, result(5)),
    ):  # fmt: skip
        pit.say(ident, values, 12, flags=DURABLE | RETRANSMITTED)
    pit.table = Sender(7, 3)
    pit.table.counter = 5
    pit.beat()
    assert pit.rows("SELECT round, verdict FROM rounds") == [(12, "believed")]
    assert pit.kinds() == []
