"""What a line does to bytes: `decode` and `monitor` name the cause; the remedy is no update."""

import random

import pytest

from host_tools.tests.test_cli_monitor import table_saying
from tabletools.capture import without_zeros
from tabletools.capture.line_faults import LineWatch
from tabletools.cli import monitor, reach
from tabletools.cli.main import run
from tabletools.decode import Decoder
from tablewire.messages import HEARTBEAT
from tablewire.sender import Sender

BEAT = (1, 0, 255, -1, 142, 0, 0, 0, 180_000, 96_000)


def frames(count=80):
    """The heartbeats of a table in half as many seconds."""
    table = Sender(3, 1)
    wire = []
    for _ in range(count):
        table.advance(500)
        wire.append(table.build(HEARTBEAT, BEAT))
    return wire


def seven_bits(data):
    return bytes(byte & 0x7F for byte in data)


def cr_to_nl(data):
    return data.replace(b"\r", b"\n")


def nl_to_cr(data):
    return data.replace(b"\n", b"\r")


def no_xon_xoff(data):
    return data.replace(b"\x11", b"").replace(b"\x13", b"")


def no_zeros(data):
    return data.replace(b"\0", b"")


LINES = [
    (seven_bits, "seven data bits", "cs8"),
    (cr_to_nl, "carriage return (0x0D) to line feed (0x0A)", "stty -F PORT raw"),
    (nl_to_cr, "line feed (0x0A) to carriage return (0x0D)", "stty -F PORT raw"),
    (no_xon_xoff, "flow control removes the bytes 0x11 (XON) and 0x13 (XOFF)", "-ixon -ixoff"),
    (no_zeros, "removes zero bytes, which end the frames", "stty -F PORT raw"),
]


@pytest.mark.parametrize(("line", "cause", "step"), LINES)
def test_decode_names_what_the_line_does(line, cause, step, tmp_path, capsys):
    """Also where most frames come through: the last two lines of the report."""
    path = tmp_path / "uart.bin"
    data = b"".join(frames())
    path.write_bytes(line(data))
    assert line(data) != data
    assert run(["decode", str(path), "--raw"]) == 0
    out = capsys.readouterr().out
    named, advice = out.splitlines()[-2:]
    assert named.startswith("likely cause: ")
    assert cause in named
    assert advice.startswith("next step: ")
    assert step in advice
    assert "another wire" not in out
    assert "update" not in out


@pytest.mark.parametrize(("line", "cause", "step"), LINES)
def test_monitor_names_what_the_line_does(line, cause, step, monkeypatch, capsys):
    """On standard error with exit code 3 where no frame comes through, else below the picture."""
    monkeypatch.setattr(reach, "ANSWER_WITHIN_S", 1.0)
    monkeypatch.setattr(monitor, "LOOK_S", 0.2)
    wire = frames()
    with table_saying(line(b"".join(wire))) as (url, _):
        code = run(["monitor", url, "--once"])
    said = capsys.readouterr()
    is_through = any(line(frame) == frame for frame in wire)
    assert code == (0 if is_through else 3)
    lines = (said.out if is_through else said.err).splitlines()
    [place] = [n for n, text in enumerate(lines) if text.startswith("likely cause: ")]
    assert cause in lines[place]
    assert step in lines[place + 1]
    assert "another wire" not in said.out + said.err


@pytest.mark.parametrize("seed", range(5))
def test_noise_and_a_wrong_speed_prove_nothing(seed):
    """Random bytes, and frames of which each has a random byte changed: no cause is certain."""
    noise = random.Random(seed)
    decoder = Decoder()
    decoder.feed(noise.randbytes(20_000))
    for frame in frames(60):
        place = noise.randrange(len(frame) - 1)
        flipped = frame[place] ^ noise.randrange(1, 256)
        decoder.feed(frame[:place] + bytes([flipped or 1]) + frame[place + 1 :])
    assert decoder.refused > 50
    assert decoder.hint is None
    assert without_zeros(bytes(noise.randrange(1, 256) for _ in range(1000))) is None


def test_one_frame_is_no_proof():
    """The same damaged frame however often it comes; a second one proves it."""
    first, second = [cr_to_nl(frame) for frame in frames(200) if b"\r" in frame][:2]
    watch = LineWatch()
    assert [watch.look(first) for _ in range(10)] == [None] * 10
    cause = watch.look(second)
    assert cause is not None
    assert "carriage return" in cause.text
