"""Faults raised and cleared."""

from construct import Struct

from tablespec.core.field_shapes import MAX_MS, U32, Message, concerned, reason, value
from tablespec.field_types import number

MESSAGES: tuple[Message, ...] = (
    Message(
        0x14, "fault_raised", "table", True,
        Struct(
            "fault" / reason("active fault"),
            "input" / concerned(),
            "value" / value("what was measured"),
            "limit" / value("what it broke"),
        ),
        "A fault is active: no round opens until it is cleared.",
    ),
    Message(
        0x15, "fault_cleared", "table", True,
        Struct(
            "fault" / reason("cleared fault"),
            "input" / concerned(),
            "active_ms" / number("I", "ms", 0, MAX_MS, "time active", unknown=U32),
        ),
        "The cause of a fault is gone.",
    ),
)  # fmt: skip
