"""Commands of the host to a table."""

from construct import Struct

from tablespec.core.field_shapes import KEY_NUMBERS, U32, Message, host_name, key, reason, value
from tablespec.field_types import number, raw
from tablespec.frame import LAST_TOKEN

MESSAGES: tuple[Message, ...] = (
    Message(
        0x40, "identify", "host", False,
        Struct("nonce" / raw(8, "", "returned in identity")),
        "Request the identity.",
    ),
    Message(
        0x41, "acknowledge", "host", False,
        Struct(
            "record_boot" / number("I", "", 1, U32, "boot of the record stored"),
            "record_counter" / number("I", "", 0, U32, "counter of the record stored"),
        ),
        "A durable record is safe at the host; the device may forget it.",
    ),
    Message(0x42, "open_bets", "host", False, Struct(), "Open a round."),
    Message(0x43, "close_bets", "host", False, Struct(), "No more bets, for the round named."),
    Message(
        0x44, "void_round", "host", False,
        Struct("reason" / reason("what the croupier saw")),
        "Void the round named in the header.",
    ),
    Message(
        0x45, "get_configuration", "host", False, Struct("key" / key()), "Read one value.",
    ),
    Message(
        0x46, "set_configuration", "host", False,
        Struct("key" / key(), "value" / value("requested")),
        "Change one value; only with no round open.",
    ),
    Message(
        0x47, "clear_fault", "host", False,
        Struct("fault" / reason("what the technician has repaired")),
        "Clear a fault no sensor can clear (memory_damaged, link_tampered, firmware_mismatch); "
        "any other is refused.",
    ),
    Message(
        0x48, "start_session", "host", False,
        Struct("host" / host_name("that begins the session")),
        "Begin the session of the last identity, in which this frame is authenticated.",
    ),
    Message(
        0x49, "set_key", "host", False,
        Struct(
            "number" / number("I", "", 1, KEY_NUMBERS, "of the new key, above that of the old"),
            "serial" / number("I", "", 0, U32, "serial to take as well; 0: keep"),
            "secret" / raw(32, "", "the new key, in the clear"),
        ),
        "Give a device its first key, or, with its maintenance switch turned, another one. Never "
        "in a session.",
    ),
    Message(
        0x52, "beacon", "host", False,
        Struct("token" / number("I", "", 1, LAST_TOKEN, "random and new in each beacon")),
        "Sent every 250 ms: the table echoes the newest token in every frame, so the host can "
        "bound the age of what it receives.",
    ),
    Message(
        0x4E, "factory_configuration", "host", False, Struct(),
        "Set every value back to the factory's, in one step; only with no round open.",
    ),
    Message(
        0x53, "offer_key", "host", False,
        Struct(
            "number" / number("I", "", 1, KEY_NUMBERS, "of the new key, above that of the old"),
            "public" / raw(32, "", "X25519 public key of the host, made for this offer"),
        ),
        "Begin a key rotation, under a session and with no round open; answered with key_answer.",
    ),
    Message(
        0x54, "confirm_key", "host", False,
        Struct(
            "number" / number("I", "", 1, KEY_NUMBERS, "of the new key, as offered"),
            "proof" / raw(16, "", "of the host: it has stored the new key"),
        ),
        "Have the table store the key agreed on; its answer is the record key_changed.",
    ),
)  # fmt: skip
