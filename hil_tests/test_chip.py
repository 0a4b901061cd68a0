"""Where the image for the chip comes from, and what is said when it cannot be made."""

import json
import select
import shutil
import struct
import subprocess
import time
from hashlib import sha256
from types import SimpleNamespace

import pytest
from mpremote.transport_serial import SerialTransport

import board_files
from hil_tests.chip import (
    armv7m,
    micropython_build,
    prompt_life,
    qemu,
    recording,
    sources,
    time_limit,
    unix,
)
from hil_tests.closing import closing_us
from hil_tests.rigs.rig_states import RigState
from hil_tests.rigs.rp2040_board import Rp2040Board
from hil_tests.rigs.rp2040_ports import PROMPT, BoardPorts
from hil_tests.rigs.rp2040js import BOARD, Rp2040Rig
from hil_tests.rigs.uf2 import flash_of
from hil_tests.rigs.unittests import ROOT, shared_tests
from hil_tests.rp2040_controller import latches
from hil_tests.rp2040_programs import ECHO, flash, uf2
from hil_tests.thinned import soak_only, soaked
from tableemulator.board.wasm import WasmBoard
from tableemulator.machines import ROLES
from tableemulator.shipped_controller import program
from tablewire import messages as m
from tablewire.codec import Frame

BUILT = micropython_build.cache()
needs_image = pytest.mark.skipif(not BUILT.is_whole, reason="no image for the chip: make chip")
needs_qemu = pytest.mark.skipif(
    not (BUILT.qemu.is_file() and qemu.is_there()),
    reason="no image for QEMU, or no QEMU: make chip",
)


def test_the_cache_is_outside_the_tree_and_named_for_what_is_pinned(monkeypatch, tmp_path):
    """XDG_CACHE_HOME, or .cache of the user; a checkout that is given has a place of its own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    folder = micropython_build.cache()
    assert folder.uf2.is_relative_to(tmp_path)
    assert not folder.is_whole
    assert micropython_build.cache(tmp_path / "micropython").uf2.parent != folder.uf2.parent
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert not micropython_build.cache().uf2.is_relative_to(ROOT)


def test_what_is_fetched_is_pinned_by_its_digest(monkeypatch, tmp_path):
    """Another file under the same name is refused and not kept."""
    archive = sources.Archive("pool/main/x/x_1.orig.tar.xz", "0" * 64, "x", "")
    (tmp_path / "x_1.orig.tar.xz").write_bytes(b"another file")
    with pytest.raises(sources.SourceError, match="not the file that was pinned"):
        sources._fetch("http://nowhere", archive, tmp_path)
    assert list(tmp_path.iterdir()) == []
    assert all(len(bytes.fromhex(each.digest)) == 32 for each in sources.ARCHIVES)


def test_without_debian_a_checkout_is_asked_for(monkeypatch):
    """The text says what to give."""

    def missing(*args, **kwargs):
        raise FileNotFoundError("apt-get")

    monkeypatch.setattr(subprocess, "run", missing)
    with pytest.raises(sources.SourceError, match="make chip MICROPYTHON=FOLDER"):
        sources._mirror()


def test_missing_compilers_are_named_with_their_packages(monkeypatch, tmp_path):
    """Before anything is fetched."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(shutil, "which", lambda tool: None if "arm" in tool else "/bin/true")
    with pytest.raises(micropython_build.BuildError, match="apt install gcc-arm-none-eabi"):
        micropython_build.built(None, print)
    assert list(tmp_path.iterdir()) == []


def test_the_numbers_of_a_boot_rom_are_read_without_running_them():
    """Little-endian words of one list; another module has none."""
    text = "import os\nBOOTROM_B1 = [0x20041F00, 0xEF]\n"
    assert sources._numbers(text) == bytes.fromhex("001f0420ef000000")
    with pytest.raises(sources.SourceError, match="no BOOTROM_B1"):
        sources._numbers("BOOTROM_B2 = [1]\n")


def test_what_does_not_end_is_ended():
    """With its limit named; what ended in its time is left alone."""
    begin = time.monotonic()
    with (
        pytest.raises(time_limit.TooLongError, match=r"no end within 0\.05 s"),
        time_limit.limited(0.05),
    ):
        select.select([], [], [], 10.0)
    with time_limit.limited(0.05):
        pass
    select.select([], [], [], 0.1)
    assert time.monotonic() - begin < 5


def test_how_soon_a_ball_closed_the_bets_is_that_of_the_first_round():
    """From the first edge after its opening; before it a ball was taken out of the last pocket."""
    sent = [(5_000, m.ROUND_OPENED), (30_000, m.BETS_CLOSED), (2_030_000, m.BETS_CLOSED)]
    frames = []
    for when, ident in sent:
        frame = Frame()
        frame.type = ident
        frames.append((when, frame))
    assert closing_us([1_000, 9_000, 11_000, 40_000], frames) == 21_000
    assert closing_us([1_000, 40_000], frames) is None
    assert closing_us([9_000], frames[:1]) is None


@needs_image
def test_the_boot_rom_is_the_one_pinned():
    """Revision B1."""
    assert sha256(BUILT.rom.read_bytes()).hexdigest() == sources.ROM_DIGEST


@needs_image
def test_what_the_rig_counts_as_collected_is_what_the_collector_leaves():
    """Of 400 pieces of 100 bytes each other one is dropped, uncollected: gc.mem_free() says after
    a collection what the rig said before it, but for what that line itself takes.
    """
    code = "import gc\ngc.collect()\nx = [bytearray(100) for _ in range(400)]\nx = x[::2]\n"
    with Rp2040Board(flash_of(BUILT.uf2.read_bytes()), BUILT.rom.read_bytes()) as board:
        board.play([], 2_000_000)
        with BoardPorts(board):
            transport = SerialTransport(PROMPT, timeout=2.0)
            transport.enter_raw_repl(soft_reset=False)
            transport.exec(code)
            memory = board.memory()
            said = int(transport.exec("import gc\ngc.collect()\nprint(gc.mem_free())"))
    assert memory.heap.free < said - 200 * 112
    assert memory.collected.free == pytest.approx(said, abs=512)


@needs_image
@pytest.mark.parametrize(
    ("body", "message"),
    [("self.assertEqual(1, 2)", "1 vs"), ("pass", ""), ("raise OSError(5)", "OSError")],
    ids=["fails", "passes", "raises"],
)
def test_a_failure_on_the_32_bit_program_is_reported(monkeypatch, tmp_path, body, message):
    """With the name of the test."""
    text = "import unittest\nclass It(unittest.TestCase):\n    def test_it(self):\n        " + body
    test = ROOT / "protocol" / "tests" / "test_it_32.py"
    monkeypatch.setattr(unix, "shared_tests", lambda: [test])
    monkeypatch.setattr(
        unix, "room_files", lambda: {"/protocol/tests/test_it_32.py": text.encode()}
    )
    said = []
    problems = unix.run_all(BUILT.unix, said.append)
    assert [message in problem for problem in problems] == ([True] if message else [])
    assert said == [f"32-bit MicroPython: {int(not message)} unittests of 1 files"]


# The VM takes a minute for the frames of a throw; QEMU reads them every time.
SHORT = [role for role in ROLES if role != "dice_tray"]


@pytest.mark.parametrize("role", [*SHORT, *soaked(["dice_tray"])])
def test_a_recorded_round_is_played_again_on_the_vm(role):
    """With the same decisions in the same order, the same numbers in the role and its trace."""
    round_log = recording.record(role)
    files = {path: data for path, data in program().items() if path.count("/") > 1}
    files["/round/calls"] = round_log.text.encode()
    files |= {f"/round/{number}": frame for number, frame in enumerate(round_log.frames)}
    with WasmBoard(files, heap_bytes=4 << 20) as board:
        board.boot()
        board.exec("import sys\nsys.path[:] = ['/', '.frozen']")
        printed = board.exec((armv7m.DEVICE / "play_round.py").read_text())
    assert [json.loads(line) for line in printed.splitlines()] == round_log.decisions


def test_what_is_recorded_is_all_a_role_decides():
    """Opened, closed, ended, with the true number; then each number of the role, and its trace."""
    round_log = recording.record("roulette")
    names = [decision[0] for decision in round_log.decisions]
    assert names[:2] == ["may_open", "round_opened"]
    assert names[-2:] == ["numbers", "trace"]
    (ended,) = [decision for decision in round_log.decisions if decision[0] == "ended"]
    assert str(ended[2][0]) == round_log.true
    assert len(round_log.decisions[-2]) > 100


def test_the_constants_of_a_release_are_those_of_its_source():
    """A release has numbers in their place, and tests name them; a host's modules are left out."""
    constants = armv7m.constants(armv7m.released_files())
    assert constants["tablewire.messages"]["HEARTBEAT"] == m.HEARTBEAT
    assert "tablewire.unstuffing" not in constants
    assert not any(name.startswith("_") for names in constants.values() for name in names)


def test_a_missing_qemu_is_named_with_its_package(monkeypatch):
    """Instead of a run."""
    monkeypatch.setattr(shutil, "which", lambda name: None)
    problems = armv7m.run_all(BUILT.qemu, list(ROLES), print, with_tests=True)
    assert problems == ["no qemu-system-arm here; get it with: apt install qemu-system-arm"]


def test_another_decision_is_reported_with_both(monkeypatch):
    """The machine's and this interpreter's."""
    round_log = recording.record("roulette")
    lines = [json.dumps(decision) for decision in round_log.decisions]
    for printed, problem in (
        (lines, ""),
        ([*lines[:-1], '["trace", "00"]'], f"{len(lines) - 1} is ['trace', '00'], on CPython ["),
        (lines[:-1], f"{len(lines) - 1} decisions, on CPython {len(lines)}"),
        (["MemoryError:"], "roulette: MemoryError:"),
    ):
        monkeypatch.setattr(armv7m, "_run", lambda *_, text=printed: "\n".join(text))
        problems = armv7m.play(BUILT.qemu, {}, "roulette", print)
        assert len(problems) == bool(problem)
        assert problem in "".join(problems)


@soak_only
@needs_qemu
def test_the_release_of_the_reference_board_runs_its_native_code():
    """The loops of the dice reader, native, against bytecode of the same source; then a throw."""
    said = []
    assert armv7m.run_all(BUILT.qemu, ["dice_tray"], said.append, with_tests=False) == []
    assert said[0] == ("armv7m: native code finds what plain code finds in 20 trays")
    assert "as on CPython" in said[1]


@needs_qemu
def test_a_failing_unittest_of_the_release_is_reported(monkeypatch):
    """With its name; a program that hangs is ended, and one that is none is refused."""
    released = armv7m.released_files()
    (test,) = [path for path in shared_tests() if path.stem == "test_slots"]
    said = []
    assert armv7m.test_all(BUILT.qemu, released, [test], said.append) == []
    assert said[0].startswith("armv7m: 6 unittests of 1 files")
    broken = {**released, "/tablewire/slots.mpy": b"M\x06"}
    (problem,) = armv7m.test_all(BUILT.qemu, broken, [test], said.append)
    assert problem.startswith("armv7m: protocol/tests/test_slots.py: ")
    with pytest.raises(qemu.QemuError, match="no end within 2 s"):
        qemu.run(BUILT.qemu, {"/main.py": b"while True: pass"}, "/main.py", [""], 2.0)


def test_the_matrix_at_the_prompt_covers_five_seconds_and_every_reset():
    """500 moments, 10 ms apart, and no kind of reset rarer than another by more than one."""
    matrix = prompt_life.cases(10)
    assert [case.stop_ms for case in matrix] == list(range(0, 5000, 10))
    counts = [sum(case.reset == kind for case in matrix) for kind in prompt_life.RESETS]
    assert max(counts) - min(counts) <= 1


def test_the_rotor_turns_at_the_prompt_until_it_is_stopped():
    """An edge of GPIO 2 every 50 ms, at its microsecond; none of it comes later."""
    with Rp2040Board(flash_of(uf2(flash(ECHO)))) as board:
        bench = prompt_life.Bench(board)
        sent = bytearray()
        bench.take = lambda output: sent.extend(output.sent)
        bench.pass_time(220_000)
        times = [time_us for (time_us,) in struct.iter_unpack("<xI", bytes(sent))]
        assert times == pytest.approx([50_000, 100_000, 150_000, 200_000], abs=1)
        bench.is_turning = False
        bench.pass_time(400_000)
        assert len(sent) == 20


def test_what_follows_equal_remains_of_a_reset_is_played_once(monkeypatch):
    """The echo writes no flash, and its inputs first change after 50 ms: one update but for soft

    resets, whose second half of a second has its own; what failed is reported of each case.
    """
    steps = []

    def noted(name, answer):
        return lambda *_: steps.append(name) or answer

    boards = []

    def switch_on(_setup):
        boards.append(Rp2040Board(flash_of(uf2(flash(ECHO)))))
        return boards[-1]

    rig = SimpleNamespace(board=switch_on, switch_off=lambda board: board.close())
    matrix = prompt_life.Matrix(rig)
    monkeypatch.setattr(prompt_life, "_SETTLES_US", 1000)
    monkeypatch.setattr(prompt_life, "_reset", lambda *_: True)
    monkeypatch.setattr(prompt_life, "_collecting", lambda _when: [])
    monkeypatch.setattr(prompt_life, "_is_back", noted("start", True))
    monkeypatch.setattr(prompt_life, "break_off", lambda _port: None)
    monkeypatch.setattr(prompt_life, "flash_once", noted("update", ["it failed"]))
    for stop_ms, reset, played, problems in (
        (10, "hard", ["start", "update"], ["it failed"]),
        (20, "hard", [], ["it failed"]),
        (20, "watchdog", ["start"], []),
        (60, "hard", ["start"], []),
        (30, "soft", ["start", "update"], ["it failed"]),
        (40, "soft", ["start"], []),
        (510, "soft", ["start", "update"], ["it failed"]),
    ):
        steps.clear()
        case = prompt_life.Case(stop_ms, reset)
        assert (matrix.play(case), steps) == (problems, played), case
    assert str(matrix) == "6 starts after a reset, 3 updates"
    assert len(boards) == 2  # 30 ms came after 60
    matrix.switch_off()


@soak_only
@needs_image
def test_a_table_that_was_stopped_comes_back_after_each_reset():
    """Stopped while it loads, as it starts and while it runs; an update works after each."""
    loads = latches(board_files.load(BOARD).data)
    rig = Rp2040Rig(RigState(None), BUILT.uf2, BUILT.rom, latches=loads)
    moments = zip((900, 1200, 3000), prompt_life.RESETS, strict=True)
    said = []
    wanted = [prompt_life.Case(stop_ms, reset) for stop_ms, reset in moments]
    assert prompt_life.play_all(rig, wanted, said.append) == []
    assert len(said) == 3
