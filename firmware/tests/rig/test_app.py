"""The shipped firmware on the VM: what a host sees of a table, second by second."""

import pytest
from tests.rig.desk import LAMP, RIM_1, SECOND, TILT, Desk, names

from tablewire import codes, roulette
from tablewire import messages as m
from tablewire.messages import FLAG_RETRANSMITTED, HEARTBEAT, ROUND_OPENED

NONCE = bytes(range(8))
# The first round opens when no ball has passed for six seconds.
OPEN_MS = 7000

HANG = """
import time
from tablelogic.roulette.roulette import Roulette
def _hang(self, t_us):
    time.sleep_ms(60000)
Roulette.tick = _hang
"""
FAIL_ONCE = """
from tablelogic.roulette.roulette import Roulette
def _fail(self, t_us, _tick=Roulette.tick):
    Roulette.tick = _tick
    raise OSError(5)
Roulette.tick = _fail
"""
FAIL_ALWAYS = """
from tablelogic.roulette.roulette import Roulette
def _fail(self, t_us):
    raise OSError(5)
Roulette.tick = _fail
"""
# The next two writes to the flash are refused.
REFUSE_TWO = """
from tabledev.drivers.flash_files import FlashFiles
left = [2]
def _refuse(self, name, data, _write=FlashFiles.write):
    if left[0]:
        left[0] -= 1
        raise OSError(28)
    _write(self, name, data)
FlashFiles.write = _refuse
"""
# As after a ball that has left the rim; contacts: how often a switch closed, by what was read.
LEFT_RIM = """
from tablelogic.roulette.roulette import Roulette
from tablewire.roulette import PHASE_DROPPED
contacts = [0, 0]
def _tick(self, t_us):
    self.control.phase = PHASE_DROPPED
    self.judge.is_overdue = True
def _array(self, bits, t_us):
    contacts[0] += bits[0] > contacts[1]
    contacts[1] = bits[0]
Roulette.tick = _tick
Roulette.array = _array
"""


@pytest.fixture
def desk():
    """A provisioned table that has just booted; it must not have written an error."""
    with Desk() as started:
        yield started
        assert started.errors == ""


def find(frames, ident):
    return [frame for frame in frames if frame.type == ident]


def test_the_table_says_who_it_is_and_that_it_lives(desk):
    """Identity first, then a heartbeat every 500 ms exactly, each on the line within 10 ms.

    And every 250 ms from the opening of the bets on.
    """
    desk.acknowledge(desk.play(100))
    desk.play(9_600)
    assert names([frame for _, frame in desk.frames[:1]]) == ["identity"]
    identity = desk.frames[0][1]
    assert identity.values[0] == bytes(8)
    assert identity.values[6:] == (0, m.RESET_CAUSE_POWER, b"emulated" + bytes(8), bytes(8), 0)
    beats = [(time, frame) for time, frame in desk.frames if frame.type == HEARTBEAT]
    opened = next(f.uptime_ms for _, f in desk.frames if f.type == m.ROUND_OPENED)
    times = [t_ms for t_ms in range(0, 10_000, 250) if t_ms > opened or t_ms % 500 == 0]
    assert [frame.uptime_ms for _, frame in beats] == times
    assert all(0 < time - frame.uptime_ms * 1000 < 10_000 for time, frame in beats[1:])


def test_counters_rise(desk):
    """Over everything sent for the first time, with no gap."""
    desk.play(20_000)
    counters = [f.counter for _, f in desk.frames if not f.flags & FLAG_RETRANSMITTED]
    assert counters == list(range(1, len(counters) + 1))


def test_identify(desk):
    """Answered within 100 ms with the nonce of the question."""
    desk.play(1000)
    answers = names(desk.send(m.IDENTIFY, [NONCE], ms=100))
    assert answers == ["identity"]
    assert desk.frames[-1][1].values[0] == NONCE


def test_configuration_survives_a_reset(desk):
    """Set, asked again, and asked again after a power cut; the boot counter rises by one."""
    desk.play(1000)
    answer = find(desk.send(m.SET_CONFIGURATION, [roulette.MIN_CIRCUITS, 4]), m.CONFIGURATION)
    assert [frame.values for frame in answer] == [(8, 4, 7, 1, 20)]
    before = desk.boot
    desk.reset("power")
    assert desk.boot == before + 1
    answer = find(desk.send(m.GET_CONFIGURATION, [roulette.MIN_CIRCUITS]), m.CONFIGURATION)
    assert [frame.values for frame in answer] == [(8, 4, 4, 1, 20)]
    opened = find(desk.play(OPEN_MS), ROUND_OPENED)
    assert opened[0].values == (1, 4, 60000)


def test_a_changed_configuration_does_not_stop_the_table():
    """Whatever the clock shows, the next round opens as if the table had just booted."""
    for start_us in (0, 700 * SECOND, (1 << 30) - 3 * SECOND):
        with Desk(start_us=start_us) as desk:
            desk.play(2000)
            desk.send(m.SET_CONFIGURATION, [roulette.WHEEL, 2])
            assert names(desk.play(OPEN_MS)) == ["round_opened"]


def test_an_open_round_is_void_after_a_reset_exactly_once(desk):
    """404 under the round's number, right after identity; not again at the next boot."""
    opened = find(desk.play(OPEN_MS), ROUND_OPENED)
    assert [frame.round for frame in opened] == [1]
    causes = (
        ("power", m.RESET_CAUSE_POWER),
        ("hard", m.RESET_CAUSE_RESET),
        ("soft", m.RESET_CAUSE_RESET),
    )
    for cause, reported in causes:
        frames = desk.reset(cause)
        assert find(frames, m.IDENTITY)[0].values[7] == reported
        if cause == "power":
            assert names(frames) == ["identity", "round_void"]
            void = find(frames, m.ROUND_VOID)[0]
            assert (void.round, void.values[0]) == (1, codes.SYSTEM_INTERRUPTION)
        else:
            assert names(frames) == ["identity"]
    opened = [f.round for f in find(desk.play(OPEN_MS), ROUND_OPENED) if f.boot == desk.boot]
    assert opened == [2]


def test_a_hanging_task_ends_in_a_watchdog_reset(desk):
    """Within five seconds; the round that was open is void, the cause is reported."""
    desk.play(OPEN_MS)
    desk.board.exec(HANG)
    start = desk.board.now_us
    desk.play(6000)
    assert [cause for _, cause in desk.resets] == ["watchdog"]
    assert desk.resets[0][0] - start < 5 * SECOND
    identity = [frame for _, frame in desk.frames if frame.type == m.IDENTITY][-1]
    assert identity.values[7] == m.RESET_CAUSE_WATCHDOG
    void = [frame for _, frame in desk.frames if frame.type == m.ROUND_VOID]
    assert [(frame.round, frame.values[0]) for frame in void] == [(1, codes.SYSTEM_INTERRUPTION)]


def test_a_task_that_stops_once_goes_on(desk):
    """503 voids the round and is active for ten seconds; then the table plays again."""
    desk.acknowledge(desk.play(OPEN_MS))
    desk.board.exec(FAIL_ONCE)
    frames = desk.play(9000)
    assert names(frames) == ["fault_raised", "bets_closed", "round_void"]
    assert find(frames, m.FAULT_RAISED)[0].values == (codes.TASK_STOPPED, 255, 0, 1)
    assert "OSError" in desk.printed
    frames = desk.play(8000)
    assert names(frames) == ["fault_cleared", "round_opened"]
    assert 9500 <= find(frames, m.FAULT_CLEARED)[0].values[2] <= 11_000
    assert desk.resets == []


def test_a_task_that_always_stops_ends_in_a_watchdog_reset(desk):
    """Reported first, then a fresh start; active until the task has run for 10 s."""
    desk.play(1000)
    desk.board.exec(FAIL_ALWAYS)
    assert names(desk.play(500)) == ["fault_raised"]
    assert names(desk.play(5500)) == ["identity", "fault_raised"]
    assert [cause for _, cause in desk.resets] == ["watchdog"]
    assert names(desk.play(7000)) == []
    assert names(desk.play(5000)) == ["fault_cleared", "round_opened"]


def test_a_flash_that_refuses_two_writes_ends_the_program():
    """The fault and the stopped task: at once in production, on the bench by the watchdog."""
    for keys, cause, within_ms in (({"production": 1}, "hard", 600), ({}, "watchdog", 5000)):
        with Desk(keys) as desk:
            desk.play(OPEN_MS)
            desk.board.exec(REFUSE_TWO)
            desk.play(within_ms + 400, [(0, "pin", TILT, 1)])
            assert [reason for _, reason in desk.resets] == [cause]
            desk.play(1000, [(0, "pin", TILT, 0)])
            void = [frame for _, frame in desk.frames if frame.type == m.ROUND_VOID]
            assert {(frame.round, frame.values[0]) for frame in void} == {
                (1, codes.SYSTEM_INTERRUPTION)
            }


def test_an_unconfigured_table_stays_closed_until_it_is_configured():
    """502 is active, no round opens; one set value stores a whole configuration."""
    with Desk(configured=False) as desk:
        frames = desk.play(30_000)
        assert names([frame for _, frame in desk.frames]) == ["identity", "fault_raised"]
        assert frames[-1].values[1] == 1
        frames = desk.send(m.SET_CONFIGURATION, [roulette.WHEEL, 2])
        expected = ["configuration_changed", "fault_cleared", "configuration"]
        assert names(frames) == expected
        opened = find(desk.play(OPEN_MS), ROUND_OPENED)
        assert opened[0].values == (2, 7, 60000)
        assert names(desk.reset("power")) == ["identity", "round_void"]
        assert desk.errors == ""


def test_a_record_is_repeated_until_it_is_acknowledged(desk):
    """Every two seconds under the same counter; never after the acknowledgement."""
    desk.play(OPEN_MS)
    desk.play(10_000)
    sent = [(t, f) for t, f in desk.frames if f.type == ROUND_OPENED]
    assert [frame.flags for _, frame in sent] == [2] + [10] * 5
    assert len({(f.counter, f.round, f.uptime_ms, f.values) for _, f in sent}) == 1
    gaps = [sent[i + 1][0] - sent[i][0] for i in range(5)]
    assert all(1.99 * SECOND < gap < 2.11 * SECOND for gap in gaps)
    desk.acknowledge([sent[0][1]])
    assert find(desk.play(10_000), ROUND_OPENED) == []


def test_without_acknowledgements_the_table_stops_and_keeps_all():
    """No round opens when the outbox is full; with the host back play goes on, nothing lost."""
    with Desk({"result_hold_ms": 0}) as desk:
        desk.play(OPEN_MS)
        for number in range(1, 20):
            desk.send(m.VOID_ROUND, [codes.CROUPIER_VOID], round=number, ms=600)
        first = [f for _, f in desk.frames if f.flags == m.FLAG_DURABLE]
        rounds = [frame.round for frame in first if frame.type == ROUND_OPENED]
        assert rounds == list(range(1, 10))
        assert max(frame.round for _, frame in desk.frames) == 9
        desk.acknowledge(first, ms=1000)
        assert desk.play(3000)[-1].values[5] <= 2
        rounds = [f.round for _, f in desk.frames if f.type == ROUND_OPENED and f.flags == 2]
        assert rounds == list(range(1, 11))


def test_the_lamp_shows_no_more_bets(desk):
    """Lit from boot, dark while bets are open, lit again when they are closed."""
    desk.play(OPEN_MS)
    desk.send(m.CLOSE_BETS, round=1)
    assert [level for _, pin, level in desk.pins if pin == LAMP] == [1, 0, 1]
    closed = [frame for _, frame in desk.frames if frame.type == m.BETS_CLOSED]
    assert closed[0].values[0] == m.CLOSE_CAUSE_COMMAND


def test_a_storm_of_edges_is_a_fault_until_it_is_over(desk):
    """More edges than the ring holds between two control steps: 501, cleared by itself.

    700 in 35 ms, 255 in the ring; with bets open a step may come in between.
    """
    desk.play(OPEN_MS)
    storm = [(1 + n * 0.05, "pin", RIM_1, (n + 1) & 1) for n in range(700)]
    frames = desk.play(2000, storm)
    raised = {frame.values[0] for frame in find(frames, m.FAULT_RAISED)}
    assert codes.EDGES_LOST in raised
    beat = find(desk.play(6000), HEARTBEAT)[-1]
    assert beat.values[6] >= 700 - 2 * 255
    cleared = {f.values[0] for _, f in desk.frames if f.type == m.FAULT_CLEARED}
    assert codes.EDGES_LOST in cleared


def test_an_input_whose_interrupt_ended_with_an_error_works_again():
    """MicroPython takes a hard handler that raised once away for good, without a word to the

    program: the table would never see the machine tilted again.
    """
    with Desk() as desk:
        desk.play(OPEN_MS)
        desk.board.exec("times = hal.ring.times\nhal.ring.times = None")
        desk.play(1, [(0, "pin", TILT, 1)])
        desk.board.exec("hal.ring.times = times")
        assert "Uncaught exception in IRQ" in desk.errors
        frames = desk.play(1000)
        raised = {frame.values[0] for frame in find(frames, m.FAULT_RAISED)}
        assert raised >= {codes.EDGES_LOST, codes.TILT}
        assert find(frames, m.ROUND_VOID)
        desk.acknowledge([frame for _, frame in desk.frames])
        desk.play(10_000, [(0, "pin", TILT, 0)])
        cleared = {f.values[0] for _, f in desk.frames if f.type == m.FAULT_CLEARED}
        assert cleared >= {codes.EDGES_LOST, codes.TILT}


def test_an_input_that_is_on_at_boot_is_seen(desk):
    """The tilt switch was closed while the power was off: no round opens."""
    desk.play(100, [(0, "pin", TILT, 1)])
    desk.reset("power")
    frames = desk.play(10_000)
    assert names(frames) == ["fault_raised"]
    assert find(frames, m.FAULT_RAISED)[0].values[0] == codes.TILT


def test_noise_on_the_line_is_counted_and_harmless(desk):
    """Random bytes before, between and after a command; the command is obeyed."""
    desk.play(500)
    wire = b"\x00\xff\x07noise\x00" + desk.command(m.IDENTIFY, [NONCE]) + b"\x13\x37"
    frames = desk.play(600, [(0, "rx", 0, wire.hex())])
    assert names(frames) == ["identity"]
    assert find(frames, HEARTBEAT)[-1].values[7] == 1


def test_a_ball_closes_the_bets_within_30_ms(desk):
    """From the edge to the last byte of bets_closed on the line, wherever in the step it falls."""
    desk.play(OPEN_MS)
    for number in range(1, 6):
        edge_ms = 200 + number * 7.3
        edge_us = desk.board.now_us + edge_ms * 1000
        ball = [(edge_ms, "pin", RIM_1, 1), (edge_ms + 12, "pin", RIM_1, 0)]
        count = len(desk.frames)
        desk.acknowledge(desk.play(1000, ball))
        closed = [(t, f) for t, f in desk.frames[count:] if f.type == m.BETS_CLOSED]
        assert [frame.values[0] for _, frame in closed] == [roulette.CLOSE_CAUSE_BALL_DETECTED]
        assert closed[0][0] - edge_us <= 30_000
        desk.acknowledge(desk.play(27_000))  # no ball comes for 20 s: void, and the next round


def test_each_short_contact_of_a_bouncing_ball_is_read(desk):
    """50 contacts of 22 ms, wherever in the step of 40 ms they fall."""
    desk.play(OPEN_MS)
    desk.board.exec(LEFT_RIM)
    switches = []
    for number in range(50):
        at_ms = 100 + number * 83.7
        switches += [(at_ms, "spi", 1, "0100000000"), (at_ms + 22, "spi", 1, "0000000000")]
    desk.acknowledge(desk.play(4500, switches))
    assert desk.board.exec("print(contacts[0])").split() == ["50"]
