"""Replay: the device's trace, run on this interpreter, comes to the device's own record."""

from binascii import crc32

import pytest

from hil_tests.decisions import decided_table
from hil_tests.soak import soak_run as soak
from hil_tests.thinned import thinned
from tableemulator import play_session
from tableemulator.machines.roulette.physical_wheel import Geometry
from tableemulator.machines.roulette.roulette_faults import FAULTS, fits
from tabletools.replay import AGREES, DISAGREES, UNPROVEN, TraceError, replayed
from tablewire import messages, roulette
from tablewire.trace_file import HEAD_BYTES

TABLES = [
    Geometry("single", "array"),
    Geometry("double", "head", head_deg=145.0, clockwise=False),
    Geometry("double", "both", index_offset=5, rim_sensors=4),
]
# Rounds that end while the board is off: the boot after voids them, no logic decides.
INTERRUPTED = {404}
# The first value of the configuration, behind the two bytes of its length.
KEYS_AT = HEAD_BYTES + 2


def seal_again(data, change):
    """Return the trace with a change and a right sum."""
    copy = bytearray(data[:-4])
    change(copy)
    return bytes(copy) + crc32(bytes(copy)).to_bytes(4, "little")


@pytest.fixture(scope="module")
def healthy():
    """The trace of a healthy spin, off the emulated board, and the frame that ended it."""
    with play_session.emulated_table(TABLES[0], 3) as table:
        ended = play_session.play(table, None).ended
        return table.controller.trace(ended.round), ended


@pytest.mark.parametrize(("share", "geometry"), list(enumerate(TABLES)))
def test_every_fault_on_the_board_replays_to_its_own_record(share, geometry):
    """Healthy spins and faults of the catalogue; a round cut by the power has no trace.

    Each table plays a third of the faults, by `make soak` all. With a key, for without one
    nothing is tampering.
    """
    possible = [fault for fault in FAULTS if fits(geometry, fault)]
    played = thinned([*possible[share:], *possible[:share]], len(TABLES))
    records = set()
    with play_session.emulated_table(geometry, 11, key=(1, bytes(range(32)))) as table:
        for fault in [None, *played, None]:
            spin = play_session.play(table, fault)
            data = table.controller.trace(spin.ended.round)
            if spin.reason in INTERRUPTED:
                assert data is None
                continue
            trace, _, verdict = replayed(data)
            assert verdict.word == AGREES, (fault, verdict)
            assert (trace.ended, trace.values) == (spin.ended.type, tuple(spin.ended.values))
            assert (trace.device, trace.boot) == (spin.ended.device, spin.ended.boot)
            records.add(spin.reason)
    assert len(records) > len(played) // 2


def test_the_soak_replays_every_round():
    """A table that decides otherwise than its trace says is trouble, and a bad night."""
    tally = soak.play(soak.table_runs(50, 4, "sim")[0])
    assert tally.replayed > 40
    assert not tally.disagreed
    assert tally.replayed + tally.unproven + tally.untraced == tally.spins
    assert not soak.Tally(disagreed=1).passes(soak.part("roulette"))


def test_the_replay_shows_what_the_ball_did(healthy):
    """Laps and circuits of the replay are those of the device; the bets closed at the launch."""
    trace, run, _ = replayed(healthy[0])
    circuits, lap_ms, track_ms = trace.values[4], *trace.values[8:10]
    rim = [s for s in run.samples if s.circuits_centi is not None]
    assert rim[-1].circuits_centi == circuits
    assert rim[-1].lap_ms == lap_ms
    closed = [t for t in run.reports if t.type == messages.BETS_CLOSED]
    assert [t.values[0] for t in closed] == [roulette.CLOSE_CAUSE_BALL_DETECTED]
    assert run.end.at_us - closed[0].at_us >= track_ms * 1000


@pytest.mark.parametrize("place", range(0, 2400, 97))
def test_a_changed_byte_is_refused(healthy, place):
    """By the sum; nothing is said of the round."""
    data = bytearray(healthy[0])
    data[place % len(data)] ^= 4
    with pytest.raises(TraceError):
        replayed(bytes(data))


def test_a_shortened_trace_is_refused(healthy):
    """At any length."""
    for length in range(0, len(healthy[0]), 61):
        with pytest.raises(TraceError):
            replayed(healthy[0][:length])


def test_a_forged_end_disagrees(healthy):
    """Another number with a right sum: the replay names the field, and both values."""
    data, ended = healthy

    def another(data):
        offset = data.rindex(bytes([0xFE, roulette.WHEEL_RESULT])) + 3
        assert data[offset] == ended.values[0] & 63
        data[offset] ^= 1

    verdict = replayed(seal_again(data, another))[2]
    assert verdict.word == DISAGREES
    pocket = ended.values[0]
    assert verdict.differences == (
        f"pocket: the device reported {pocket ^ 1}, the replay {pocket}",
    )


def test_another_configuration_is_refused(healthy):
    """Key 1 is the role, key 2 the wheel: the pockets of a single zero do not fit a double."""

    def double(data):
        assert data[KEYS_AT + 1] == roulette.WHEEL_SINGLE
        data[KEYS_AT + 1] = roulette.WHEEL_DOUBLE

    with pytest.raises(TraceError, match="37, its configuration makes it 38") as caught:
        replayed(seal_again(healthy[0], double))
    assert "not the one the device decided by" in caught.value.cause


@pytest.mark.parametrize(
    ("place", "value", "what"),
    [
        (0, 0x58, "this is not a trace"),
        (4, 9, "the trace has format 9, this program knows 1"),
        (5, 9, "firmware 9.0.0"),
        (20, 0, "the trace is of schema 0x"),
    ],
)
def test_another_maker_is_refused(healthy, place, value, what):
    """Another file, format, release or schema: refused before anything is run."""

    def change(data):
        data[place] = value

    with pytest.raises(TraceError, match=what):
        replayed(seal_again(healthy[0], change))


def test_a_value_no_device_accepts_is_refused(healthy):
    """The role is 1; 9 was never in force anywhere."""

    def change(data):
        data[KEYS_AT] = 9

    with pytest.raises(TraceError, match=r"role 9 \(1\.\.\d\)"):
        replayed(seal_again(healthy[0], change))


def test_a_cut_trace_proves_nothing():
    """A device with 4 KiB for it had no room: neither agrees nor disagrees."""
    geometry = Geometry("double", "head")
    table = decided_table(geometry, 5, noise="worn", changed={"head_turns": 5})
    engine = table.controller.engine
    engine._most -= len(engine.trace.buf) - 4096
    engine.trace.buf = bytearray(4096)
    ended = table.spin().ended
    trace, _, verdict = replayed(table.controller.trace(ended.round))
    assert trace.cut
    assert verdict.word == UNPROVEN
