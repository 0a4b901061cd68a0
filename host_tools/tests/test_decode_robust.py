"""Bad input: nothing wrong is believed, everything skipped is reported, whatever came before."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hil_tests.thinned import share
from tabletools.decode import Decoder, SeedWatch, implied_seed
from tablewire.cobs import unstuff
from tablewire.messages import HEARTBEAT, SEED, STATE
from tablewire.roulette import WHEEL_RESULT
from tablewire.sender import Sender

RESULT = (17, 8, 1, 12, 1525, 1, -1, 142, 890, 15210, 4400, 1, 250, -128)
BEAT = (2, 0, 255, -1, 142, 0, 0, 0, 180000, 96_000)


def stream(count, seed=SEED):
    """`count` different frames of one device."""
    sender = Sender(7, 3, seed)
    return [
        sender.build(WHEEL_RESULT, RESULT, 2) if n % 2 else sender.build(HEARTBEAT, BEAT)
        for n in range(count)
    ]


def decoded(*pieces):
    decoder = Decoder()
    records = [record for piece in pieces for record in decoder.feed(piece)]
    return records + decoder.finish()


def counters(records):
    return [record["counter"] for record in records if record["type"] != "skipped"]


def reasons(records):
    return [record["reason"] for record in records if record["type"] == "skipped"]


def mostly_frames():
    """Streams of frames, noise and zeros in any order."""
    part = st.sampled_from(stream(4)) | st.binary(max_size=300) | st.just(b"\0")
    return st.lists(part, max_size=8).map(b"".join)


@settings(max_examples=share(300, 3), deadline=None)
@given(mostly_frames())
def test_every_byte_is_in_a_record_or_is_idle_line(data):
    """Records do not overlap, stand in order, and leave out nothing but lone zero bytes."""
    records = decoded(data)
    ends = [0, *(r["offset"] + r["length"] for r in records)]
    starts = [*(r["offset"] for r in records), len(data)]
    for end, start in zip(ends, starts, strict=True):
        assert not data[end:start].strip(b"\0")
        assert end <= start


@settings(max_examples=share(200, 3), deadline=None)
@given(mostly_frames(), st.lists(st.integers(0, 2000), max_size=6))
def test_any_split_gives_the_same_records(data, cuts):
    """Where the reads happened to end does not matter."""
    places = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    assert decoded(*(data[a:b] for a, b in pairwise(places))) == decoded(data)


@settings(max_examples=share(20, 3), deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(0, 65535))
def test_no_flipped_bit_is_accepted(device, elapsed):
    """Each bit of a frame flipped alone: no record of that frame, and a reported skip."""
    sender = Sender(device, 3)
    sender.advance(elapsed)
    wire = sender.build(STATE, (2, 1))
    for bit in range(8 * len(wire)):
        bad = bytearray(wire)
        bad[bit // 8] ^= 1 << bit % 8
        records = decoded(bytes(bad))
        assert not counters(records)
        assert sum(record["length"] for record in records) + bytes(bad).count(0) >= len(bad)


@settings(max_examples=share(200, 3), deadline=None)
@given(st.binary(max_size=600))
def test_garbage_and_a_delimiter_never_cost_the_next_frame(garbage):
    """After any bytes and one zero, the frame that follows is found."""
    [frame] = stream(1)
    assert counters(decoded(garbage + b"\0" + frame))[-1] == 1


def test_garbage_without_a_delimiter_costs_one_frame():
    """Noise that runs into a frame takes that frame with it and nothing after it."""
    frames = stream(3)
    records = decoded(b"\x55\xaa" + b"".join(frames))
    assert counters(records) == [2, 3]
    assert (records[0]["offset"], records[0]["length"]) == (0, 2 + len(frames[0]))


def test_a_truncated_frame_is_reported():
    """A frame cut by the end of the stream; a frame cut by the next one's start."""
    first, second, third = stream(3)
    assert reasons(decoded(first[:-5])) == ["truncated"]
    records = decoded(first[:-5] + b"\0" + second + third)
    assert counters(records) == [2, 3]
    assert reasons(records) == ["cobs"]


def test_merged_frames_are_not_believed():
    """Two frames whose delimiter was lost are one skip; later frames are unaffected."""
    first, second, third = stream(3)
    records = decoded(first[:-1] + second + third)
    assert counters(records) == [3]
    assert len(reasons(records)) == 1
    assert records[0]["length"] == len(first) - 1 + len(second)


def test_a_duplicated_frame_is_shown_twice():
    """Decoding shows what the line carried; the link is what drops duplicates."""
    [frame] = stream(1)
    assert counters(decoded(frame * 2)) == [1, 1]


def test_silence_then_a_burst_loses_nothing():
    """134 s of silence, then 200 frames in 34 ms: each with the right time and counter."""
    decoder = Decoder()
    frames = stream(201)
    records = decoder.feed(frames[0], 0)
    for n, frame in enumerate(frames[1:]):
        records += decoder.feed(frame, 134_000_000 + n * 170)
    assert counters(records) == list(range(1, 202))
    assert not reasons(records)
    assert records[-1]["t_us"] - records[1]["t_us"] == 33_830


def test_an_endless_run_without_delimiter_stays_small():
    """A line stuck at one level is one overlong skip, and memory does not grow with it."""
    decoder = Decoder()
    for _ in range(1000):
        assert decoder.feed(b"\xff" * 1000) == []
    assert len(decoder._window) <= 1256
    [skip] = decoder.feed(b"\0")
    assert (skip["reason"], skip["length"]) == ("overlong", 1_000_001)


@settings(max_examples=share(100, 3), deadline=None)
@given(st.integers(0, 2**32 - 1), st.binary(min_size=8, max_size=8))
def test_the_seed_is_read_back_from_a_sum(seed, nonce):
    """Whatever seed closed a frame, running the sum backwards finds it."""
    wire = Sender(1, 2, seed).build(0x40, (nonce,))
    assert implied_seed(bytes(unstuff(wire[:-1]))) == seed


def test_the_seed_of_the_check_value_is_zero():
    """Source: the catalogue's check value, CRC-32 of "123456789" from seed 0 is 0xCBF43926."""
    assert implied_seed(b"123456789" + (0xCBF43926).to_bytes(4, "little")) == 0


def test_another_schema_is_diagnosed_after_three_frames():
    """Three different frames that agree on a seed name both schemas; two do not."""
    decoder = Decoder(seed=0x22222222)
    records = decoder.feed(b"".join(stream(4, seed=0x677ABCFC)))
    text = "the sender uses another wire: its CRC has seed 0x677ABCFC, here 0x22222222"
    assert [record.get("hint") for record in records] == [None, None, text, text]
    assert decoder.hint == text


@pytest.mark.parametrize("bit", range(8))
def test_equal_damage_is_no_other_schema(bit):
    """A line that turns the same bit of each frame gives all the same seed: it is no version's."""
    decoder = Decoder()
    seeds = set()
    for frame in stream(20):
        bad = bytearray(frame)
        bad[4] ^= 1 << bit
        body = unstuff(bytes(bad[:-1]))
        if body is not None:
            seeds.add(implied_seed(bytes(body)))
        decoder.feed(bytes(bad))
    assert (len(seeds), decoder.hint) == (1, None)


def test_noise_and_repeats_are_no_other_schema():
    """Flipped bits give no hint, nor does the same damaged frame however often it comes."""
    decoder = Decoder()
    for n, frame in enumerate(stream(50)):
        place = 2 + n % 20
        decoder.feed(frame[:place] + bytes([frame[place] ^ 1 << n % 8 or 1]) + frame[place + 1 :])
    assert decoder.refused > 0
    bad = bytearray(stream(1)[0])
    bad[4] ^= 0x10
    decoder.feed(bytes(bad) * 10)
    assert decoder.hint is None


@pytest.mark.parametrize("data", [b"\0", b"\x01\0", b"\x05\x01\0", b"\x02\x01\x01\0"])
def test_the_watch_takes_any_bytes(data):
    """Bytes too few to hold a sum, or no COBS, are no evidence."""
    assert SeedWatch().look(data) is None
