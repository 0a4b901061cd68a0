"""Diagnosis of a table: each sensor with its limits, judged by the table itself."""

from construct import Struct

from tablespec.core import core_names
from tablespec.core.field_shapes import I32_HIGH, I32_LOW, U32, Message, concerned, reason
from tablespec.core.words import RoleWords
from tablespec.field_types import Ranged, choice, number, raw

_LONGEST_MS = 60000


def measure(meaning: str) -> Ranged:
    return number("i", "as the quantity says", I32_LOW, I32_HIGH, meaning)


def part(meaning: str) -> Ranged:
    return number("B", "", 0, 1, meaning)


# Self-test reports of a controller; it loads these words on demand.
ANSWERS: tuple[Message, ...] = (
    Message(
        0x09, "sensor_sample", "table", False,
        Struct(
            "input" / concerned(),
            "quantity" / choice("B", core_names.QUANTITY, "what was measured, and so its unit"),
            "value" / measure("measured"),
            "low" / measure("lowest that passes; above high: no verdict"),
            "high" / measure("highest that passes"),
            "level" / number("B", "", 0, 1, "of a line now: 1 active", unknown=255),
            "verdict" / choice("B", core_names.CHECK, "of the table"),
            "reason" / reason("that a failure is", unknown=0),
        ),
        "One sensor, or one active fault, in answer to self_test.",
    ),
    Message(
        0x0A, "self_test_result", "table", False,
        Struct(
            "samples" / number("B", "", 0, 255, "sensor_sample sent before this"),
            "failed" / number("B", "", 0, 255, "with the verdict fail"),
            "watched_ms" / number("H", "ms", 0, _LONGEST_MS, "the sensors were watched"),
        ),
        "The self-test is over; without samples a round has opened meanwhile.",
    ),
    Message(
        0x0D, "picture_part", "table", False,
        Struct(
            "part" / part("as requested"),
            "frame_crc" / number(
                "I", "", 0, U32, "CRC-32 of the frame's pixels, as in dice_seen; 0: none is there"
            ),
            "greys" / raw(192, "", "12 rows of 32 cells of 4 bits, the left one high; 15: white"),
        ),
        "Half of the last frame of the camera, in answer to fetch_picture.",
    ),
    Message(
        0x0F, "picture_pixels", "table", False,
        Struct(
            "place" / number("H", "", 0, 399, "of these among all pieces, from the top left on"),
            "frame_crc" / number("I", "", 0, U32, "as in picture_part; 0: none is there"),
            "greys" / raw(192, "", "pixels, row by row; 255: white"),
        ),
        "A piece of the last frame of the camera: 100 make one of 160 x 120 px, 400 one of 320 x "
        "240. The frame stays the same until the last one.",
    ),
)  # fmt: skip
MESSAGES = (
    *ANSWERS,
    Message(
        0x4F, "self_test", "host", False,
        Struct(
            "watch_ms" / number(
                "H", "ms", 0, _LONGEST_MS, "watch the sensors for this time; 0: read them once"
            ),
        ),
        "Measure and judge every sensor; refused while a round is open. A new request ends the "
        "one before.",
    ),
    Message(
        0x5A, "fetch_picture", "host", False,
        Struct(
            "part" / number("B", "", 0, 2, "0: the upper half, 1: the lower, 2: every pixel"),
        ),
        "Send half of the last frame of the camera, 32 x 24 cells in all, or the whole as "
        "picture_pixels; refused while a round is open, and by a table without a camera.",
    ),
)  # fmt: skip
WORDS = RoleWords(
    0,
    "diagnosis",
    ANSWERS,
    "",
    enums=(("QUANTITY", core_names.QUANTITY), ("CHECK", core_names.CHECK)),
)
