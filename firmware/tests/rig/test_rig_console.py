"""The console in production: closed from the first line, opened by switch or command, reported."""

import ast

import pytest
from tests.rig.desk import Desk, names

from tableemulator.board.process import BoardDiedError
from tableemulator.shipped_controller import CONFIGURATION_FILES, program
from tablewire import codes, config
from tablewire import messages as m

SWITCH = 21
OPEN_MS = 7000
CONTROL_C, NONE = 3, -1
PLAY = {"production": 1}

FAIL_MAIN = """
from tabledev.app.supervisor import Supervisor
def _fail(self):
    raise MemoryError()
Supervisor.check = _fail
"""


def stops(desk):
    """The character that stops the program now."""
    return desk.console[-1][1]


def changes(frames):
    fresh = [frame for frame in frames if not frame.flags & m.FLAG_RETRANSMITTED]
    return [frame.values for frame in fresh if frame.type == m.MAINTENANCE_CHANGED]


@pytest.mark.parametrize("name", ["/boot.py", "/main.py"])
def test_each_file_first_takes_control_c_away(name):
    """The interpreter gives it back at the start of each: nothing comes before."""
    statements = ast.parse(program()[name]).body[1:3]
    assert [ast.unparse(statement) for statement in statements] == [
        "import micropython",
        "micropython.kbd_intr(-1)",
    ]


def test_production_is_closed_from_the_first_line():
    """Control-C works in neither file after its first line, at no boot, whatever the cause."""
    with Desk(PLAY) as desk:
        desk.play(20_000)
        reported = [character for _, character in desk.console]
        assert reported[:5] == [CONTROL_C, NONE, NONE, CONTROL_C, NONE]
        assert set(reported[5:]) == {NONE}
        desk.console.clear()
        for cause in ("power", "watchdog", "hard", "soft"):
            desk.reset(cause)
            assert [c for _, c in desk.console].count(CONTROL_C) == 2
            assert stops(desk) == NONE
            desk.console.clear()
        assert desk.errors == ""


def test_a_bench_board_keeps_its_prompt():
    """Without production, and without any configuration: a new board is somebody's to set up."""
    for settings in ({}, {"configured": False}):
        with Desk(**settings) as desk:
            assert stops(desk) == CONTROL_C


def test_a_damaged_configuration_opens_nothing():
    """The flag cannot be read, so it is production."""
    with Desk(PLAY) as desk:
        for path in CONFIGURATION_FILES:
            desk.board.put_flash(path, b"\xff" * 20)
        desk.reset("power")
        desk.play(1000)
        assert stops(desk) == NONE


def test_the_switch_opens_it_and_voids_the_round():
    """Reported as a change and a fault; no round opens; turned back, both are reported as over."""
    with Desk(PLAY) as desk:
        desk.play(OPEN_MS)
        frames = desk.play(500, [(0, "pin", SWITCH, 1)])
        expected = ["fault_raised", "bets_closed", "round_void", "maintenance_changed"]
        assert names(frames) == expected
        assert changes(frames) == [(m.MAINTENANCE_OPEN, m.INPUT_MAINTENANCE)]
        (void,) = [frame for frame in frames if frame.type == m.ROUND_VOID]
        assert void.values[0] == codes.MAINTENANCE_OPEN
        assert stops(desk) == CONTROL_C
        frames = desk.play(30_000)
        assert names(frames) == []
        assert names(desk.send(m.CLEAR_FAULT, [codes.MAINTENANCE_OPEN])) == ["refusal"]
        assert names(desk.send(m.MAINTENANCE, [m.MAINTENANCE_CLOSED])) == ["refusal"]
        frames = desk.play(1500, [(0, "pin", SWITCH, 0)])
        assert names(frames) == ["maintenance_changed", "fault_cleared", "round_opened"]
        assert changes(frames) == [(m.MAINTENANCE_CLOSED, m.INPUT_MAINTENANCE)]
        assert stops(desk) == NONE
        assert desk.errors == ""


def test_bounce_of_the_switch_is_no_turn():
    """80 ms of contact open nothing."""
    with Desk(PLAY) as desk:
        desk.play(1000)
        frames = desk.play(1000, [(0, "pin", SWITCH, 1), (80, "pin", SWITCH, 0)])
        assert names(frames) == []
        assert stops(desk) == NONE


def test_a_command_opens_and_closes_it():
    """The sensor is unknown then; the round that was open is void."""
    with Desk(PLAY) as desk:
        desk.play(OPEN_MS)
        frames = desk.send(m.MAINTENANCE, [m.MAINTENANCE_OPEN])
        assert "round_void" in names(frames)
        assert changes(frames) == [(m.MAINTENANCE_OPEN, m.UNKNOWN_U8)]
        assert stops(desk) == CONTROL_C
        frames = desk.send(m.MAINTENANCE, [m.MAINTENANCE_CLOSED])
        assert names(frames) == ["maintenance_changed", "fault_cleared"]
        assert stops(desk) == NONE


def test_open_over_a_power_cut_is_reported_again():
    """By command it stays open; by the switch only while it is turned."""
    with Desk(PLAY) as desk:
        desk.play(1000)
        desk.send(m.MAINTENANCE, [m.MAINTENANCE_OPEN])
        frames = desk.reset("power") + desk.play(10_000)
        assert changes([f for f in frames if f.boot == desk.boot]) == [(1, 255)]
        assert "round_opened" not in names(frames)
        assert stops(desk) == CONTROL_C
        desk.send(m.MAINTENANCE, [m.MAINTENANCE_CLOSED])
        desk.play(500, [(0, "pin", SWITCH, 1)])
        frames = desk.reset("power") + desk.play(1000)
        assert changes([f for f in frames if f.boot == desk.boot]) == [(1, 10)]
        desk.play(10, [(0, "pin", SWITCH, 0)])
        frames = desk.reset("power") + desk.play(1000)
        assert changes([f for f in frames if f.boot == desk.boot]) == [(1, 10), (2, 10)]
        assert stops(desk) == NONE


def test_with_a_full_journal_the_opening_is_reported_later_and_not_forgotten():
    """The fault is active until the host received the opening, however short it was."""
    with Desk({**PLAY, "result_hold_ms": 0}) as desk:
        desk.play(OPEN_MS)
        for number in range(1, 20):
            desk.send(m.VOID_ROUND, [codes.CROUPIER_VOID], round=number, ms=600)
        desk.play(500, [(0, "pin", SWITCH, 1)])
        desk.play(3000, [(0, "pin", SWITCH, 0)])
        assert changes([frame for _, frame in desk.frames]) == []
        desk.acknowledge([f for _, f in desk.frames if f.flags == m.FLAG_DURABLE], ms=1000)
        desk.play(3000)
        assert changes([f for _, f in desk.frames if f.flags == 2]) == [(1, 10), (2, 10)]
        assert stops(desk) == NONE


def test_production_ends_only_in_maintenance():
    """A command that would open the console without a trace is refused."""
    with Desk(PLAY) as desk:
        desk.play(1000)
        answers = desk.send(m.SET_CONFIGURATION, [config.PRODUCTION, 0])
        (answer,) = [frame for frame in answers if frame.type == m.REFUSAL]
        assert answer.values[2:6] == (m.REFUSAL_OUT_OF_RANGE, 0, 1, 1)
        desk.send(m.MAINTENANCE, [m.MAINTENANCE_OPEN])
        assert "configuration" in names(desk.send(m.SET_CONFIGURATION, [config.PRODUCTION, 0]))
        desk.send(m.MAINTENANCE, [m.MAINTENANCE_CLOSED])
        assert stops(desk) == CONTROL_C
        desk.send(m.SET_CONFIGURATION, [config.PRODUCTION, 1])
        assert stops(desk) == NONE


def test_a_boot_makes_the_interpreter_s_state_right():
    """What a program or a session at the prompt left, and no soft reset clears: a collector that
    is off. Without it the heap is full in a minute, and the next boot ends in a MemoryError.
    """
    with Desk() as desk:
        desk.board.exec("import gc\ngc.disable()")
        desk.reset("soft")
        assert desk.board.exec("import gc\nprint(gc.isenabled())") == "True\n"
        desk.play(1000)
        assert desk.errors == ""


def test_a_program_that_ends_itself_is_reported_as_a_reset():
    """Not as the watchdog's, whose resets are of a board to be looked at."""
    with Desk(PLAY) as desk:
        desk.play(1000)
        desk.board.exec(FAIL_MAIN)
        desk.play(600)
        (identity,) = [f for _, f in desk.frames if f.type == m.IDENTITY and f.boot == desk.boot]
        assert identity.values[7] == m.RESET_CAUSE_RESET
        desk.play(10_000)
        booted = [f for _, f in desk.frames if f.type == m.BOOT_REPORT and f.boot == desk.boot]
        assert {frame.values[0] for frame in booted} == {m.RESET_CAUSE_RESET}


def test_an_error_of_the_program_resets_instead_of_a_prompt():
    """In production; on the bench the program ends and the prompt is there."""
    for keys, resets in ((PLAY, ["hard"]), ({}, [])):
        with Desk(keys) as desk:
            desk.play(1000)
            desk.board.exec(FAIL_MAIN)
            desk.play(600)
            assert [cause for _, cause in desk.resets] == resets
            assert "MemoryError" in desk.errors or resets


def test_a_program_that_cannot_start_never_ends_at_a_prompt():
    """It starts again and again: here until the rig has enough of it."""
    broken = {**program(), "/board.py": b"raise OSError(5)\n"}
    with Desk(files=broken, configured=False) as desk:
        assert "OSError" in desk.errors
        # Taken away while the program ends; the interpreter gives it back at its prompt.
        assert CONTROL_C in [character for _, character in desk.console[-3:]]
    with pytest.raises(BoardDiedError, match="did not stay up"), Desk(PLAY, files=broken):
        pass
