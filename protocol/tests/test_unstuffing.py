"""A host unstuffs as the device does, whatever came before."""

from hypothesis import given, settings
from hypothesis import strategies as st

from tablewire import cobs, unstuffing
from tablewire.cobs import stuff

BODIES = st.lists(st.sampled_from([0, 0, 1, 2, 255]), min_size=1, max_size=254).map(bytes)


def stuffed(body):
    """The frame of a body, without its delimiter."""
    buf = bytearray(b"\0" + body + b"\0")
    return bytes(buf[: stuff(buf, len(body)) - 1])


def unstuff(piece):
    """The body of one piece."""
    [body] = unstuffing.bodies([piece])
    return body


@settings(deadline=None)
@given(st.lists(BODIES | st.binary(min_size=1, max_size=12), max_size=20))
def test_what_was_stuffed_comes_back(bodies):
    """Also where frames of one length alternate, so that chains are kept and given up."""
    for body in [*bodies, *bodies, *reversed(bodies)]:
        assert unstuff(stuffed(body)) == body


@settings(deadline=None)
@given(st.lists(st.binary(min_size=1, max_size=6).map(lambda data: data.replace(b"\0", b"\1"))))
def test_both_say_the_same_of_any_bytes(pieces):
    """What is no COBS is none, however often it comes."""
    for piece in [*pieces, *pieces]:
        plain = cobs.unstuff(piece)
        assert unstuff(piece) == (None if plain is None else bytes(plain))


def test_a_piece_without_a_body():
    """Of both: idle line, 255 bytes, which are 254 and their first code, and one byte too many."""
    longest = stuffed(bytes(254))
    for bodies in (cobs.bodies, unstuffing.bodies):
        pieces = bodies([b"", longest, longest + b"\1", b"\2\7"])
        assert [body and bytes(body) for body in pieces] == [None, bytes(254), None, b"\7"]


def test_a_kept_chain_is_left_where_one_code_differs():
    """By hand: 02 11 02 22 is 11 00 22, 01 03 02 22 is 00 02 22; a code of 9 passes the end."""
    for _ in range(3):
        assert unstuff(b"\x02\x11\x02\x22") == b"\x11\0\x22"
        assert unstuff(b"\x04\x11\x02\x22") == b"\x11\x02\x22"
        assert unstuff(b"\x01\x03\x02\x22") == b"\0\x02\x22"
        assert unstuff(b"\x02\x11\x09\x22") is None


def test_a_zero_byte_more_splits_one_code_in_two():
    """By hand: 05 11 22 33 44 is 11 22 33 44; each other has one zero byte more, or is no COBS."""
    for _ in range(3):
        assert unstuff(b"\x05\x11\x22\x33\x44") == b"\x11\x22\x33\x44"
        assert unstuff(b"\x01\x04\x22\x33\x44") == b"\0\x22\x33\x44"
        assert unstuff(b"\x03\x11\x02\x33\x44") is None
        assert unstuff(b"\x02\x11\x03\x33\x44") == b"\x11\0\x33\x44"
        assert unstuff(b"\x03\x11\x22\x02\x44") == b"\x11\x22\0\x44"
        assert unstuff(b"\x04\x11\x22\x33\x01") == b"\x11\x22\x33\0"
        assert unstuff(b"\x03\x11\x22\x01\x01") == b"\x11\x22\0\0"
        assert unstuff(b"\x06\x11\x22\x33\x44") is None
        assert unstuff(b"\x01\x05\x22\x33\x44") is None
