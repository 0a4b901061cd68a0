"""Records about the authentication of a table's link."""

from construct import Struct

from tablespec.core import core_names
from tablespec.core.field_shapes import KEY_NUMBERS, U32, Message
from tablespec.field_types import choice, number, raw

MESSAGES: tuple[Message, ...] = (
    Message(
        0x17, "tamper", "table", True,
        Struct(
            "kind" / choice("B", core_names.TAMPER, "why it was refused"),
            "message" / number("B", "", 0, 255, "type of the frame refused; 0 if not readable"),
            "message_counter" / number("I", "", 0, U32, "its counter; 0 if not readable"),
            "count" / number("I", "frames", 1, U32, "refused since the last record, this one too"),
        ),
        "A frame with a right CRC that the host cannot have meant for this table.",
    ),
    Message(
        0x19, "key_changed", "table", True,
        Struct(
            "number" / number("I", "", 1, KEY_NUMBERS, "of the key now in force"),
            "previous" / number("I", "", 0, KEY_NUMBERS, "of the key before; 0: there was none"),
        ),
        "Both copies of a new key are on the flash.",
    ),
    Message(
        0x61, "key_answer", "table", False,
        Struct(
            "number" / number("I", "", 1, KEY_NUMBERS, "of the new key, as offered"),
            "public" / raw(32, "", "X25519 public key of the table, made for this offer"),
            "proof" / raw(16, "", "of the table: it has computed the new key"),
        ),
        "The table's half of a key rotation, in answer to offer_key; it has stored nothing yet.",
    ),
)  # fmt: skip
