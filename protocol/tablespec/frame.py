"""The frame in construct: COBS( header | payload | tag | crc32 ) then one zero byte.

Limits: 254 bytes before COBS, so that stuffing always adds exactly one byte.
"""

from construct import Bytes, If, Int8ul, Int32ul, Struct, this

VERSION = 1
MAX_BODY = 254
TAG_BYTES = 16

FLAG_AUTHENTICATED = 1
FLAG_DURABLE = 2
FLAG_TEST_MODE = 4
FLAG_RETRANSMITTED = 8
FLAGS = (
    (FLAG_AUTHENTICATED, "authenticated", "a tag follows the payload"),
    (FLAG_DURABLE, "durable", "journaled on the device and repeated until acknowledged"),
    (FLAG_TEST_MODE, "test_mode", "the table is in test: never settled, never counted"),
    (
        FLAG_RETRANSMITTED,
        "retransmitted",
        "sent, or kept without a session, before",
    ),
)

HEADER_FIELDS = (
    ("version", "B", "1"),
    ("type", "B", "message id, never reused"),
    ("flags", "B", "sum of the flags below; a flag not listed is an error"),
    ("device", "I", "serial number of the controller; 0 in identify means whoever is there"),
    ("boot", "I", "persisted boot counter of the device, from 1"),
    ("counter", "I", "strictly rising within a boot, per sender"),
    ("uptime_ms", "I", "device clock in ms since boot, wraps at 2^32; 0 in a host frame"),
    ("round", "I", "persisted round number, 0 = none"),
)

Header = Struct(
    "version" / Int8ul,
    "type" / Int8ul,
    "flags" / Int8ul,
    "device" / Int32ul,
    "boot" / Int32ul,
    "counter" / Int32ul,
    "uptime_ms" / Int32ul,
    "round" / Int32ul,
)


def body(payload: Struct) -> Struct:
    """The unstuffed frame around one payload struct, without the final length check."""
    return Struct(
        "header" / Header,
        "payload" / payload,
        "tag" / If(this.header.flags & FLAG_AUTHENTICATED, Bytes(TAG_BYTES)),
        "crc32" / Int32ul,
    )
