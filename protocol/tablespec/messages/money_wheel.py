"""A round of the money wheel."""

from construct import Struct

from tablespec.fields import number
from tablespec.messages.shapes import MAX_MS, Message, direction

MESSAGES: tuple[Message, ...] = (
    Message(
        0x20, "money_wheel_result", "table", True,
        Struct(
            "pays" / number("B", "to one", 1, 250, "what the segment under the flapper pays"),
            "segment" / number("B", "segments", 0, 53, "place on the wheel, 0 = after pin 0"),
            "revolutions_centi" / number("H", "0.01 turn", 0, 60000, "since the first push"),
            "pushed_centi" / number("H", "0.01 turn", 0, 60000, "since the end of the last push"),
            "pushes" / number("B", "", 1, 255, "times it was set in motion or made faster"),
            "wheel_direction" / direction("wheel"),
            "friction_ddegss" / number(
                "H", "0.1 deg/s2", 0, 60000, "mean slowing after the last push", unknown=0xFFFF
            ),
            "last_pin_ms" / number("H", "ms", 0, 60000, "last whole segment"),
            "turning_ms" / number("I", "ms", 0, MAX_MS, "first motion to the result"),
            "rest_ms" / number("H", "ms", 0, 60000, "at rest before the result"),
        ),
        "A segment, of a valid run, the wheel at rest and the flapper free.",
    ),
)  # fmt: skip
