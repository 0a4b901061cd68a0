"""The program as shipped: .mpy files against source, and the heap it needs."""

import pytest
from tests.rig.desk import Desk, names

from tableemulator.machines.roulette.physical_wheel import Geometry
from tableemulator.play_session import emulated_table, play
from tableemulator.shipped_controller import in_place, program
from tabletools.release import compiled
from tablewire import codes, diagnosis, roulette
from tablewire import messages as m
from tablewire.codec import Frame
from tablewire.framing import Receiver

KIB = 1024
SPINS = 2
SECRET = bytes(range(32))
# Most of the 192 KiB heap in use at any time, in KiB: protocol/decisions/firmware.md, "Memory".
IN_PLACE = 96  # bytecode stays in the ROMFS
LOADED = 128  # compiled files are copied into memory; an RP2040 has 240 KiB (make chip)


@pytest.fixture(scope="module")
def mpy(tmp_path_factory):
    """The program with its packages compiled."""
    return compiled(program(), tmp_path_factory.mktemp("mpy"))


def play_spins(files):
    """What a table sends in two spins: (time_us, frame) of each, and the errors it wrote."""
    heard = []
    receiver = Receiver()

    def listen(time_us, side, data):
        if side == "<":
            heard.extend((time_us, item) for item in receiver.feed(data))

    with emulated_table(Geometry("double"), 11, files=files, listen=listen) as table:
        for _ in range(SPINS):
            play(table, None)
        assert table.errors == []
    return heard


def reported(heard):
    """Everything of the frames but the free memory that ends a heartbeat."""
    records = []
    for time_us, frame in heard:
        assert isinstance(frame, Frame)
        values = frame.values[:-2] if frame.type == m.HEARTBEAT else frame.values
        header = (frame.type, frame.flags, frame.device, frame.boot, frame.counter)
        records.append((time_us, *header, frame.uptime_ms, frame.round, frame.length, values))
    return records


def test_compiled_and_source_say_the_same(mpy):
    """Frame by frame and microsecond by microsecond, over two spins with their results."""
    assert any(name.endswith("/table.mpy") for name in mpy)
    assert not any(name.endswith("/table.py") for name in mpy)
    by_source, by_mpy = reported(play_spins(program())), reported(play_spins(mpy))
    assert by_mpy == by_source
    results = [entry for entry in by_source if entry[1] == roulette.WHEEL_RESULT]
    assert len(results) == SPINS


@pytest.mark.parametrize("secret", [None, SECRET], ids=["bench", "keyed"])
@pytest.mark.parametrize("limit", [IN_PLACE, LOADED], ids=["in_place", "loaded"])
def test_the_heap_is_enough(mpy, limit, secret):
    """Rounds, commands, noise and a full outbox stay below the limit; with a key, in a session."""
    files, rom = in_place(mpy) if limit == IN_PLACE else (mpy, b"")
    with Desk({"result_hold_ms": 0}, files=files, rom=rom, secret=secret, tight=True) as desk:
        if secret is not None:
            assert desk.start()[0].type == m.SESSION_STARTED
        desk.play(7000)
        for number in range(1, 13):
            desk.send(m.VOID_ROUND, [codes.CROUPIER_VOID], round=number, ms=600)
        desk.send(m.GET_CONFIGURATION, [roulette.MIN_CIRCUITS])
        noise = bytes(range(256)) * 3
        desk.play(1000, [(0, "rx", 0, noise.hex())])
        sent = {frame.counter: frame for _, frame in desk.frames if frame.flags & m.FLAG_DURABLE}
        assert len(sent) == 29
        desk.acknowledge(sent.values(), ms=1000)
        assert names(desk.send(m.IDENTIFY, [bytes(8)])) == ["identity"]
        _, _, peak = desk.board.mem()
        assert desk.errors == ""
        assert desk.resets == []
    assert peak <= limit * KIB


def test_a_self_test_fits(mpy):
    """Run in place it stays below the limit, and a second one needs no more than the first."""
    files, rom = in_place(mpy)
    with Desk({"auto_open": 0}, files=files, rom=rom, tight=True) as desk:
        desk.play(1000)
        used = []
        for _ in range(2):
            sent = desk.send(m.SELF_TEST, [400], ms=2000)
            (result,) = [frame for frame in sent if frame.type == diagnosis.SELF_TEST_RESULT]
            samples = [frame for frame in sent if frame.type == diagnosis.SENSOR_SAMPLE]
            assert result.values[0] == len(samples) == 14
            used.append(desk.board.mem()[0])
        _, _, peak = desk.board.mem()
        assert desk.errors == ""
    assert peak <= IN_PLACE * KIB
    assert used[1] <= used[0] + KIB


def test_a_rotation_fits(mpy):
    """Run in place it stays below the limit, and a second one needs no more than the first."""
    files, rom = in_place(mpy)
    with Desk({"auto_open": 0}, files=files, rom=rom, secret=SECRET, tight=True) as desk:
        desk.start()
        used = []
        for number in (2, 3):
            desk.secret, frames = desk.rotate(number)
            assert "key_changed" in names(frames)
            desk.acknowledge(frames)
            desk.start(b"nonce  %d" % number)
            used.append(desk.board.mem()[0])
        _, _, peak = desk.board.mem()
        assert desk.errors == ""
        assert desk.resets == []
    assert peak <= IN_PLACE * KIB
    assert used[1] <= used[0] + KIB


def test_a_changed_configuration_leaves_no_memory_behind(mpy):
    """Twenty new roles, one after the other, need no more than the first."""
    with Desk({"auto_open": 0}, files=mpy, tight=True) as desk:
        desk.play(1000)
        used = []
        for value in range(1, 21):
            frames = desk.send(m.SET_CONFIGURATION, [roulette.MIN_CIRCUITS, value], ms=160)
            assert names(frames) == ["configuration_changed", "configuration"]
            desk.acknowledge(frames, ms=80)
            used.append(desk.board.mem()[0])
        assert desk.errors == ""
    assert used[-1] <= used[0]
