"""The journal of the configuration."""

from construct import Struct

from tablespec.core import core_names
from tablespec.core.field_shapes import U32, Message, key, value
from tablespec.field_types import choice, number

MESSAGES: tuple[Message, ...] = (
    Message(
        0x16, "configuration_changed", "table", True,
        Struct(
            "key" / key(),
            "value" / value("value in force from here on"),
            "previous" / value("value before"),
            "cause" / choice("B", core_names.CHANGE_CAUSE, "what changed it"),
            "revision" / number(
                "I", "", 1, U32, "of the stored configuration; a factory reset is one revision"
            ),
        ),
        "One value changed, between rounds.",
    ),
)  # fmt: skip
