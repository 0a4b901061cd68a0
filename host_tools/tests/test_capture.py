"""Capture files: what is written is read back; a damaged line is named and costs only itself."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabletools.capture import CaptureError, Chunk, Damage, Reader, Writer
from tabletools.decode import Decoder, from_capture
from tablewire.sender import Sender

HEAD = b'tablewire-capture 1 {"source": "test"}\n'
# zlib.crc32 of each text, in hex, by another program: `printf '%s' TEXT | gzip -c | tail -c8`.
SEALED = (
    b'tablewire-capture 2 {"source": "test"} 46bb2e07\n',
    b"0 < 0 0102 13ff2f9f\n",
    b"900 > 0 aa 62a99707\n",
    b"1500 < 2 ff 2f98502b\n",
)


def read(data):
    return list(Reader(io.BytesIO(data)))


def test_the_format_is_this():
    """A header line with JSON, then time, direction, offset and hex; a checksum ends each line."""
    reader = Reader(io.BytesIO(b"".join(SEALED)))
    assert reader.meta == {"source": "test"}
    chunks = [Chunk(0, "<", b"\x01\x02", 0), Chunk(900, ">", b"\xaa", 0)]
    assert list(reader) == [*chunks, Chunk(1500, "<", b"\xff", 2)]
    text = io.StringIO()
    writer = Writer(text, {"source": "test"})
    for chunk in chunks:
        writer.chunk(*chunk[:3])
    assert text.getvalue().encode() == b"".join(SEALED[:3])


def test_a_file_of_version_1_is_read():
    """Without offset and checksum: written by hand."""
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
    ends = {"<": 0, ">": 0}
    expected = []
    for t_us, direction, data in chunks:
        expected.append(Chunk(t_us, direction, data, ends[direction]))
        ends[direction] += len(data)
    assert read(text.getvalue().encode("ascii")) == expected


@given(st.integers(0, 3), st.integers(0, 10**6))
def test_a_flipped_bit_costs_its_line_alone(place, bit):
    """Any bit of any line, the header too: one damage, the other chunks as they were."""
    lines = [bytearray(line) for line in SEALED]
    bit %= 8 * (len(lines[place]) - 1)
    lines[place][bit // 8] ^= 1 << bit % 8
    items = read(b"".join(lines))
    whole = read(b"".join(SEALED))
    chunks = [item for item in items if isinstance(item, Chunk)]
    assert chunks == [chunk for number, chunk in enumerate(whole, 1) if number != place]
    damages = [item for item in items if isinstance(item, Damage)]
    # A bit may turn a character into an end of line: then the line is two damaged ones.
    assert {damage.line - place - 1 for damage in damages} <= {0, 1}
    assert sum(damage.length for damage in damages) == len(SEALED[place])
    assert damages[0].offset == sum(map(len, SEALED[:place]))


@pytest.mark.parametrize(
    ("order", "what"),
    [
        ((0, 2, 3), "2 bytes of < are missing before it"),
        ((0, 1, 2, 2, 3), "bytes 0 on of > were there before"),
    ],
)
def test_a_line_lost_or_twice_is_reported(order, what):
    """Missing or copied lines are found by their offsets; no byte is decoded twice."""
    items = read(b"".join(SEALED[place] for place in order))
    assert [item.what for item in items if isinstance(item, Damage)] == [what]
    chunks = [item.offset for item in items if isinstance(item, Chunk) and item.direction == "<"]
    assert chunks[-1] == 2


def test_offsets_after_a_damaged_line_are_those_of_the_link():
    """The frame begun is cut; the frame after the damage is at its original place."""
    first, second = (Sender(7, 3).build(0x03, (2, 1)) for _ in range(2))
    text = io.StringIO()
    writer = Writer(text, {})
    for t_us, data in enumerate((first[:9], first[9:20], first[20:], second), 1):
        writer.chunk(t_us, "<", data)
    data = text.getvalue().replace(first[9:20].hex(), first[8:19].hex(), 1).encode()
    records = list(from_capture(io.BytesIO(data), Decoder(), Decoder()))
    rows = [(r["type"], r.get("reason"), r["offset"], r["length"]) for r in records]
    assert rows[1:] == [
        ("skipped", "truncated", 0, 9),
        ("skipped", records[2]["reason"], 20, len(first) - 20),
        ("state", None, len(first), len(second)),
    ]
    assert (records[0]["reason"], records[0]["line"]) == ("line", 3)


def test_long_chunks_become_several_lines():
    """No line outgrows what the reader takes."""
    text = io.StringIO()
    Writer(text, {}).chunk(5, "<", bytes(10_000))
    chunks = read(text.getvalue().encode())
    assert [(chunk.t_us, chunk.offset) for chunk in chunks] == [(5, 0), (5, 4096), (5, 8192)]
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
    items = read(HEAD + b"1 < aa\n" + line + b"\n2 < bb\n")
    assert items[0] == Chunk(1, "<", b"\xaa")
    assert items[1] == Damage(3, len(HEAD) + 7, len(line) + 1, what)
    assert items[2] == Chunk(2, "<", b"\xbb")


def test_windows_line_ends_and_a_missing_last_one_are_read():
    """What mail and editors do to a text file does not damage it."""
    assert read(HEAD + b"1 < aa\r\n\r\n2 < bb") == [Chunk(1, "<", b"\xaa"), Chunk(2, "<", b"\xbb")]


@pytest.mark.parametrize(
    ("head", "what"),
    [
        (b"", "expected `tablewire-capture 2 {...}`, found nothing"),
        (b"\x7fELF\x02", "expected `tablewire-capture 2 {...}`, found '\\x7fELF\\x02'"),
        (b"tablewire-capture 3 {} d78ab4b5\n", "capture version '3', expected 1 or 2"),
    ],
)
def test_another_file_is_refused(head, what):
    """The first line decides; the error states what was expected and what was found."""
    with pytest.raises(CaptureError) as caught:
        Reader(io.BytesIO(head))
    assert (caught.value.line, caught.value.what) == (1, what)


@pytest.mark.parametrize("head", [b"1\n", b"1 {\n", b"1 [1]\n", b"2 {}\n", b"2 {} 12345678\n"])
def test_a_damaged_header_costs_itself(head):
    """Both versions are read: the first line determines which one it is."""
    head = b"tablewire-capture " + head
    for line, chunk in (
        (b"1 < aa\n", Chunk(1, "<", b"\xaa")),
        (SEALED[1], Chunk(0, "<", b"\x01\x02", 0)),
    ):
        reader = Reader(io.BytesIO(head + line))
        damage, whole_chunk = reader
        assert (reader.meta, damage.line, damage.offset, damage.length) == ({}, 1, 0, len(head))
        assert whole_chunk == chunk


def test_a_damaged_line_is_a_skipped_record():
    """Decoding reports it by file line, and the frame it belonged to as a skip of the link."""
    first, second = (Sender(7, 3).build(0x03, (2, 1)) for _ in range(2))
    lines = [b"1 < " + first[:9].hex().encode(), b"2 < zz", b"3 < " + first[12:].hex().encode()]
    data = HEAD + b"\n".join([*lines, b"4 < " + second.hex().encode()])
    records = list(from_capture(io.BytesIO(data), Decoder(), Decoder()))
    assert [record["type"] for record in records] == ["skipped", "skipped", "state"]
    assert (records[0]["reason"], records[0]["line"]) == ("line", 3)
    assert (records[1]["offset"], records[1]["length"]) == (0, len(first) - 3)
    assert records[2]["t_us"] == 4


def test_directions_are_separate_streams():
    """Commands between two halves of a frame do not break it; they are shown only on request."""
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
    """One flipped bit turns `<` into `>`: the frame has no direction then, and is reported."""
    state = Sender(7, 3).build(0x03, (2, 1)).hex().encode()
    command = Sender(7, 3).build(0x42).hex().encode()
    data = HEAD + b"1 > " + state + b"\n2 < " + command + b"\n"
    table, host = Decoder(sender="table"), Decoder(sender="host")
    records = list(from_capture(io.BytesIO(data), table, host))
    assert [record["reason"] for record in records] == ["direction", "direction"]
    assert [record["detail"] for record in records] == [
        "state is sent by the table only",
        "open_bets is sent by the host only",
    ]
