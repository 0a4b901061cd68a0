"""`tabletool emulate`: files written, faults named, mistakes refused, a table served."""

from __future__ import annotations

import errno
import gzip
import json
import os
import signal
import socket
import subprocess
import sys
import tarfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import serial

from tableemulator import fault_catalogue, play_session
from tableemulator.board.flash_file import FlashFile
from tableemulator.machines import ROLES, emulator
from tableemulator.machines.core.harness import FROM_TABLE, TableStalled
from tableemulator.machines.draw_machine.draw_faults import LEFT_BEHIND
from tableemulator.machines.roulette import mounting_faults
from tableemulator.machines.roulette.physical_wheel import ORDERS, Geometry
from tableemulator.machines.roulette.roulette_faults import FAULTS, fits
from tablespec.names import KEY_NAMES
from tabletools.cli import main
from tabletools.cli.emulate.emulate_command import SERIAL
from tabletools.errors import UNREACHABLE, USER, ToolError
from tablewire import messages, roulette
from tablewire.codec import Frame
from tablewire.framing import Receiver
from tablewire.sender import Sender

Run = Callable[..., tuple[int, str, str]]
PROGRAM = "import sys; from tabletools.cli.main import main; sys.exit(main())"


def test_a_draw_machine_lists_what_no_mixture_draws(capsys: pytest.CaptureFixture[str]) -> None:
    """A ball that stays behind; a silent host where the balls are more than the journal keeps."""
    for draws, silent in ((20, False), (60, True)):
        words = ["emulate", "draw_machine", "--draws", str(draws), "--fault", "list"]
        assert main.run(words) == 0
        names = [line.split()[1] for line in capsys.readouterr().out.splitlines()]
        assert ("left_behind" in names, "host_silent" in names) == (True, silent)


def test_a_ball_left_behind_by_name(tmp_path: Path) -> None:
    """The draw itself is reported truly: the ball is missed after it."""
    out, truth = tmp_path / "n.capture", tmp_path / "n.truth"
    words = ["--spins", "1", "--fault", "left_behind", "--out", str(out), "--truth", str(truth)]
    assert main.run(["emulate", "draw_machine", *words]) == 0
    assert json.loads(truth.read_text())["fault"] == "left_behind"
    raised = [f.values[0] for f in frames(uart(out)) if f.type == messages.FAULT_RAISED]
    assert raised[-1] == LEFT_BEHIND.code


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run `tabletool emulate roulette ...`; returns exit code, output and error output."""

    def call(*words: object) -> tuple[int, str, str]:
        code = main.run(["emulate", "roulette", *map(str, words)])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


def uart(capture: Path) -> bytes:
    """Return the bytes the table sent, from a capture read as the format says."""
    lines = capture.read_text().splitlines()
    assert lines[0].startswith("tablewire-capture 2 {")
    return b"".join(bytes.fromhex(line.split()[3]) for line in lines[1:] if " < " in line)


def frames(data: bytes) -> list[Frame]:
    """Return the frames in the bytes; nothing may be skipped."""
    receiver = Receiver()
    items = receiver.feed(data) + receiver.finish()
    assert all(isinstance(item, Frame) for item in items)
    return items


def test_each_spin_is_one_result_or_void_and_one_truth_line(run: Run, tmp_path: Path) -> None:
    """Mixed spins: in order, a number is the true one, a healthy spin is never void."""
    out, truth = tmp_path / "n.capture", tmp_path / "n.truth"
    code, text, errors = run(
        "--wheel",
        "double",
        "--spins",
        12,
        "--seed",
        5,
        "--fault",
        "mixed",
        "--out",
        out,
        "--truth",
        truth,
    )
    assert (code, errors) == (0, "")
    assert text.startswith("12 spins: ")
    truths = [json.loads(line) for line in truth.read_text().splitlines()]
    ends = [
        frame
        for frame in frames(uart(out))
        if frame.type in (roulette.WHEEL_RESULT, messages.ROUND_VOID)
        and not frame.flags & messages.FLAG_RETRANSMITTED
    ]
    assert len(ends) == len(truths) == 12
    for frame, true in zip(ends, truths, strict=True):
        assert set(true) == {"pocket", "circuits", "ball_direction", "rotor_direction", "fault"}
        assert true["ball_direction"] in (1, -1)
        assert true["rotor_direction"] in (1, -1)
        if frame.type == roulette.WHEEL_RESULT:
            number = frame.values[0]
            assert true["pocket"] == ("00" if number == 37 else str(number))
            assert 14 <= true["circuits"] <= 21
        else:
            assert frame.values[0] == fault_catalogue.find(true["fault"]).reason


def test_virtual_time_is_repeatable(run: Run, tmp_path: Path) -> None:
    """The same seed writes the same two files, another seed others."""

    def files(seed: int) -> tuple[bytes, bytes]:
        out, truth = tmp_path / "c", tmp_path / "t"
        words = ("--spins", 1, "--seed", seed, "--out", out, "--truth", truth, "--force")
        assert run(*words)[0] == 0
        return uart(out), truth.read_bytes()

    first = files(3)
    assert files(3) == first
    assert files(4) != first


@pytest.mark.parametrize(("role", "spins"), [("roulette", 6), ("draw_machine", 2)])
def test_a_seed_plays_the_same_balls_with_and_without_a_key(
    role: str, spins: int, tmp_path: Path
) -> None:
    """A table with a key sends longer frames and opens its rounds at other times."""
    ring, plain, keyed = tmp_path / "keys.json", tmp_path / "plain", tmp_path / "keyed"
    assert main.run(["keys", "new", str(SERIAL), "--keys", str(ring)]) == 0
    words = ["emulate", role, "--seed", "7", "--spins", str(spins), "--truth"]
    assert main.run([*words, str(plain)]) == 0
    assert main.run([*words, str(keyed), "--key", str(ring)]) == 0
    assert len(plain.read_text().splitlines()) == spins
    assert keyed.read_text() == plain.read_text()


@pytest.mark.parametrize(("sensor", "rims"), [("array", 2), ("head", 3), ("both", 4)])
def test_the_fault_list_names_every_fault(run: Run, sensor: str, rims: int) -> None:
    """Code, name, where and what, one line each: all that can happen at a wheel built so."""
    code, text, _errors = run("--fault", "list", "--sensor", sensor, "--rim-sensors", str(rims))
    assert code == 0
    lines = text.splitlines()
    geometry = Geometry(pocket_sensor=sensor, rim_sensors=rims)
    possible = [fault for fault in FAULTS if fits(geometry, fault)]
    assert ("rim_3_dead" in [fault.name for fault in possible]) == (rims > 2)
    assert sensor != "both" or len(possible) == len(FAULTS)
    for line, fault in zip(lines, possible, strict=False):
        assert line.split()[:2] == [str(fault.code), fault.name]
        assert fault.what in line
    mounted = [
        wrong for wrong in mounting_faults.FAULTS if wrong.fits(sensor, rims) and not wrong.builds
    ]
    named = [f"mounting  {wrong.name}: {wrong.what}" for wrong in mounted]
    assert lines[len(possible) :] == named
    assert not {fault.name for fault in FAULTS} & {wrong.name for wrong in mounting_faults.FAULTS}


def test_a_mounting_fault_is_played(run: Run, tmp_path: Path) -> None:
    """A chain that is read a clock late shows the next pocket; the capture says which fault."""
    out, truth = tmp_path / "x.capture", tmp_path / "x.truth"
    words = ("--fault", "shifted_on", "--seed", "7", "--spins", "2")
    assert run(*words, "--out", str(out), "--truth", str(truth))[0] == 0
    assert '"fault": "shifted_on"' in out.read_text().splitlines()[0]
    plain = tmp_path / "plain.truth"
    assert run("--seed", "7", "--spins", "2", "--truth", str(plain))[0] == 0
    assert truth.read_text() == plain.read_text()
    ends = [frame for frame in frames(uart(out)) if frame.type == roulette.WHEEL_RESULT]
    pockets = [json.loads(line)["pocket"] for line in plain.read_text().splitlines()]
    true = [ORDERS["single"].index(pocket) for pocket in pockets]
    assert [frame.values[1] for frame in ends] == [(pocket + 1) % 37 for pocket in true]


def test_a_table_that_cannot_play_so_says_why(run: Run, tmp_path: Path) -> None:
    """Without a ring sensor no rotor is seen, and no round opens."""
    words = ("--fault", "ring_b_dead", "--spins", "1", "--out", str(tmp_path / "x"))
    code, _text, errors = run(*words)
    assert code == USER
    assert "its sensors are mounted wrong: ring_b_dead" in errors


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ((), USER, "nowhere to put the spins"),
        (("--fault", "earthquake", "--out", "x"), USER, "no fault 'earthquake'"),
        (("--fault", "link_tampered", "--out", "x"), USER, "needs a table with a key"),
        (("--wheel", "triple", "--out", "x"), USER, "triple"),
        (("--mounting", "head_dead", "--out", "x"), USER, "no mounting 'head_dead'"),
        (("--spins", "0", "--out", "x"), USER, "--spins"),
        (("--out", "/no/such/folder/x"), USER, "cannot write the file"),
        (("--serve", "nowhere"), USER, "not an address"),
        (("--serve", "127.0.0.1:70000"), USER, "not an address"),
        (("--serve", "192.0.2.1:0"), UNREACHABLE, "cannot serve the table"),
    ],
)
def test_mistakes_are_refused(run: Run, words: tuple[str, ...], code: int, said: str) -> None:
    """What is wrong, with the exit code of the house."""
    exit_code, _text, errors = run(*words)
    assert exit_code == code
    assert errors.startswith("tabletool: error: ")
    assert said in errors


def test_a_port_in_use_is_a_table_not_reachable(run: Run) -> None:
    """Exit code 3, and what to do."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        code, _text, errors = run("--serve", f"127.0.0.1:{server.getsockname()[1]}")
    assert code == UNREACHABLE
    assert "next step: " in errors


# --- by the wall clock ------------------------------------------------------------------------


def test_where_it_is_served_is_reported_when_it_is_on(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not before: a host that asks a board that still starts gives up after three seconds."""

    def dead(*_arguments: object, **_options: object) -> None:
        raise ToolError("the board does not start")

    monkeypatch.setattr(play_session, "emulated_table", dead)
    code, text, errors = run("--serve", "127.0.0.1:0")
    assert (code, "serving on" in text) == (USER, False)
    assert "the board does not start" in errors


@pytest.fixture(scope="module")
def served() -> Iterator[tuple[subprocess.Popen[str], str, str]]:
    """A table served on a TCP port and a PTY: (process, socket URL, device path)."""
    words = ["emulate", "roulette", "--serve", "127.0.0.1:0", "--pty"]
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *words], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    address = process.stdout.readline().split()[-1]
    device = process.stdout.readline().split()[-1]
    yield process, f"socket://{address}", device
    process.kill()
    process.wait()
    process.stdout.close()


def heard(port: serial.SerialBase, wanted: int) -> Frame:
    """Return the first frame of a type, within three seconds."""
    receiver = Receiver()
    port.timeout = 3
    while True:
        data = port.read(1)
        assert data, "nothing heard for three seconds"
        for item in receiver.feed(data):
            if isinstance(item, Frame) and item.type == wanted:
                return item


def test_pyserial_reads_a_served_table(
    served: tuple[subprocess.Popen[str], str, str],
) -> None:
    """Heartbeats come to two readers at once, by TCP and by PTY, and after a reconnect."""
    _process, url, device = served
    with serial.serial_for_url(url) as first, serial.serial_for_url(url) as second:
        uptime = heard(first, messages.HEARTBEAT).uptime_ms
        assert heard(second, messages.HEARTBEAT).uptime_ms >= uptime - 1000
    with serial.Serial(device) as line:
        assert heard(line, messages.HEARTBEAT).uptime_ms > uptime - 1000
    with serial.serial_for_url(url) as again:
        assert heard(again, messages.HEARTBEAT).uptime_ms > uptime


def test_what_a_reader_writes_reaches_the_board(
    served: tuple[subprocess.Popen[str], str, str],
) -> None:
    """Identify with a nonce over each way; the identity brings it back."""
    _process, url, device = served
    ways: list[Callable[[], serial.SerialBase]] = [
        lambda: serial.serial_for_url(url),
        lambda: serial.Serial(device),
    ]
    for number, way in enumerate(ways):
        with way() as port:
            beat = heard(port, messages.HEARTBEAT)
            nonce = bytes([number + 1]) * 8
            port.write(Sender(beat.device, beat.boot).build(messages.IDENTIFY, (nonce,)))
            assert heard(port, messages.IDENTITY).values[0] == nonce


def test_a_signal_ends_serving_cleanly(
    served: tuple[subprocess.Popen[str], str, str],
) -> None:
    """SIGTERM: the sum is printed, the exit code is 0."""
    process, _url, _device = served
    os.kill(process.pid, signal.SIGTERM)
    assert process.wait(timeout=10) == 0
    assert process.stdout is not None
    assert "spins: " in process.stdout.read()


@pytest.mark.parametrize("option", ["--out", "--truth"])
def test_a_dash_is_no_file(option, tmp_path, monkeypatch, capsys):
    """Standard output has the report; no file named - is left behind."""
    monkeypatch.chdir(tmp_path)
    assert main.run(["emulate", "roulette", option, "-"]) == USER
    assert option in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


# --- a flash in a file ------------------------------------------------------------------------

TIMEOUT_KEY = KEY_NAMES.index("max_bet_ms") + 1


@contextmanager
def running(*words: object) -> Iterator[tuple[subprocess.Popen[str], serial.SerialBase]]:
    """A served table as a process, and a host at its port; killed at the end."""
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, "emulate", *map(str, words), "--serve", "127.0.0.1:0"],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        address = process.stdout.readline().split()[-1]
        with serial.serial_for_url(f"socket://{address}", timeout=20) as port:
            yield process, port
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def until(port: serial.SerialBase, done: Callable[[Frame], bool]) -> list[Frame]:
    """Return the frames that come, up to the first for which done is true."""
    receiver, frames_read = Receiver(), list[Frame]()
    while True:
        data = port.read(1)
        assert data, f"nothing more after {[frame.type for frame in frames_read]}"
        for item in receiver.feed(data):
            if isinstance(item, Frame):
                frames_read.append(item)
                if done(item):
                    return frames_read


def reported(port: serial.SerialBase, ask: bytes, ident: int) -> Frame:
    """Return the answer to a command."""
    port.write(ask)
    return until(port, lambda frame: frame.type == ident)[-1]


@pytest.mark.waits
def test_a_killed_table_goes_on_as_after_a_power_cut(tmp_path: Path) -> None:
    """Same serial and configuration, the next boot, the round void, what waited sent again."""
    flash = tmp_path / "table.flash"
    words = ("roulette", "--no-acknowledge", "--flash", flash)
    with running(*words) as (process, port):
        first = until(port, lambda frame: frame.type == messages.HEARTBEAT)[-1]
        host = Sender(first.device, first.boot)
        change = host.build(messages.SET_CONFIGURATION, (TIMEOUT_KEY, 45_000))
        changed = reported(port, change, messages.CONFIGURATION_CHANGED)
        opened = until(port, lambda frame: frame.type == messages.ROUND_OPENED)[-1]
        process.kill()
    assert flash.stat().st_mode & 0o777 == 0o600
    with running(*words) as (process, port):
        waited: dict[tuple[int, int], Frame] = {}

        def has_all(frame: Frame) -> bool:
            if frame.flags & messages.FLAG_DURABLE:
                waited.setdefault((frame.boot, frame.counter), frame)
            ends = [one for one in waited.values() if one.type == messages.ROUND_VOID]
            wanted = {(changed.boot, changed.counter), (opened.boot, opened.counter)}
            return bool(ends) and wanted <= set(waited)

        until(port, has_all)
        [void] = [frame for frame in waited.values() if frame.type == messages.ROUND_VOID]
        assert (void.device, void.boot, void.round) == (first.device, first.boot + 1, opened.round)
        assert waited[opened.boot, opened.counter].values == opened.values
        assert waited[changed.boot, changed.counter].values == changed.values
        ask = Sender(first.device, void.boot).build(messages.GET_CONFIGURATION, (TIMEOUT_KEY,))
        assert reported(port, ask, messages.CONFIGURATION).values[:2] == (TIMEOUT_KEY, 45_000)


class Killed(Exception):
    """The end of a process, at a time of the table."""


# A tray draws pictures, which takes long.
@pytest.mark.parametrize("role", [role for role in ROLES if role != "dice_tray"])
def test_every_role_goes_on_from_the_middle_of_a_round(role: str, tmp_path: Path) -> None:
    """The next boot plays the next round; nothing of the one before is taken for it."""

    def kill(_table: object) -> None:
        raise Killed

    def listen(when: int, direction: str, data: bytes) -> None:
        heard = receiver.feed(data) if direction == FROM_TABLE else []
        if any(isinstance(one, Frame) and one.type == messages.ROUND_OPENED for one in heard):
            table.schedule(when + 5_000_000, kill)

    receiver, flash, setup = Receiver(), tmp_path / "flash", emulator(role).setup()
    with (
        FlashFile(flash) as stored,
        play_session.emulated_table(setup, 7, stored=stored, listen=listen) as table,
        pytest.raises(Killed),
    ):
        play_session.play(table, None)
    with FlashFile(flash) as stored, play_session.emulated_table(setup, 7, stored=stored) as table:
        played = play_session.play(table, None)
    assert (played.ended.boot, played.ended.round, played.reason) == (2, 2, None)
    assert played.reported == played.true
    assert table.errors == []


def test_a_table_in_real_time_waits_for_its_host_without_a_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A host that is away, a table that is locked: no stalled controller, as in virtual time."""
    monkeypatch.setattr("tableemulator.machines.core.harness.OPEN_WITHIN_US", 0)
    setup = emulator("roulette").setup()
    with play_session.emulated_table(setup, 7, pace=lambda _table: None) as table:
        assert play_session.play(table, None).reason is None
    with play_session.emulated_table(setup, 7) as table, pytest.raises(TableStalled):
        play_session.play(table, None)


def test_a_flash_that_cannot_be_written_is_named(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk: not an internal error, and what the flash held is still there, alone."""
    flash = tmp_path / "flash"
    assert run("--spins", 1, "--out", tmp_path / "out", "--flash", flash)[0] == 0
    image = flash.read_bytes()

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("tableemulator.board.flash_file.os.replace", full)
    code, _text, errors = run("--spins", 1, "--truth", "/dev/null", "--flash", flash)
    assert (code, "cannot write the flash: no space left on device" in errors) == (USER, True)
    assert flash.read_bytes() == image
    assert sorted(path.name for path in tmp_path.iterdir()) == ["flash", "out"]


def test_a_flash_is_used_once_at_a_time_and_by_its_own_kind(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Another process on it, another role, another key, another file: refused, and left alone."""
    flash, out = tmp_path / "flash", tmp_path / "out"
    assert run("--spins", 1, "--out", out, "--flash", flash)[0] == 0
    image = flash.read_bytes()
    with FlashFile(flash):
        code, _text, errors = run("--spins", 1, "--truth", tmp_path / "t", "--flash", flash)
        assert (code, "another emulated table runs on this flash" in errors) == (USER, True)
    words = ["--spins", "1", "--truth", str(tmp_path / "t"), "--flash"]
    assert main.run(["emulate", "dice", *words, str(flash)]) == USER
    assert "the flash is that of a table of another role" in capsys.readouterr().err
    ring = tmp_path / "keys.json"
    assert main.run(["keys", "new", str(SERIAL), "--keys", str(ring)]) == 0
    assert main.run(["emulate", "roulette", *words, str(flash), "--key", str(ring)]) == USER
    assert "the table on this flash has no key (" in capsys.readouterr().err
    assert main.run(["emulate", "roulette", *words, str(ring)]) == USER
    assert "this is not the flash of an emulated table" in capsys.readouterr().err
    assert flash.read_bytes() == image


def _entry(name: str = "flash/config.0", kind: bytes = tarfile.REGTYPE, size: int = 8) -> bytes:
    """An archive of one entry, of zeros as its size says."""
    entry = tarfile.TarInfo(name)
    entry.type, entry.size, entry.linkname = kind, size, "flash/nothing.0"
    return entry.tobuf() + bytes(512 + 1024)


CRAFTED = {
    "outside": _entry("flash/../../etc/x.0"),
    "absolute": _entry("/flash/config.0"),
    "program": _entry("main.py"),
    "folder in a file": _entry("flash/config.0/config.1"),
    "escape code": _entry("flash/\x1b[2J.0"),
    "capital": _entry("flash/CONFIG.0"),
    "symbolic link": _entry(kind=tarfile.SYMTYPE),
    "link": _entry(kind=tarfile.LNKTYPE),
    "pipe": _entry(kind=tarfile.FIFOTYPE),
    "sparse": _entry(kind=tarfile.GNUTYPE_SPARSE),
    "larger than a disk": _entry(size=2**40),
    "cut in a file": _entry(size=4096),
    "cut in the padding": _entry()[:600],
    "compressed": gzip.compress(_entry(), mtime=0),
    "cut and compressed": gzip.compress(_entry(), mtime=0)[:40],
    "extended header": _entry(kind=tarfile.XHDTYPE),
    "no archive": b"5" * 100_000,
}


@pytest.mark.parametrize("crafted", CRAFTED.values(), ids=CRAFTED.keys())
def test_a_crafted_flash_is_refused_and_left_alone(
    run: Run, tmp_path: Path, crafted: bytes
) -> None:
    """Links, devices, foreign names, wrong sizes, compression: a mistake of the user each time."""
    flash = tmp_path / "flash"
    flash.write_bytes(crafted)
    code, _text, errors = run("--spins", 1, "--truth", tmp_path / "t", "--flash", flash)
    assert (code, "this is not the flash of an emulated table" in errors) == (USER, True), errors
    assert flash.read_bytes() == crafted


def test_a_device_is_no_flash(run: Run, tmp_path: Path) -> None:
    """A file without end is not read."""
    code, _text, errors = run("--spins", 1, "--truth", tmp_path / "t", "--flash", "/dev/zero")
    assert (code, "the flash is not a regular file" in errors) == (USER, True), errors


def test_a_table_with_a_key_keeps_it_on_its_flash(run: Run, tmp_path: Path) -> None:
    """It is not provisioned a second time; without its keyring it is refused."""
    flash, ring = tmp_path / "flash", tmp_path / "keys.json"
    assert main.run(["keys", "new", str(SERIAL), "--keys", str(ring)]) == 0
    words = ("--spins", 1, "--flash", flash, "--force", "--truth", tmp_path / "t")
    for _ in range(2):
        code, text, _errors = run(*words, "--key", ring)
        assert (code, text.splitlines()[-1][:20]) == (0, "1 spin: 1 number, 1 ")
    code, _text, errors = run(*words)
    assert (code, "the table on this flash has key 1 (" in errors) == (USER, True)
