"""`tabletool decode` as a program: captures, raw bytes, pipes, and every file that is neither."""

import json
import subprocess
import sys

import pytest

from tabletools.cli import decode
from tabletools.cli.main import run
from tabletools.link.far_end import STRANGE
from tablewire.messages import HEARTBEAT, ROUND_VOID, SEED
from tablewire.roulette import WHEEL_RESULT
from tablewire.sender import Sender

PROGRAM = [sys.executable, "-c", "from tabletools.cli.main import main; main()", "decode"]
RESULT = (37, 19, 1, 12, 1525, 1, -1, 142, 890, 15210, 4400, 1, 250, -128)
VOID = (101, 5, 255, 525, 1, -1, 142, 890)
BEAT = (2, 0, 255, -1, 142, 0, 0, 0, 180000, 96_000)
HEAD = 'tablewire-capture 1 {"source": "test"}\n'


def frames(seed=SEED):
    sender = Sender(7, 3, seed)
    sender.round = 12
    return [
        sender.build(HEARTBEAT, BEAT),
        sender.build(WHEEL_RESULT, RESULT, 2),
        sender.build(ROUND_VOID, VOID, 2),
    ]


@pytest.fixture
def capture(tmp_path):
    """A capture of three frames, a command and a damaged line."""
    beat, result, void = (frame.hex() for frame in frames())
    command = Sender(7, 3).build(0x42).hex()
    lines = [f"10 < {beat}", f"20 > {command}", f"30 < {result}", "40 < 0g", f"50 < {void}"]
    path = tmp_path / "night.capture"
    path.write_text(HEAD + "\n".join(lines) + "\n")
    return str(path)


@pytest.fixture
def raw(tmp_path):
    """Bytes of a UART: noise, then three frames."""
    path = tmp_path / "uart.bin"
    path.write_bytes(b"\x55\xaa\0" + b"".join(frames()))
    return str(path)


def records(capsys):
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_a_capture_as_json(capture, capsys):
    """One object a line: frames by name, numbers as printed, voids by name and code."""
    assert run(["decode", capture, "--json"]) == 0
    beat, result, damaged, void = records(capsys)
    keys = ["type", "device", "boot", "counter", "uptime_ms", "round"]
    assert list(beat)[:6] == list(result)[:6] == keys
    assert (result["type"], result["pocket"], result["round"]) == ("wheel_result", "00", 12)
    assert (void["type"], void["reason"], void["code"]) == ("round_void", "short_spin", 101)
    assert damaged["type"] == "skipped"
    assert {"offset", "length", "reason"} <= set(damaged)
    assert [record["t_us"] for record in (beat, result, void)] == [10, 30, 50]
    assert "direction" not in beat


def test_commands_show_both_directions(capture, capsys):
    """With --commands each frame has its direction."""
    assert run(["decode", capture, "--json", "--commands"]) == 0
    types = [(r["type"], r.get("direction")) for r in records(capsys)]
    assert types == [
        ("heartbeat", "table_to_host"),
        ("open_bets", "host_to_table"),
        ("wheel_result", "table_to_host"),
        ("skipped", None),
        ("round_void", "table_to_host"),
    ]


def test_lines_for_a_reader(capture, capsys):
    """One line a frame, the skip among them, and a summary of how complete the capture is."""
    assert run(["decode", capture]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 5
    assert "wheel_result   00  15.25 circuits" in lines[1]
    assert "skipped 8 bytes" in lines[2]
    assert "line 5: bytes '0g' are not hex digits" in lines[2]
    assert lines[4] == "3 frames, 3 UNAUTHENTICATED - BENCH ONLY; 1 piece skipped, 8 bytes"


def test_raw_bytes(raw, capsys):
    """--raw reads what a UART carried; noise before the frames is reported."""
    assert run(["decode", raw, "--raw", "--json"]) == 0
    skip, *others = records(capsys)
    assert skip == {
        "type": "skipped",
        "offset": 0,
        "length": 3,
        "reason": "cobs",
        "detail": "3 bytes",
    }
    assert [record["offset"] for record in others] == [3, 3 + 57, 3 + 57 + 61]


def test_strict_is_exit_code_1_for_any_skip(capture, raw, tmp_path, capsys):
    """Scripts can demand a clean stream; the records are shown all the same."""
    clean = tmp_path / "clean.bin"
    clean.write_bytes(b"".join(frames()))
    assert run(["decode", capture, "--strict"]) == 1
    assert run(["decode", raw, "--raw", "--strict"]) == 1
    assert run(["decode", str(clean), "--raw", "--strict"]) == 0
    assert capsys.readouterr().out.count("wheel_result") == 3


def test_another_schema_is_named(tmp_path, capsys):
    """Frames of another release: the hint is in the skips and, in words, at the end."""
    path = tmp_path / "other.bin"
    path.write_bytes(b"".join(frames(seed=0x677ABCFC)))
    hint = f"the sender uses another wire: its CRC has seed 0x677ABCFC, here 0x{SEED:08X}"
    assert run(["decode", str(path), "--raw"]) == 0
    assert capsys.readouterr().out.splitlines()[-2:] == [
        f"likely cause: {hint}",
        "next step: update firmware or host so that both run one release",
    ]
    assert run(["decode", str(path), "--raw", "--json"]) == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out.splitlines()[-1])["hint"] == hint
    assert f"likely cause: {hint}" in captured.err


@pytest.mark.parametrize("junk", [bytes(range(256)), b"\n\n\n", b"{}\n", b"\0" * 50, b"\xff"])
def test_a_file_that_is_no_capture(junk, tmp_path, capsys):
    """The error names what was expected and the way out; --raw takes any bytes."""
    path = tmp_path / "junk"
    path.write_bytes(junk)
    assert run(["decode", str(path)]) == 1
    error = capsys.readouterr().err.splitlines()
    assert error[0].startswith("tabletool: error: not a capture file: expected `tablewire-capture")
    assert error[0].endswith(f"({path}, line 1)")
    assert error[2] == f"next step: for bytes of a UART: tabletool decode --raw {path}"
    assert run(["decode", str(path), "--raw"]) == 0


@pytest.mark.parametrize("options", [[], ["--raw"], ["--json"]])
def test_an_empty_file(options, tmp_path, capsys):
    """A capture without frames gives a message, not silence."""
    path = tmp_path / "empty"
    path.touch()
    assert run(["decode", str(path), *options]) == 1
    error = capsys.readouterr().err.splitlines()[0]
    if "--json" in options:
        facts = json.loads(error)["error"]
        assert (facts["what"], facts["limit"]) == ("there is nothing to decode", "0 bytes")
    else:
        assert error == f"tabletool: error: there is nothing to decode ({path}, 0 bytes)"


def test_a_capture_of_silence(tmp_path, capsys):
    """A header alone is a capture in which the table sent nothing."""
    path = tmp_path / "silent.capture"
    path.write_text(HEAD)
    assert run(["decode", str(path)]) == 0
    assert capsys.readouterr().out == "0 frames; nothing skipped\n"


def test_files_that_cannot_be_read(tmp_path, monkeypatch, capsys):
    """Missing, a folder, no permission: each with the file and what to do."""
    assert run(["decode", str(tmp_path / "gone")]) == 1
    assert run(["decode", str(tmp_path)]) == 1

    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(decode, "open", refuse, raising=False)
    assert run(["decode", "locked"]) == 1
    errors = [line for line in capsys.readouterr().err.splitlines() if "error" in line]
    assert errors == [
        f"tabletool: error: cannot read the file: no such file or directory ({tmp_path / 'gone'})",
        f"tabletool: error: cannot read the file: is a directory ({tmp_path})",
        "tabletool: error: cannot read the file: permission denied (locked)",
    ]


def test_commands_of_raw_bytes_are_refused(raw, capsys):
    """Raw bytes have one direction only."""
    assert run(["decode", raw, "--raw", "--commands"]) == 1
    assert "--commands needs a capture file (--raw)" in capsys.readouterr().err


@pytest.mark.parametrize("options", [["--raw"], []])
def test_a_pipe_is_followed(options, tmp_path):
    """Each record is out before the next bytes come in, so that a live pipe can be watched."""
    with subprocess.Popen(
        [*PROGRAM, "-", "--json", *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        if not options:
            process.stdin.write(HEAD.encode())
        for place, frame in enumerate(frames()):
            data = frame if options else f"{place} < {frame.hex()}\n".encode()
            process.stdin.write(data)
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["counter"] == place + 1
        process.stdin.close()
        assert process.stdout.read() == b""
        assert process.wait(timeout=60) == 0


def test_a_device_without_an_end_is_no_file(capsys):
    """It would be read for ever; a port is for `monitor`."""
    assert run(["decode", "--raw", "/dev/zero"]) == 1
    said = capsys.readouterr().err
    assert "this is a device, not a file (/dev/zero)" in said
    assert "tabletool monitor PORT" in said


def test_a_line_with_other_settings_is_named(tmp_path, capsys):
    """An inverted line: no frame is left, and the advice is that of the line, not of an update."""
    path = tmp_path / "inverted.bin"
    path.write_bytes(bytes(byte ^ 0xFF for byte in b"".join(frames() * 3)))
    assert run(["decode", str(path), "--raw"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-2:] == [
        f"likely cause: {STRANGE}",
        "next step: check the line to the table: tabletool diag PORT",
    ]
    assert "8 data bits" in STRANGE


def test_standard_input_without_a_frame_ends():
    """`< /dev/zero` never ended: after 1 MiB without a frame it says so, with exit code 1."""
    with open("/dev/zero", "rb") as endless:
        words = [*PROGRAM, "--raw", "-"]
        done = subprocess.run(words, stdin=endless, capture_output=True, timeout=60, check=False)
    assert done.returncode == 1
    assert b"there is no table at the other end" in done.stderr
    assert b"1048576 bytes in a row belong to no frame" in done.stderr
