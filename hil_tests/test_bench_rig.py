"""Rig `bench` with two emulated boards wired together: one plays, the other decides."""

import os
from contextlib import closing
from pathlib import Path

import pytest

import board_files
from hil_tests.rigs.bench import (
    CHANNELS,
    FIRST_PIN,
    STATE_FILE,
    Bench,
    main,
    recording,
    wiring_sheet,
)
from hil_tests.rigs.bench_ports import LinkedTable, SerialLine
from hil_tests.rigs.rig_states import LINKED, READY, RigBroken, RigState
from hil_tests.rigs.stimulus_line import Stimulus
from tableemulator.board.wasm import WasmBoard
from tableemulator.machines.core.uart import UartPort
from tableemulator.machines.repeater import Repeater, Served, played
from tableemulator.machines.roulette.croupier import RouletteTable
from tableemulator.machines.roulette.physical_wheel import Geometry
from tableemulator.shipped_controller import WasmController
from tablewire import messages, roulette
from tablewire.codec import Frame
from tablewire.framing import Receiver

STIMULUS = Path(__file__).parent / "stimulus"
BOARD = board_files.load("emulated")
PINS, ACTIVE = BOARD.data["PINS"], BOARD.data["ACTIVE"]
STEP_US = 100_000
REAL = os.environ.get("RIG") == "bench"
GEOMETRY = Geometry("single", pocket_sensor="head")


def ends(frame):
    return frame.type in messages.ROUND_ENDS


class Recorded(WasmController):
    """A controller that notes what it was played."""

    def __init__(self, setup):
        super().__init__(setup)
        self.events = []

    def play(self, events, until_us):
        self.events += events
        return super().play(events, until_us)


@pytest.fixture(scope="module")
def spun():
    """A healthy spin of the model: what was played, and how the round ended."""
    controller = Recorded(GEOMETRY)
    try:
        spin = RouletteTable(controller, GEOMETRY, 5, acknowledge=False).spin()
    finally:
        controller.close()
    return recording(controller.events, BOARD), spin.ended


class Wired:
    """Both boards in one time: what the stimulus does to its pins happens to those of the table.

    It is the line of the one and the link of the other for the rig.
    """

    def __init__(self):
        files = {f"/{path.name}": path.read_bytes() for path in STIMULUS.glob("*.py")}
        self.stimulus = WasmBoard(files)
        self.controller = WasmController(GEOMETRY)
        self.table = self.controller.board
        self._pin_of = {FIRST_PIN + n: PINS[role] for n, role in enumerate(CHANNELS)}
        self._heard = b""
        self._events, self._frames = [], []
        self._receiver = Receiver()
        assert self.stimulus.boot().errors == ""
        self.controller.switch_on()

    def close(self):
        self.stimulus.close()
        self.table.close()

    def write(self, data):
        now = self.stimulus.now_us
        self._step([[now, "rx", 0, data.hex()]], now)

    def read_line(self, within_s):
        end = self.stimulus.now_us + within_s * 1_000_000
        while b"\n" not in self._heard and self.stimulus.now_us < end:
            self._step([], self.stimulus.now_us + STEP_US)
        line, newline, self._heard = self._heard.partition(b"\n")
        return line + newline

    def frames(self, until, within_s):
        end = self.table.now_us + int(within_s * 1_000_000)
        frames = []
        while self.table.now_us < end and not any(map(until, frames)):
            self._step([], self.table.now_us + STEP_US)
            frames += self._frames
            self._frames = []
        return frames

    def _step(self, events, until_us):
        out = self.stimulus.play(events, max(until_us, self.stimulus.now_us))
        assert out.errors == ""
        self._heard += out.sent
        self._events += [[t, "pin", self._pin_of[pin], v] for t, pin, v in out.pins]
        # Once it plays the stimulus is ahead: the table comes after it slice by slice.
        ready = [event for event in self._events if event[0] <= until_us]
        self._events = self._events[len(ready) :]
        answer = self.table.play(ready, max(until_us, self.table.now_us))
        assert answer.errors == ""
        self._frames += [i for i in self._receiver.feed(answer.sent) if isinstance(i, Frame)]


class Silent:
    """A stimulus without a board, and a table that says nothing."""

    def __init__(self, monkeypatch):
        monkeypatch.syspath_prepend(STIMULUS)
        from stimulus_commands import Commands

        self._commands, self._answers = Commands(self), []
        self.damage = lambda data: data

    def write(self, data):
        for line in self.damage(data).splitlines():
            self._answers += self._commands.answers(line)

    def read_line(self, within_s):
        return self._answers.pop(0) if self._answers else b""

    def frames(self, until, within_s):
        return []

    def show(self, mask):
        pass

    play = show


@pytest.fixture
def silent(monkeypatch):
    return Silent(monkeypatch)


@pytest.fixture
def bench(state):
    """Two boards on a bench if RIG says so, else two emulated ones."""
    if not REAL:
        with closing(Wired()) as wired:
            yield Bench(state, lambda: Stimulus(wired), wired, ACTIVE)
        return
    active = board_files.load(os.environ["BOARD"]).data["ACTIVE"]
    line, table = SerialLine(os.environ["STIMULUS"]), LinkedTable(os.environ["TABLE"])
    with closing(line), closing(table):
        yield Bench(RigState(STATE_FILE), lambda: Stimulus(line), table, active)


@pytest.fixture
def state(tmp_path):
    return RigState(tmp_path / "state.json")


def test_a_spin_played_by_the_stimulus_ends_as_the_model_did(bench, spun):
    """The same number, by the same sensors; the rig is ready for the next one."""
    changes, ended = spun
    frames = bench.play(changes, ends)
    [reported] = filter(ends, frames)
    assert reported.type == ended.type == roulette.WHEEL_RESULT
    assert reported.values[0] == ended.values[0]
    bench.play(changes[:1], lambda frame: True)  # ready for the next one


def test_a_stimulus_that_loses_a_line_breaks_the_rig_for_good(silent, state):
    """It is not tried again, nor by the next run, until a person has reset it by name."""
    bench = Bench(state, lambda: Stimulus(silent), silent, ACTIVE)
    silent.damage = lambda data: data.replace(b"edge 7 ", b"edge 9 ")
    changes = [(5, "INPUT_4", True), (7, "INPUT_4", False), (9, "INPUT_5", True)]
    with pytest.raises(RigBroken, match="3 edges were sent; it says 'no sum'"):
        bench.play(changes, ends)
    silent.damage = lambda data: data
    with pytest.raises(RigBroken, match="is broken: 3 edges were sent"):
        bench.play(changes, ends)
    later = RigState(state.file)
    with pytest.raises(RigBroken, match="reset --by NAME"):
        Bench(later, lambda: Stimulus(silent), silent, ACTIVE)
    with pytest.raises(ValueError, match="give a name"):
        later.reset(" ")
    assert later.reset("A. Engel").startswith("3 edges were sent")
    Bench(RigState(state.file), lambda: Stimulus(silent), silent, ACTIVE)


def test_a_table_that_does_not_tell_the_end_breaks_the_rig(silent, state):
    """Edges were played, and no round ended: wiring, or the table."""
    bench = Bench(state, lambda: Stimulus(silent), silent, ACTIVE)
    with pytest.raises(RigBroken, match="1 of 1 edges played, no end was reported"):
        bench.play([(1000, "INPUT_4", True)], ends)


def test_a_board_without_the_program_is_no_stimulus(state):
    """What answers, if anything, is shown; the rig is broken."""

    class Other:
        def write(self, data):
            return len(data)

        def read_line(self, within_s):
            return b">>> \r\n"

    with pytest.raises(RigBroken, match="no answer, or a damaged one"):
        Bench(state, lambda: Stimulus(Other()), None, ACTIVE)


def test_the_ports_of_a_bench_are_serial_ports():
    """The line of a stimulus over a PTY; the link of a table, its records acknowledged."""
    port = UartPort(None, pty=True)
    with closing(port), closing(SerialLine(port.pty)) as line:
        line.write(b"hello\n")
        assert port.receive(5.0) == b"hello\n"
        port.send(b"one\ntw")
        assert line.read_line(5.0) == b"one\n"
        assert line.read_line(0.01) == b"tw"
    table = Repeater(7, 1, played(1, 1))
    with Served(table) as served, closing(LinkedTable(served.url)) as link:
        frames = link.frames(ends, 10.0)
        assert [frame.round for frame in frames if ends(frame)] == [1]


def test_states_follow_in_their_order(state):
    """A state that cannot follow is a defect of the rig, not of the board."""
    with pytest.raises(ValueError, match="a rig that is off cannot be ready"):
        state.enter(READY)
    state.enter(LINKED)
    first = state.fail("the table is silent")
    assert "the table is silent" in str(first)
    assert "the table is silent" in str(state.fail("something else"))  # the first reason counts


def test_only_wired_sensors_can_be_recorded():
    """A pocket array, an analogue value and a lamp have no channel."""
    events = [[1, "pin", PINS["INPUT_6"], 1], [2, "pin", PINS["INPUT_6"], 0]]
    assert recording(events, BOARD) == [(1, "INPUT_6", True), (2, "INPUT_6", False)]
    for other in ([1, "spi", 1, "00"], [1, "pin", PINS["LAMP"], 1]):
        with pytest.raises(ValueError, match="no channel for"):
            recording([other], BOARD)


def test_the_wiring_sheet_is_made_of_the_boards(capsys):
    """By hand from both WIRING.md: a Pico's GPIO 2 is pin 4, DOME of an ESP32-S3 GPIO 14."""
    sheet = wiring_sheet(board_files.load("esp32_s3"), board_files.load("rpi_pico"))
    wires = {line.split()[-1]: line for line in sheet if line[:1].isdigit()}
    assert set(CHANNELS) < set(wires)
    assert "GPIO2 (pin 4)" in wires["INPUT_1"]
    assert "GPIO10 (pin 14)   GPIO14 (J1-20)" in wires["DOME"]
    with pytest.raises(ValueError, match="take another board"):
        wiring_sheet(board_files.load("rpi_pico2"), board_files.load("esp32_s3"))
    assert main(["wiring", "--board", "rpi_pico2"]) == 0
    assert "Raspberry Pi Pico plays the sensors of Raspberry Pi Pico 2" in capsys.readouterr().out
