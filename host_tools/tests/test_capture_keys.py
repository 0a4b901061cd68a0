"""No key lands in a capture, however its frame arrives; everything else does as it was."""

import io
import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabletools.capture import FROM_TABLE, TO_TABLE, Chunk, Reader, Withheld, Writer
from tabletools.cli.main import run
from tablewire.messages import ACKNOWLEDGE, IDENTIFY, SET_KEY
from tablewire.seal import Mac
from tablewire.sender import Sender

# No byte of it is in a frame without it.
SECRET = bytes(range(0xC0, 0xE0))
RUNS = [SECRET[start : start + 4] for start in range(len(SECRET) - 3)]


def host(mac=None):
    sender = Sender(7, 3)
    sender.mac = mac
    return [
        sender.build(IDENTIFY, (b"12345678",)),
        sender.build(SET_KEY, (2, 4711, SECRET)),
        sender.build(ACKNOWLEDGE, (3, 9)),
    ]


def capture(pieces, direction=TO_TABLE):
    """The file that keeps these pieces, and the bytes in it."""
    file = io.StringIO()
    withheld = Withheld(Writer(file, {}).chunk)
    for t_us, piece in enumerate(pieces):
        withheld.chunk(t_us, direction, piece)
    withheld.close()
    chunks = list(Reader(io.BytesIO(file.getvalue().encode())))
    assert all(isinstance(chunk, Chunk) for chunk in chunks)
    return file.getvalue(), b"".join(chunk.data for chunk in chunks)


def holds_key(text, data):
    return any(part in data or part.hex() in text for part in RUNS)


cuts = st.lists(st.integers(0, 200), max_size=12).map(sorted)


@given(cuts, st.sampled_from((b"", b"\0", b"\0\0")), st.booleans(), st.booleans())
def test_a_key_is_withheld_however_it_is_cut(places, before, is_sealed, is_whole):
    """In the clear or under a tag, in one piece or many, with its end or without; same length."""
    wires = host(Mac(bytes(32)) if is_sealed else None)
    stream = before + b"".join(wires)
    if not is_whole:
        stream = stream[: -len(wires[2]) - 1]
    edges = [0, *places, len(stream)]
    pieces = [stream[a:b] for a, b in pairwise(edges)]
    text, data = capture(pieces)
    assert not holds_key(text, data)
    assert len(data) == len(stream)
    place = len(before) + len(wires[0])
    assert data[:place] == stream[:place]
    assert data[place + len(wires[1]) :] == stream[place + len(wires[1]) :]


@given(st.binary(max_size=300), st.integers(0, 60))
def test_a_key_in_noise_is_withheld(noise, place):
    """A key is found and hidden whatever precedes it on the line or was lost after it."""
    wire = host()[1]
    for stream in (noise.replace(b"\0", b"\1") + wire, wire[:place] + b"\0", wire[:place] + wire):
        assert not holds_key(*capture([stream]))


def test_the_frame_still_shows(tmp_path, capsys):
    """Who was given which key when: number and serial stay, the key is withheld."""
    file = tmp_path / "night.capture"
    file.write_text(capture([b"".join(host())])[0])
    assert run(["decode", str(file), "--commands", "--json", "--strict"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["type"] for row in rows] == ["identify", "set_key", "acknowledge"]
    assert (rows[1]["number"], rows[1]["serial"], rows[1]["secret"]) == (2, 4711, "withheld")
    assert rows[1]["counter"] == 2


@pytest.mark.parametrize("direction", [FROM_TABLE, TO_TABLE])
def test_all_else_is_as_it_was(direction):
    """Frames, noise, half a frame."""
    stream = host()[0] + b"noise\0\0" + bytes(range(1, 40)) + b"\0" + host()[2][:9]
    assert capture([stream[:20], stream[20:]], direction)[1] == stream


@pytest.mark.parametrize("length", [300, 5000])
def test_a_run_longer_than_any_frame_is_blanked(length):
    """It costs no memory, and what comes after its end is kept."""
    ends = b"\0" + host()[2]
    _, data = capture([b"A" * length + ends])
    assert (len(data), data[-len(ends) :]) == (length + len(ends), ends)
