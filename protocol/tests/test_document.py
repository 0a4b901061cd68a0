"""PROTOCOL.md is enough to implement the wire: a decoder made from its text alone agrees."""

import random
from pathlib import Path
from zlib import crc32

import pytest

from protocol.tests.document_decoder import Wire
from protocol.tests.test_vectors import blocks, unhex
from protocol.tests.textbook_cobs import stuffed
from tablespec.message_list import MESSAGES
from tablespec.names import ROLE
from tabletools.decode import Decoder
from tablewire.messages import SEED

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "PROTOCOL.md").read_text(encoding="utf-8")
VECTORS = sorted(file.name for file in (ROOT / "vectors").glob("*.txt"))
ROLES = [(0, "no role"), *ROLE, (9, "a later role")]
EDGES = (0, 1, 2, 127, 128, 255, 65535)
FRAMES = 1000
WORDS_FOR_PEOPLE = ("detail", "hint")


def expected_records(stream, seed):
    """The product's JSON of a whole stream, without its texts for people."""
    decoder = Decoder(seed=seed)
    records = decoder.feed(stream) + decoder.finish()
    return [{k: r[k] for k in r if k not in WORDS_FOR_PEOPLE} for r in records]


def value_of(rng, facts):
    """One value that a field may have: at a limit, the unknown one, or any."""
    if facts.code.endswith("s"):
        size = int(facts.code[:-1])
        text = rng.randbytes(rng.randint(0, size)).ljust(size, b"\0")
        return rng.choice([text, b"pico\n2\xff".ljust(size, b"\0")[:size]])
    known = [value for value, _ in facts.names] or [
        facts.low, facts.high, rng.randint(facts.low, facts.high)
    ]  # fmt: skip
    return rng.choice(known if facts.unknown is None else [*known, facts.unknown])


def body_of(rng, message, role):
    """Header and payload of a frame with valid values, and a tag if its flags promise one."""
    flags = rng.choice((0, 1, 2, 3, 4, 10, 15))
    head = bytes((1, message.id, flags, rng.choice((0, 1, 2)), role))
    head += b"".join(
        rng.choice((0, 1, rng.getrandbits(32))).to_bytes(4, "little") for _ in "123456"
    )
    head += rng.choice((0, 1234, 65535)).to_bytes(2, "little")
    payload = message.payload.build({n: value_of(rng, facts) for n, facts in message.facts()})
    return head + payload + (rng.randbytes(16) if flags & 1 else b"")


def sealed(body, seed):
    return stuffed(body + crc32(body, seed).to_bytes(4, "little"))


def spoil(rng, body, seed):
    """The frame of a body in which something may be wrong, under a right sum or a wrong one."""
    changed = bytearray(body)
    for _ in range(rng.randint(0, 2)):
        changed[rng.choice((0, 1, 2, rng.randrange(len(changed))))] = rng.choice(EDGES) & 255
    changed = changed[: rng.choice((len(changed), rng.randint(0, len(changed))))]
    changed += rng.randbytes(rng.choice((0, 0, 3, 200)))
    wire = sealed(bytes(changed), seed ^ rng.choice((0, 0, 0, 1)))
    cut = rng.choice((0, 0, 0, 1, len(wire) // 2))
    return wire[cut:] + bytes(rng.choice((0, 0, 2)))


@pytest.fixture(scope="module")
def wire():
    return Wire(TEXT, seed=0)


@pytest.mark.parametrize("name", VECTORS)
def test_vectors(wire, name):
    """Every frame that was written by hand, good and bad, field by field."""
    stream = b"".join(unhex(block["frame"]) for block in blocks(name) if "frame" in block)
    records = wire.records(stream)
    assert records == expected_records(stream, 0)
    assert len(records) == sum("frame" in block for block in blocks(name))


@pytest.mark.parametrize(("number", "name"), ROLES)
def test_generated_frames(number, name):
    """Frames of each role, of every message, with the document's seed."""
    rng, wire = random.Random(name), Wire(TEXT)
    assert wire.printed_seed == SEED
    bodies = [body_of(rng, MESSAGES[n % len(MESSAGES)], number) for n in range(FRAMES)]
    stream = b"".join(sealed(body, SEED) for body in bodies)
    records = wire.records(stream)
    assert records == expected_records(stream, SEED)
    assert {record["type"] for record in records} == {message.name for message in MESSAGES}


@pytest.mark.parametrize("number", [0, *dict(ROLE)])
def test_every_input_and_key_has_its_name(wire, number):
    """Inputs 1 to 63 in a fault that clears, keys and commands 0 to 255, of each role."""
    rest = bytes(26)
    faults = [
        bytes((1, 0x15, 2, 1, number)) + rest + b"\x91\1%c\0\0\0\0" % n for n in range(1, 64)
    ]
    keys = [bytes((1, 0x45, 0, 1, number)) + rest + bytes([n]) for n in range(256)]
    refusal = b"\0\0\0\0\2" + bytes(12)
    refused = [
        bytes((1, 0x05, 0, 1, number)) + rest + bytes([64 + n % 64]) + refusal + bytes([n])
        for n in range(256)
    ]
    stream = b"".join(sealed(body, 0) for body in (*faults, *keys, *refused))
    records = wire.records(stream)
    assert records == expected_records(stream, 0)
    assert "skipped" not in {record["type"] for record in records}


def test_spoiled_frames(wire):
    """The reason of every refusal, and the place of every byte."""
    rng = random.Random(1)
    bodies = [body_of(rng, rng.choice(MESSAGES), rng.randint(0, 7)) for _ in range(3 * FRAMES)]
    stream = b"".join(spoil(rng, body, 0) for body in bodies) + b"\3\1"
    records = wire.records(stream)
    assert records == expected_records(stream, 0)
    reasons = {record.get("reason") for record in records if record["type"] == "skipped"}
    rows = wire.document.rows("Frame", "reason", "what failed")
    assert reasons == {row["reason"] for row in rows}


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (bytes((2, 0x10, 1, *bytes(28))), "version"),  # ... and a tag that is not there
        (bytes((1, 0x10, 17, *bytes(28))), "flags"),
        (bytes((1, 0x7E, 1, *bytes(28))), "short"),
        (bytes((1, 0x7E, 0, *bytes(28))), "type"),
        (bytes((2, 0x10, 1, *bytes(27))), "short"),
    ],
)
def test_a_tag_is_missed_after_version_and_flags(wire, body, reason):
    stream = sealed(body, 0)
    assert [record["reason"] for record in wire.records(stream)] == [reason]
    assert wire.records(stream) == expected_records(stream, 0)


def test_fingerprints_come_from_the_tables(wire):
    """The canonical text of each role, made of the document, has the sum that it prints."""
    assert {role: wire.fingerprint(role) for role in wire.fingerprints} == wire.fingerprints


def test_what_came_after_the_first_version(wire):
    """By hand: the two rim sensors of wire 1.1, and its first and last key."""
    rows = wire.document.rows("New in wire 1.1", "what", "which")
    found = {(row["what"], row["which"]) for row in rows}
    assert {("input", "14 `rim_3` of role 1"), ("input", "15 `rim_4` of role 1")} <= found
    assert ("range", "wheel_result.drop_rim: 1..4, was 1..2") in found
    [keys] = [which for what, which in found if what == "configuration keys"]
    assert keys.startswith("86 rim_sensors, ")
    assert keys.endswith("104 lights")


def test_a_money_wheel_has_no_words_of_roulette(wire):
    """Its heartbeat and void have the fields' own names; roulette's have its words besides."""
    words = {"circuits", "circuits_centi", "ball_direction", "rotor_direction", "rotor_drpm"}
    heartbeat = (
        bytes((1, 0x02, 0, 1)) + b"%c" + bytes(26) + bytes((6, 0, 4, 1, 143, 0, *bytes(14)))
    )
    for role, name in ((1, "roulette"), (2, "money_wheel")):
        [record] = wire.records(sealed(heartbeat.replace(b"%c", bytes([role])), 0))
        assert (record["role"], record["machine_drpm"], record["progress"]) == (name, 143, 4)
        assert record["machine_direction"] == "clockwise"
        shown = words & set(record)
        assert shown == ({"circuits", "rotor_direction", "rotor_drpm"} if role == 1 else set())
