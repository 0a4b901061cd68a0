"""The frame in construct: COBS( header | payload | tag | crc32 ) then one zero byte.

Limits: 254 bytes before COBS, so that stuffing always adds exactly one byte.

The CRC is seeded with the CRC-32 of the major version's name, so ends of different major versions
never understand each other by accident, and those of different minor versions always do.
"""

from construct import Bytes, If, Int8ul, Int16ul, Int32ul, Struct, this
from crcmod.predefined import mkCrcFun

VERSION = 1
MINOR = 1
SEED = int(mkCrcFun("crc-32")(f"tablewire {VERSION}".encode()))
LAST_TOKEN = 2**30 - 1  # the largest integer that a 32-bit MicroPython stores without allocating
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
    ("version", "B", "major version of the wire: 1"),
    ("type", "B", "message id, never reused"),
    ("flags", "B", "sum of the flags below; a flag not listed is an error"),
    ("minor", "B", "minor version of the schema under which the frame was written"),
    ("role", "B", "role of the table when the frame was written; 0 in a host frame"),
    ("device", "I", "serial number of the controller; 0 in identify addresses any device"),
    ("boot", "I", "persisted boot counter of the device, from 1"),
    ("counter", "I", "strictly rising within a boot, per sender"),
    ("uptime_ms", "I", "device clock in ms since boot, wraps at 2^32; 0 in a host frame"),
    ("round", "I", "persisted round number, 0 = none"),
    (
        "echo",
        "I",
        "from a table: token of the newest beacon received, 0 = none; from a host: uptime_ms of "
        "the newest live frame of the table, 0 = none",
    ),
    ("echo_ms", "H", "time since that arrived; 65535 = longer, or there was none"),
)

Header = Struct(
    "version" / Int8ul,
    "type" / Int8ul,
    "flags" / Int8ul,
    "minor" / Int8ul,
    "role" / Int8ul,
    "device" / Int32ul,
    "boot" / Int32ul,
    "counter" / Int32ul,
    "uptime_ms" / Int32ul,
    "round" / Int32ul,
    "echo" / Int32ul,
    "echo_ms" / Int16ul,
)


def body(payload: Struct) -> Struct:
    """The unstuffed frame around one payload struct, without the final length check."""
    return Struct(
        "header" / Header,
        "payload" / payload,
        "tag" / If(this.header.flags & FLAG_AUTHENTICATED, Bytes(TAG_BYTES)),
        "crc32" / Int32ul,
    )
