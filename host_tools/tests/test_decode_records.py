"""Records against construct, the definition: every message, every field, random valid values."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hil_tests.thinned import share
from tablespec import names
from tablespec.frame import body
from tablespec.message_list import BY_ID, MESSAGES
from tabletools import decode
from tabletools.decode import Decoder
from tablewire.cobs import unstuff
from tablewire.codec import parse
from tablewire.crc import seal
from tablewire.messages import SEED
from tablewire.sender import Sender

HEADER = ("minor", "device", "boot", "counter", "uptime_ms", "round")
PLACE = ("type", "flags", "authenticated", "seal", "offset", "length")
FLAG_NAMES = {1: "authenticated", 2: "durable", 4: "test_mode", 8: "retransmitted"}


def values_of(facts):
    """Every value the definition allows in one field, the unknown one included."""
    if facts.code.endswith("s"):
        size = int(facts.code[:-1])
        return st.binary(min_size=size, max_size=size)
    known = (
        st.sampled_from([value for value, _ in facts.names])
        if facts.names
        else st.integers(facts.low, facts.high)
    )
    return known if facts.unknown is None else known | st.just(facts.unknown)


@st.composite
def frames(draw):
    """One frame of any message with valid values, as (message, bytes on the wire)."""
    message = draw(st.sampled_from(MESSAGES))
    values = [draw(values_of(facts)) for _, facts in message.facts()]
    u32 = st.integers(0, 2**32 - 1)
    sender = Sender(draw(u32), draw(u32))
    sender.round = draw(u32)
    sender.advance(draw(st.integers(0, 65535)))
    flags = draw(st.sampled_from([0, 2, 4, 8, 14]))
    return message, sender.build(message.id, values, flags)


def expected_value(facts, value):
    """What the record must show for a raw value, from the definition."""
    if value == facts.unknown:
        return None
    if facts.names:
        return dict(facts.names)[value]
    return value.hex() if isinstance(value, bytes) else value


@settings(max_examples=share(400, 3), deadline=None)
@given(frames())
def test_records_equal_construct(example):
    """Header and every payload field are what construct parses from the same bytes."""
    message, wire = example
    parsed = body(message.payload).parse(bytes(unstuff(wire[:-1])))
    [record_read] = Decoder().feed(wire)
    assert record_read["type"] == message.name
    assert [record_read[name] for name in HEADER] == [parsed.header[name] for name in HEADER]
    assert record_read["flags"] == [
        n for bit, n in FLAG_NAMES.items() if parsed.header.flags & bit
    ]
    for name, facts in message.facts():
        if name not in ("board", "command", "contradicts", "host", "secret"):
            assert record_read[name] == expected_value(facts, parsed.payload[name]), name
        if facts.names is names.REASON:
            assert record_read["code"] == (parsed.payload[name] or None)


def test_payload_names_never_hide_the_header():
    """No field of any message is named like a part of the record that every frame has."""
    for message in MESSAGES:
        fields = {name for name, _ in message.facts()}
        assert not fields & {*HEADER, *PLACE, "direction", "t_us", "code", "key_name"}


def one(ident, values, flags=0):
    sender = Sender(0x01020304, 9)
    sender.round = 4711
    sender.advance(1500)
    [result] = Decoder().feed(sender.build(ident, values, flags))
    return result


def test_a_number_is_the_text_printed_on_the_wheel():
    """A result of the double zero names it "00"; its fields keep their units."""
    record = one(0x12, [37, 19, 1, 12, 1525, 1, -1, 142, 890, 15210, 4400, 2, 431, -128], 2)
    assert record == {
        "type": "wheel_result",
        "device": 16909060,
        "boot": 9,
        "counter": 1,
        "uptime_ms": 1500,
        "round": 4711,
        "pocket": "00",
        "pocket_index": 19,
        "sensor": "array",
        "agreements": 12,
        "circuits_centi": 1525,
        "ball_direction": "clockwise",
        "rotor_direction": "counter_clockwise",
        "rotor_drpm": 142,
        "last_lap_ms": 890,
        "track_ms": 15210,
        "result_ms": 4400,
        "drop_rim": 2,
        "friction_ddegss": 431,
        "head_off_centi": None,
        "flags": ["durable"],
        "authenticated": False,
        "seal": "none",
        "offset": 0,
        "minor": 1,
        "role": None,
        "echo": None,
        "echo_ms": None,
        "length": 61,
    }


def test_a_void_has_name_and_code_and_nulls():
    """A void names its reason and number; everything unknown is null."""
    record = one(0x13, [102, 3, 255, 65535, 0, 0, 65535, 65535], 2)
    assert (record["reason"], record["code"]) == ("ball_with_rotor", 102)
    assert record["phase"] == "ball_in_rim"
    unknown = ("input", "progress_centi", "object_direction", "machine_drpm", "last_lap_ms")
    assert [record[name] for name in (*unknown, "sensor")] == [None] * 6


@pytest.mark.parametrize(("ident", "values"), [(0x14, [401, 8, 1, 0]), (0x15, [401, 8, 2500])])
def test_a_fault_has_name_and_code(ident, values):
    """Raised and cleared faults carry the name, the number and the sensor."""
    record = one(ident, values)
    assert (record["fault"], record["code"], record["sensor"]) == ("tilt", 401, "tilt")


def test_bytes_are_hex_and_the_board_is_text():
    """The nonce is hex; the board name is text without padding, odd bytes made visible."""
    values = [bytes(range(8)), 0x8A904652, 0, 1, 0, 1, 0, 2, b"pico\n2\xff", bytes(8), 0]
    record = one(0x01, values)
    assert record["nonce"] == "0001020304050607"
    assert record["board"] == "pico\\x0a2\\xff"
    assert (record["role"], record["reset_cause"]) == ("roulette", "watchdog")
    assert record["authentication"] == "unauthenticated"


def test_a_refusal_names_the_command():
    """The command refused is named; a type this host does not know is shown in hex."""
    assert one(0x05, [0x46, 5, 2, 30, 1, 20, 0])["command"] == "set_configuration"
    assert one(0x05, [0x7F, 5, 2, 30, 1, 20, 0])["command"] == "0x7f"


def test_a_refusal_names_the_key_in_the_way():
    """By its name where this host knows it, by its number elsewhere, 0 for none."""
    contradicts = [
        one(0x05, [0x46, 5, 9, 300, 10, 299, key])["contradicts"] for key in (19, 200, 0)
    ]
    assert contradicts == ["rotor_max_drpm", 200, 0]


def test_a_configuration_names_its_key():
    """A key this host knows has its name beside the number; another has null."""
    assert one(0x04, [8, 7, 7, 1, 20])["key_name"] == "min_circuits"
    assert one(0x04, [200, 7, 7, 1, 20])["key_name"] is None


def test_a_tag_is_unverified_not_trusted():
    """A frame with a tag is not authenticated here: there is no key to verify it with."""
    body = bytearray([0, 1, 0x42, 1, *bytes(28), *bytes(16), 0, 0, 0, 0])
    seal(body, 47, SEED & 0xFFFF, SEED >> 16)
    record = decode.record(parse(body[1:]))
    assert record["authenticated"] is False
    assert record["seal"] == "unverified"
    assert record["flags"] == ["authenticated"]


@settings(max_examples=share(200, 3), deadline=None)
@given(frames())
def test_every_record_has_a_readable_line(example):
    """Any valid frame, unknown values included, is one printable line with its type."""
    message, wire = example
    [result] = Decoder().feed(wire)
    text = decode.line(result)
    assert message.name in text
    assert text.isprintable()


def test_lines_say_what_happened():
    """The line of a void: device time, round, number and name, and the run in words."""
    line = decode.line(one(0x13, [101, 5, 255, 525, 1, -1, 142, 890]))
    assert (
        line.split()
        == (
            "1.500 s round 4711 round_void 101 short_spin in phase dropped, 5.25 circuits, "
            "ball clockwise, rotor 14.2 rpm counter-clockwise, last lap 0.89 s"
        ).split()
    )
    assert BY_ID[0x13].name in line
