"""The power cut at changes of the flash, on the VM with the real files."""

import pytest
from tests.rig.desk import Desk, names

from tablewire import codes, config
from tablewire import messages as m

# Every file written is two changes: emptied, then filled. Bytes that tear a copy apart or not.
BYTES = (0, 1, 9, 27, 103)


def find(frames, ident):
    return [frame for frame in frames if frame.type == ident]


@pytest.fixture(scope="module")
def desk():
    """One table for all cuts: each leaves a controller that must go on."""
    with Desk() as started:
        started.play(7000)
        yield started


def cut_and_boot(desk, write, byte, *events):
    """Play the events with the power cut at a flash change; returns the frames after it."""
    desk.board.power_cut_after(writes=write, byte=byte)
    desk.play(100, events)
    assert desk.resets[-1][1] == "power_cut"
    desk.take(desk.board.boot())
    return desk.play(200)


@pytest.mark.parametrize("byte", BYTES)
@pytest.mark.parametrize("write", [1, 2, 3, 4])
def test_a_set_configuration_is_done_or_not_done(desk, write, byte):
    """The old value or the new one, never no configuration; both copies are whole again."""
    desk.reset("power")
    desk.send(m.SET_CONFIGURATION, [config.MIN_CIRCUITS, 7])
    wire = desk.command(m.SET_CONFIGURATION, [config.MIN_CIRCUITS, 4])
    frames = cut_and_boot(desk, write, byte, (0, "rx", 0, wire.hex()))
    assert "fault_raised" not in names(frames)
    answer = find(desk.send(m.GET_CONFIGURATION, [config.MIN_CIRCUITS]), m.CONFIGURATION)
    # The first copy is written by the first two changes.
    expected = (7,) if write == 1 else (4,) if write > 2 else (7, 4)
    assert answer[0].values[1] in expected
    files = desk.board.flash
    assert files["/flash/config.0"] == files["/flash/config.1"]


@pytest.mark.parametrize("byte", BYTES)
@pytest.mark.parametrize("write", [1, 2])
def test_the_end_of_a_round_is_safe_or_void(desk, write, byte):
    """Cut while a void is being marked: told before the next boot, or void by 404 after it."""
    desk.reset("power")
    opened = find(desk.play(7000), m.ROUND_OPENED)
    assert len(opened) == 1
    number = opened[0].round
    count = len(desk.frames)
    wire = desk.command(m.VOID_ROUND, [codes.CROUPIER_VOID], round=number)
    cut_and_boot(desk, write, byte, (0, "rx", 0, wire.hex()))
    voids = [f for _, f in desk.frames[count:] if f.type == m.ROUND_VOID and f.round == number]
    assert [frame.values[0] for frame in voids] in ([404], [])
    if write == 1:
        assert len(voids) == 1
    assert desk.errors == ""


@pytest.mark.parametrize("byte", BYTES)
@pytest.mark.parametrize("write", [1, 2])
def test_a_round_number_is_not_used_twice(desk, write, byte):
    """Cut while the opening is being marked: what opens next is the same or the next number."""
    frames = desk.reset("power")
    last = max(frame.round for frame in frames)
    desk.play(5000)
    opened = [f.round for _, f in desk.frames if f.type == m.ROUND_OPENED]
    desk.board.power_cut_after(writes=write, byte=byte)
    desk.play(2000)
    assert desk.resets[-1][1] == "power_cut"
    desk.take(desk.board.boot())
    frames = desk.play(7000)
    again = [f.round for f in find(frames, m.ROUND_OPENED)]
    assert again in ([last + 1], [last + 2])
    assert not set(again) & set(opened)
