"""Capture files: what is written is read back; a damaged line is named and costs only itself."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabletools.capture import CaptureError, Chunk, Damage, Reader, Writer
from tabletools.decode import Decoder, from_capture
from tablewire.sender import Sender

HEAD = b'tablewire-capture 1 {"source": "test"}\n'


def read(data):
    return list(Reader(io.BytesIO(data)))


def test_the_format_is_this():
    """A header line with JSON, then time, direction and hex: written by hand."""
    reader = Reader(io.BytesIO(HEAD + b"0 < 0102\n1500 > ff\n"))
    assert reader.meta == {"source": "test"}
    assert list(reader) == [Chunk(0, "<", b"\x01\x02"), Chunk(1500, ">", b"\xff")]


@given(st.lists(st.tuples(st.integers(0, 10**15), st.sampled_from("<>"), st.binary(min_size=1))))
def test_what_is_written_is_read_back(chunks):
    """Any chunks survive the file unchanged."""
    text = io.StringIO()
    writer = Writer(text, {"source": "é"})
    for chunk in chunks:
        writer.chunk(*chunk)
    assert read(text.getvalue().encode("ascii")) == [Chunk(*chunk) for chunk in chunks]


def test_long_chunks_become_several_lines():
    """No line outgrows what the reader takes."""
    text = io.StringIO()
    Writer(text, {}).chunk(5, "<", bytes(10_000))
    chunks = read(text.getvalue().encode())
    assert [chunk.t_us for chunk in chunks] == [5, 5, 5]
    assert b"".join(chunk.data for chunk in chunks) == bytes(10_000)


@pytest.mark.parametrize(
    ("line", "what"),
    [
        (b"12 < 0", "1 hex digits: the last byte is cut in half"),
        (b"x < 00", "time 'x' is not microseconds"),
        (b"-1 < 00", "time '-1' is not microseconds"),
        (b"9999999999999999999 < 00", "time '9999999999999999999' is not microseconds"),
        (b"12 = 00", "direction '=' is not < or >"),
        (b"12 < 0g", "bytes '0g' are not hex digits"),
        (b"12 <", "expected `t_us < hex`, found '12 <'"),
        (b"12 < 00 11", "expected `t_us < hex`, found '12 < 00 11'"),
        (HEAD.strip(), "a second header"),
        (b"\x00\xff\x80", "expected `t_us < hex`, found '\\x00\\\\xff\\\\x80'"),
    ],
)
def test_a_damaged_line_is_named(line, what):
    """The line's number, place, size and what is wrong with it; its neighbours are read."""
    found = read(HEAD + b"1 < aa\n" + line + b"\n2 < bb\n")
    assert found[0] == Chunk(1, "<", b"\xaa")
    assert found[1] == Damage(3, len(HEAD) + 7, len(line) + 1, what)
    assert found[2] == Chunk(2, "<", b"\xbb")


def test_windows_line_ends_and_a_missing_last_one_are_read():
    """What mail and editors do to a text file does not damage it."""
    assert read(HEAD + b"1 < aa\r\n\r\n2 < bb") == [Chunk(1, "<", b"\xaa"), Chunk(2, "<", b"\xbb")]


@pytest.mark.parametrize(
    ("head", "what"),
    [
        (b"", "expected `tablewire-capture 1 {...}`, found nothing"),
        (b"\x7fELF\x02", "expected `tablewire-capture 1 {...}`, found '\\x7fELF\\x02'"),
        (b"tablewire-capture 2 {}\n", "capture version '2', expected 1"),
        (b"tablewire-capture 1\n", "capture version '1', expected 1"),
        (b"tablewire-capture 1 {\n", "expected a JSON object after the version, found '{\\n'"),
        (b"tablewire-capture 1 [1]\n", "expected a JSON object after the version, found '[1]\\n'"),
    ],
)
def test_another_file_is_refused(head, what):
    """The first line decides; the error says what was expected and what was found."""
    with pytest.raises(CaptureError) as caught:
        Reader(io.BytesIO(head))
    assert (caught.value.line, caught.value.what) == (1, what)


def test_a_damaged_line_is_a_skipped_record():
    """Decoding reports it by file line, and the frame it belonged to as a skip of the link."""
    first, second = (Sender(7, 3).build(0x03, (2, 1)) for _ in range(2))
    lines = [b"1 < " + first[:9].hex().encode(), b"2 < zz", b"3 < " + first[12:].hex().encode()]
    data = HEAD + b"\n".join([*lines, b"4 < " + second.hex().encode()])
    found = list(from_capture(io.BytesIO(data), Decoder(), Decoder()))
    assert [record["type"] for record in found] == ["skipped", "skipped", "state"]
    assert (found[0]["reason"], found[0]["line"]) == ("line", 3)
    assert (found[1]["offset"], found[1]["length"]) == (0, len(first) - 3)
    assert found[2]["t_us"] == 4


def test_directions_are_separate_streams():
    """Commands between two halves of a frame do not break it; they show only when asked for."""
    frame = Sender(7, 3).build(0x03, (2, 1)).hex().encode()
    command = Sender(7, 3).build(0x42).hex().encode()
    lines = [b"1 < " + frame[:20], b"2 > " + command, b"3 < " + frame[20:]]
    data = HEAD + b"\n".join(lines)
    [record] = from_capture(io.BytesIO(data), Decoder(), Decoder())
    assert (record["type"], record["t_us"]) == ("state", 3)
    host = Decoder(direction="host_to_table")
    both = from_capture(io.BytesIO(data), Decoder(), host, commands=True)
    assert [(r["type"], r.get("direction")) for r in both] == [
        ("open_bets", "host_to_table"),
        ("state", None),
    ]


def test_a_line_that_changed_sides_is_skipped_not_lost():
    """One flipped bit makes `<` of `>` and back: the frame then belongs to nobody, and shows."""
    state = Sender(7, 3).build(0x03, (2, 1)).hex().encode()
    command = Sender(7, 3).build(0x42).hex().encode()
    data = HEAD + b"1 > " + state + b"\n2 < " + command + b"\n"
    table, host = Decoder(sender="table"), Decoder(sender="host")
    found = list(from_capture(io.BytesIO(data), table, host))
    assert [record["reason"] for record in found] == ["direction", "direction"]
    assert [record["detail"] for record in found] == [
        "state is sent by the table only",
        "open_bets is sent by the host only",
    ]
