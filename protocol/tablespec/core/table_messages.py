"""Reports of a table about itself, and its answers."""

from construct import Struct

from tablespec.core import core_names
from tablespec.core.field_shapes import (
    KEY_NUMBERS,
    U32,
    Message,
    OpenChoice,
    direction,
    host_name,
    key,
    phase,
    speed,
    value,
)
from tablespec.field_types import choice, number, raw

MESSAGES: tuple[Message, ...] = (
    Message(
        0x01, "identity", "table", False,
        Struct(
            "nonce" / raw(8, "", "as sent in identify; zeros when sent unasked"),
            "schema" / number("I", "", 0, U32, "fingerprint of the core and of the role's schema"),
            "firmware_major" / number("B", "", 0, 255, "firmware version"),
            "firmware_minor" / number("B", "", 0, 255, "firmware version"),
            "firmware_patch" / number("B", "", 0, 255, "firmware version"),
            "role" / OpenChoice("B", "ROLE", "what the table is", 0),
            "authentication"
            / choice("B", core_names.AUTHENTICATION, "how frames are authenticated"),
            "reset_cause" / choice("B", core_names.RESET_CAUSE, "why it booted", unknown=0),
            "board" / raw(16, "ASCII, zero-padded", "board name"),
            "device_nonce" / raw(8, "", "fresh for each answer; zeros without a key"),
            "key_number" / number("I", "", 0, KEY_NUMBERS, "of the key; 0: no key"),
        ),
        "Identity of the device; sent at boot and in answer to identify.",
    ),
    Message(
        0x02, "heartbeat", "table", False,
        Struct(
            "phase" / phase("phase of the round"),
            "faults" / number("B", "", 0, 32, "active faults"),
            "progress" / number("B", "", 0, 250, "complete circuits so far", unknown=255),
            "machine_direction" / direction("rotor or wheel"),
            "machine_drpm" / speed("speed of rotor or wheel"),
            "unacknowledged" / number("H", "records", 0, 1000, "durable records waiting"),
            "edges_lost" / number("H", "edges", 0, 65535, "lost since boot, stays at the top"),
            "frames_skipped" / number("H", "frames", 0, 65535, "received but refused since boot"),
            "free_bytes" / number("I", "bytes", 0, U32 - 1, "free heap", unknown=U32),
            "largest_free_bytes" / number(
                "I", "bytes", 0, U32 - 1, "in the largest piece, to a sixteenth", unknown=U32
            ),
        ),
        "Every 500 ms, and every 250 ms while bets are open.",
    ),
    Message(
        0x03, "state", "table", False,
        Struct(
            "phase" / phase("phase entered"),
            "previous" / phase("phase left"),
        ),
        "The phase changed.",
    ),
    Message(
        0x04, "configuration", "table", False,
        Struct(
            "key" / key(),
            "value" / value("value in force"),
            "previous" / value("value before a set; the same after a get"),
            "low" / value("lowest value allowed"),
            "high" / value("highest value allowed"),
        ),
        "One configuration value, in answer to get or set.",
    ),
    Message(
        0x05, "refusal", "table", False,
        Struct(
            "command" / number("B", "", 0x40, 0x7F, "type of the command refused"),
            "command_counter" / number("I", "", 0, U32, "counter of the command refused"),
            "cause" / choice("B", core_names.REFUSAL, "why"),
            "value" / value("what was given"),
            "low" / value("lowest allowed"),
            "high" / value("highest allowed"),
            "contradicts" / number(
                "B", "", 0, 255, "key whose value the given one contradicts, 0 for none"
            ),
        ),
        "A command was not carried out.",
    ),
    Message(
        0x06, "session_started", "table", False, Struct(),
        "All following frames are authenticated in the session of the last identity.",
    ),
    Message(
        0x60, "session_ended", "table", False,
        Struct("host" / host_name("that owns the table from now on")),
        "Another host began a session; authenticated in the session that ends.",
    ),
)  # fmt: skip
