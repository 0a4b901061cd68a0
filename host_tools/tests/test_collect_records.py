"""`collect`: stored once, contradictions refused, rounds judged, bets closed. Time is given."""

import pytest

from host_tools.tests.collecting import BOOT, SECRET, START, Collecting, Hand, S
from host_tools.tests.test_ledger_unread import NEWER, NewerReceiver, as_type
from tableemulator.machines.keyed import KeyedTable
from tableemulator.machines.repeater import CLOSED, OPENED, result
from tabletools.authenticity import VERIFIED
from tabletools.evidence.tables import claim
from tabletools.link import OFFLINE
from tabletools.store import LedgerRejection, StoreError
from tabletools.table import intake
from tablewire.framing import Receiver
from tablewire.messages import (
    BETS_CLOSED,
    FAULT_CLEARED,
    FAULT_RAISED,
    HEARTBEAT,
    ROUND_OPENED,
    ROUND_VOID,
    STATE,
)
from tablewire.roulette import WHEEL_RESULT

VOID = (404, 1, 255, 65535, 0, 0, 65535, 65535)
TILT, TILT_GONE = (401, 8, 1, 0), (401, 8, 800)
OPEN, RIM = 2, 3  # phases in which bets may be open


def again(host, place, ident=None, values=None):
    """The table sends a record again, as it was or with another content. place: in the journal."""
    boot, (counter, kind, old, number, made_ms) = host.all_records[place]
    journal, host.table.journal = (
        host.table.journal,
        [(boot, (counter, ident or kind, values or old, number, made_ms))],
    )
    wire, host.table.journal = host.table.repeat(), journal
    return host.turn(wire)


@pytest.fixture
def recorded_host(host, monkeypatch):
    """The host, with every record its table ever made in `all_records`."""
    host.all_records, say = [], host.table.say

    def keeping(*words):
        before = len(host.table.journal)
        wire = say(*words)
        host.all_records += host.table.journal[before:]
        return wire

    monkeypatch.setattr(host.table, "say", keeping)
    return host


def test_a_record_is_stored_with_all_that_is_known_of_it(host):
    """Key, type, round, fields, raw bytes, seal and both times, with their uncertainty."""
    wire = host.lost(ROUND_OPENED, OPENED, 12)
    made_ns = host.clock.wall_ns()
    host.clock.pass_ms(40)
    host.receive(wire)
    [row] = host.rows(
        "SELECT device, boot, type, round, payload, raw, seal, line_session_id, counts,"
        " received_ns, made_ns, uncertainty_ns FROM frames"
    )
    assert row[:5] == (
        7,
        3,
        ROUND_OPENED,
        12,
        '{"wheel": 2, "min_circuits": 7, "max_bet_ms": 60000}',
    )
    assert row[5:10] == (wire, "verified", 1, 1, made_ns + 40_000_000)
    assert abs(row[10] - made_ns) <= row[11] < S // 2
    host.turn()
    assert host.acknowledged == [(3, host.table.sender.counter)]


def test_a_repeat_is_acknowledged_again_and_changes_nothing(recorded_host):
    """The same record with the flag retransmitted, also from a restarted program."""
    recorded_host.say(ROUND_OPENED, OPENED, 12)
    before = recorded_host.rows("SELECT * FROM frames")
    again(recorded_host, 0)
    assert len(recorded_host.acknowledged) == 2
    assert (recorded_host.collector.stored, recorded_host.collector.repeats) == (1, 1)
    assert recorded_host.rows("SELECT * FROM frames") == before


def test_another_content_under_the_same_name_stops_the_table(recorded_host):
    """An alarm with the bytes, a stop; acknowledged once the alarm has it."""
    recorded_host.say(ROUND_OPENED, OPENED, 12)
    assert again(recorded_host, 0, values=(1, 7, 60_000)) == ["conflict"]
    assert again(recorded_host, 0, values=(1, 7, 60_000)) == ["conflict"]
    assert len(set(recorded_host.acknowledged)) == 1
    assert recorded_host.rows("SELECT kind, repeats, raw IS NULL FROM alarms") == [
        ("conflict", 1, 0)
    ]
    assert "came again with different content" in recorded_host.stopped()
    assert recorded_host.bets() == (0, "stopped")
    assert [row["kind"] for row in recorded_host.collector.take_alarms()] == ["conflict"]
    assert recorded_host.collector.take_alarms() == []


@pytest.mark.parametrize(
    ("ident", "values"), [(WHEEL_RESULT, result(18)), (ROUND_VOID, VOID)], ids=["number", "void"]
)
@pytest.mark.parametrize("restarts", [False, True])
def test_another_end_of_a_round_stops_the_table(host, ident, values, restarts):
    """A round that has a result gets no other, under any name, in any boot."""
    host.round(12)
    if restarts:
        restart(host)
    assert "conflict" in host.say(ident, values, 12)
    assert [kind for kind in host.kinds() if kind != "link_lost"] == ["conflict"]
    assert "for round 12 that ended: wheel_result" in host.stopped()
    assert host.rows("SELECT count(*) FROM frames WHERE round = 12") == [(3,)]


def restart(host, table=None):
    """The table is back after two seconds. table: another one in its place."""
    host.table.restart() if table is None else setattr(host, "table", table)
    host.clock.pass_ms(2500)
    host.take(host.session.tick(host.now_s()))
    host.take(host.session.lost(host.now_s(), "unplugged"))
    host.connect()
    host.beat()


def test_no_bets_open_on_a_stopped_table(host):
    """What it sends is still kept as evidence, until a named user releases it with a reason."""
    host.round(12)
    host.say(WHEEL_RESULT, result(3), 12)
    host.say(ROUND_OPENED, OPENED, 13)
    assert host.bets() == (0, "stopped")
    assert host.rows("SELECT count(*) FROM frames WHERE round = 13") == [(1,)]
    host.say(ROUND_VOID, VOID, 13)
    host.release()
    with pytest.raises(LedgerRejection, match="is not stopped"):
        host.release()
    host.beat()
    host.say(ROUND_OPENED, OPENED, 14)
    assert host.bets() == (1, "round_opened")
    assert host.rows(
        "SELECT released_why, name FROM stops JOIN users ON users.id = released_by"
    ) == [("controller replaced", "Tess")]


def test_a_whole_round_may_be_settled(host):
    """Opened, closed, result: believed."""
    host.round(12)
    assert (host.verdicts(), host.kinds()) == ({12: "believed"}, [])
    assert host.settleable() == [(7, 12, 17)]


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
            [
                (ROUND_OPENED, OPENED),
                (FAULT_RAISED, TILT),
                (BETS_CLOSED, CLOSED),
                (WHEEL_RESULT, result(1)),
            ],
            "fault 401 stood",
        ),
    ],
)
def test_a_result_out_of_order_is_unexpected(host, records, why):
    """Stored and acknowledged, for it is evidence, with an alarm, and never settled."""
    for ident, values in records:
        host.say(ident, values, 12)
    host.beat()
    assert host.verdicts() == {12: "unexpected"}
    [alarm] = host.rows("SELECT text FROM alarms WHERE kind = 'unexpected'")
    assert alarm[0].startswith(f"result of round 12 not valid: {why}")
    assert (len(host.acknowledged), host.settleable()) == (len(records), [])


@pytest.mark.parametrize(
    ("ident", "values"),
    [(ROUND_OPENED, (1, 7, 9_000)), (BETS_CLOSED, (3, 1)), (WHEEL_RESULT, result(17))],
)
def test_each_happens_once_a_round(host, ident, values):
    """A second opening, closing or equal end is an alarm; the round stays as it was."""
    host.round(12)
    host.say(ident, values, 12)
    assert host.kinds() == ["unexpected"]
    assert host.verdicts() == {12: "believed"}


def test_a_cleared_fault_stands_no_more(host):
    """Raised and cleared before the result; the fault itself is an alarm."""
    host.say(FAULT_RAISED, TILT)
    host.say(FAULT_CLEARED, TILT_GONE)
    host.round(12)
    assert (host.verdicts(), host.kinds()) == ({12: "believed"}, ["fault"])


def test_a_void_may_be_reported_twice(host):
    """After a power cut the table may not know whether it reported; a void pays nothing."""
    host.say(ROUND_OPENED, OPENED, 12)
    restart(host)
    host.say(ROUND_VOID, VOID, 12)
    host.say(ROUND_VOID, VOID, 12)
    assert host.verdicts() == {12: "believed"}
    assert "conflict" not in host.kinds()


def test_a_late_record_is_waited_for(host):
    """The closing is lost and repeated after the result: pending meanwhile, then believed."""
    host.say(ROUND_OPENED, OPENED, 12)
    counter = host.table.sender.counter
    host.lost(BETS_CLOSED, CLOSED, 12)
    host.say(WHEEL_RESULT, result(1), 12)
    assert (host.verdicts(), host.gaps(counter)) == ({12: "pending"}, [(1, 1, None)])
    host.beat(waiting=1)
    assert host.verdicts() == {12: "pending"}
    host.turn(host.table.repeat())
    assert (host.verdicts(), host.gaps(counter)) == ({12: "believed"}, [(1, 1, "filled")])
    assert host.kinds() == []


def test_what_nobody_has_any_more_is_not_waited_for(host):
    """The table reports that nothing waits: the gap is closed, the result not accepted."""
    host.say(ROUND_OPENED, OPENED, 12)
    counter = host.table.sender.counter
    host.lost(BETS_CLOSED, CLOSED, 12)
    host.say(WHEEL_RESULT, result(1), 12)
    host.beat(waiting=0)
    assert (host.verdicts(), host.gaps(counter)) == (
        {12: "unexpected"},
        [(1, 1, "nothing_waiting")],
    )
    assert host.kinds() == ["unexpected"]


def test_gaps_are_split_as_they_fill(host):
    """Lost heartbeats and a record between: what came is filled, the rest stays."""
    host.beat()
    counter = host.table.sender.counter
    for _ in range(2):
        host.lost(STATE, (2, 1))
    host.lost(ROUND_OPENED, OPENED, 12)
    for _ in range(2):
        host.lost(STATE, (2, 1))
    host.say(STATE, (2, 1))
    assert host.gaps(counter) == [(1, 5, None)]
    host.turn(host.table.repeat())
    assert host.gaps(counter) == [(1, 2, None), (3, 3, "filled"), (4, 5, None)]
    host.beat()
    assert [row[2] for row in host.gaps(counter)] == [
        "nothing_waiting",
        "filled",
        "nothing_waiting",
    ]


def test_what_was_missed_while_away_is_a_gap(host, tmp_path):
    """A restarted collector continues from the counter of the boot's last received frame."""
    host.say(ROUND_OPENED, OPENED, 12)
    host.close()
    counter = host.table.sender.counter
    for _ in range(9):
        host.table.say(STATE, (2, 1))
    later = Collecting(tmp_path / "night.db", host.table, clock=host.clock)
    later.beat(waiting=1)
    assert later.gaps(counter)[0][0] == 1
    assert later.gaps(counter)[0][1] >= 9
    later.close()


def test_bets_follow_the_records(host):
    """Open with the round, closed with it; with a fault at once."""
    host.say(ROUND_OPENED, OPENED, 12)
    assert host.bets() == (1, "round_opened")
    host.say(BETS_CLOSED, CLOSED, 12)
    assert host.bets() == (0, "bets_closed")
    host.say(WHEEL_RESULT, result(1), 12)
    host.say(ROUND_OPENED, OPENED, 13)
    host.say(FAULT_RAISED, TILT, 13)
    assert host.bets() == (0, "fault_raised")
    host.say(ROUND_VOID, (401, 2, 8, 65535, 0, 0, 65535, 65535), 13)
    host.say(ROUND_OPENED, OPENED, 14)
    assert host.bets() == (0, "fault")  # the table is stopped


def test_a_repeated_opening_opens_nothing(host):
    """It may be old: the ball may have been launched since."""
    host.lost(ROUND_OPENED, OPENED, 12)
    host.turn(host.table.repeat())
    assert host.bets() == (0, "opening_repeated")


def test_a_lost_closing_is_seen_in_the_phase(host):
    """Heartbeat or state in a phase without bets closes them before the repeat comes."""
    host.say(ROUND_OPENED, OPENED, 12)
    host.beat(RIM, waiting=1)
    assert host.bets()[0] == 1
    host.lost(BETS_CLOSED, CLOSED, 12)
    host.say(STATE, (4, 3), 12)
    assert host.bets() == (0, "phase")


def test_a_lost_closing_is_seen_while_the_ball_runs(host):
    """Bets may be open in this phase; a record that waits behind a missing counter may close them.

    No record waits: what was lost was a heartbeat. No counter is missing: nothing was lost.
    """
    host.say(ROUND_OPENED, OPENED, 12)
    host.lost(HEARTBEAT, (RIM, 0, 255, 1, 142, 0, 0, 0, 180_000, 96_000), 12)
    host.beat(RIM, waiting=0)
    host.beat(RIM, waiting=1)
    assert host.bets()[0] == 1
    host.lost(BETS_CLOSED, CLOSED, 12)
    host.beat(RIM, waiting=2)
    assert host.bets() == (0, "record_missing")


def test_silence_closes_the_bets(host):
    """What is known is stale after 1 s, the link lost after 2; the round stays closed."""
    host.say(ROUND_OPENED, OPENED, 12)
    host.clock.pass_ms(900)
    host.collector.tick()
    assert host.bets()[0] == 1
    host.clock.pass_ms(200)
    host.collector.tick()
    assert host.bets() == (0, "link_stale")
    host.clock.pass_ms(900)
    assert "offline" in host.take(host.session.tick(host.now_s()))
    assert host.session.state == OFFLINE
    assert host.kinds() == ["link_stale", "link_lost"]


def test_a_lost_port_closes_the_bets_at_once(host):
    """An unplugged cable is certain at once; there is no wait."""
    host.say(ROUND_OPENED, OPENED, 12)
    host.take(host.session.lost(host.now_s(), "unplugged"))
    assert (host.bets(), host.kinds()) == ((0, "link_lost"), ["link_lost"])


def test_a_restart_of_the_table_closes_the_bets(host):
    """With the first frame of the new boot, of any type."""
    host.say(ROUND_OPENED, OPENED, 12)
    host.take(host.session.lost(host.now_s(), "unplugged"))
    restart(host)
    assert host.bets()[0] == 0


def test_another_table_on_the_link_closes_the_bets_and_lets_it_go(host):
    """The previous table is no longer online; another host may claim it at once."""
    host.say(ROUND_OPENED, OPENED, 12)
    restart(host, KeyedTable(8))
    assert (host.collector.device, host.bets()[0]) == (8, 0)
    assert "link_lost" in host.kinds()
    [(table,)] = host.rows("SELECT id FROM tables WHERE device = 7")
    assert claim(host.store, table, "another host").table == table


def test_steps_of_both_clocks_are_logged(host):
    """With their size and whose clock; durations measured by the table do not change."""
    host.clock.ahead += 3600 * S
    host.pass_ms(490)
    host.beat()
    host.table.sender.advance(5000)
    host.beat()
    rows = host.rows("SELECT device, step_ns / 1000000000 FROM clock_steps")
    assert rows[0] == (None, 3600)
    assert [device for device, _ in rows[1:]] == [7]
    assert 4 <= rows[1][1] <= 5
    host.say(ROUND_OPENED, OPENED, 12)
    host.clock.ahead -= 7200 * S
    host.pass_ms(1000)
    host.say(ROUND_VOID, VOID, 12)
    [row] = host.listed("round")
    assert row["took_ms"] == 1010
    assert row["opened"] > row["ended"]  # by the wall clock


def test_an_unknown_time_is_said_to_be_unknown(tmp_path):
    """Without a key the table's clock cannot be trusted: anyone on the line could move it."""
    host = Collecting(tmp_path / "bench.db", KeyedTable(7), keys={})
    host.round(12)
    assert host.rows("SELECT DISTINCT made_ns, uncertainty_ns FROM frames") == [(None, None)]
    assert [row["made"] for row in host.listed("round")] == [None]
    host.close()


def test_a_new_start_has_all_bets_closed(host, tmp_path):
    """Whatever a program that died left open."""
    host.say(ROUND_OPENED, OPENED, 12)
    host.close()
    later = Collecting(tmp_path / "night.db", host.table, clock=host.clock)
    assert later.bets()[0] == 0
    later.close()


def test_an_end_lets_the_table_go(host):
    """Its bets close, and another host may claim it."""
    host.say(ROUND_OPENED, OPENED, 12)
    host.collector.leave()
    assert host.bets() == (0, "host_ended")
    [(table,)] = host.rows("SELECT id FROM tables WHERE device = 7")
    claim(host.store, table, "another host")


def test_a_program_that_was_overtaken_keeps_nothing(host, tmp_path):
    """Two collectors on one table: the earlier one stores and acknowledges no more."""
    other = Collecting(tmp_path / "night.db", KeyedTable(7, 1, SECRET, BOOT), clock=Hand())
    before = len(host.acknowledged)
    host.say(ROUND_OPENED, OPENED, 12)
    assert isinstance(host.collector.failure, LedgerRejection)
    assert host.collector.failure.code == "lease_lost"
    assert len(host.acknowledged) == before
    other.close()


def test_a_program_that_did_not_run_for_a_while_goes_on(host):
    """Frozen for a minute its lease has expired: it claims the table again, nothing is lost."""
    host.say(ROUND_OPENED, OPENED, 12)
    host.clock.pass_ms(60_000)
    host.table.sender.advance(60_000)
    host.take(host.session.tick(host.now_s()))
    host.collector.tick()
    host.connect()
    host.turn(host.table.repeat())
    host.beat()
    assert host.collector.failure is None
    assert host.bets()[0] == 0
    host.say(ROUND_VOID, VOID, 12)
    host.say(ROUND_OPENED, OPENED, 13)
    assert host.bets() == (1, "round_opened")


def test_a_device_of_a_pit_is_left_to_its_host(tmp_path):
    """`collect` on the ledger of a pit takes no table from it."""
    from host_tools.tests.pit import Pit

    Pit(tmp_path / "pit.ledger").ledger.close()
    host = Collecting(tmp_path / "pit.ledger", KeyedTable(7, 1, SECRET, BOOT))
    host.round(12)
    assert host.collector.failure.code == "table_of_a_pit"
    assert (host.acknowledged, host.rows("SELECT count(*) FROM frames")) == ([], [(0,)])
    host.close()


def test_what_fails_is_kept_for_whoever_runs_it(host):
    """A database that is gone is an error of the store, and nothing is acknowledged."""
    wire = host.lost(ROUND_OPENED, OPENED, 12)
    before = len(host.acknowledged)
    with host.store.engine.begin() as db:
        db.exec_driver_sql("ALTER TABLE frames RENAME TO gone")
    host.receive(wire)
    assert host.collector.failure is not None
    assert not isinstance(host.collector.failure, StoreError)  # a defect, and reported as one
    assert len(host.acknowledged) == before


def test_a_boot_below_that_of_the_session_is_tampering(host):
    """The boot number of a table only rises: a lower one is a replay."""
    host.say(ROUND_OPENED, OPENED, 13)
    restart(host, KeyedTable(7, 1, SECRET, boot=2))
    assert (host.bets()[0], "tamper" in host.kinds()) == (0, True)


def test_a_live_record_of_an_older_boot_is_evidence_and_nothing_more(host, tmp_path):
    """After a start of the host too: kept and acknowledged, an alarm; it ends nothing."""
    host.round(12)
    host.say(ROUND_OPENED, OPENED, 13)
    host.close()
    old = KeyedTable(7, 1, SECRET, boot=2)
    later = Collecting(tmp_path / "night.db", old, clock=host.clock)
    later.round(13, pocket=5)
    assert later.bets()[0] == 0
    texts = [text for (text,) in later.rows("SELECT text FROM alarms WHERE kind = 'boot_fell'")]
    assert texts[0] == "a live frame of boot 2 after boot 3"
    assert later.rows("SELECT count(*), max(counts) FROM frames WHERE boot = 2") == [(3, 0)]
    assert later.verdicts() == {12: "believed", 13: "running"}
    assert later.rows("SELECT closed, ended FROM rounds WHERE number = 13") == [(None, None)]
    assert [boot for boot, _ in later.acknowledged] == [2, 2, 2]
    later.close()


def test_a_repeated_record_of_an_older_boot_counts(host):
    """Records the table could not send before its restart are repeated after it: no fall."""
    host.take(host.session.lost(host.now_s(), "unplugged"))
    for ident, values in (
        (ROUND_OPENED, OPENED),
        (BETS_CLOSED, CLOSED),
        (WHEEL_RESULT, result(5)),
    ):
        host.table.say(ident, values, 12)
    restart(host)
    host.turn(host.table.repeat())
    host.beat()
    assert host.verdicts() == {12: "believed"}
    assert "boot_fell" not in host.kinds()
    assert host.clock.wall_ns() > START


def test_a_newer_release_reads_at_its_start_what_this_one_could_not(host, tmp_path, monkeypatch):
    """As the record it is, in its place; test_ledger_unread shows what waits for it."""
    wire = as_type(host.lost(FAULT_RAISED, TILT), NEWER)
    [skip] = Receiver().feed(wire)
    host.collector.attendance.intake.store(skip.frame, wire, VERIFIED)
    assert host.kinds() == ["not_understood"]
    host.close()
    monkeypatch.setattr(intake, "Receiver", NewerReceiver)
    later = Collecting(tmp_path / "night.db", host.table, clock=host.clock)
    assert (FAULT_RAISED,) in later.rows("SELECT type FROM frames")
    assert later.rows("SELECT closed_by FROM unread_records") == [("read",)]
    later.close()
