"""A ball-draw machine: its chamber, its readers, each ball drawn, and the result of a draw."""

from construct import Struct

from tablespec import names
from tablespec.fields import Ranged, choice, number, raw
from tablespec.messages.shapes import MAX_MS, Message

MOST = 90


def balls(meaning: str, *, low: int = 0, unknown: int | None = None) -> Ranged:
    return number("B", "balls", low, MOST, meaning, unknown=unknown)


def reading(meaning: str) -> Ranged:
    return number("B", "", 0, 254, f"{meaning}; 0: it could not be read", unknown=255)


MESSAGES: tuple[Message, ...] = (
    Message(
        0x0E, "reader_report", "table", False,
        Struct(
            "reader" / choice("B", names.READER, "which of the two"),
            "readings" / number("B", "", 0, 255, "made since it was switched on, wraps"),
            "number" / reading("on the ball; unknown: the reader is silent"),
            "ball_set" / number("B", "", 0, 255, "the ball belongs to, 0: its tag names none"),
        ),
        "A reader of balls read one, was heard again, or is heard no more.",
    ),
    Message(
        0x2C, "ball_drawn", "table", True,
        Struct(
            "place" / balls("how manieth of the draw", low=1),
            "number" / balls("both readers read", low=1),
            "drawing_ms" / number("I", "ms", 0, MAX_MS, "begin of the draw to this"),
        ),
        "A ball came out alone, rests in the tube, and both readers read the same number on it.",
    ),
    Message(
        0x2D, "draw_result", "table", True,
        Struct(
            "drawn" / balls("that count", low=1),
            "shown" / balls("that came out, those after the call as well", low=1),
            "balls" / number("B", "balls", 20, MOST, "in the machine before the draw"),
            "ended_by" / choice("B", names.DRAW_END, "why no further ball counts"),
            "drawing_ms" / number("I", "ms", 0, MAX_MS, "begin of the draw to the result"),
            "numbers" / raw(
                12, "bits", "those that count: bit k & 7 of byte k >> 3 is number k + 1"
            ),
        ),
        "The draw is over. The order of the numbers is that of the ball_drawn before it.",
    ),
    Message(
        0x30, "draw_stopped", "table", True,
        Struct(
            "reason" / choice("H", names.REASON, "why"),
            "drawn" / balls("that had been told"),
            "exit_reading" / reading("on the ball on its way; unknown: none was made"),
            "tube_reading" / reading("on the ball on its way; unknown: none was made"),
            "passage_ms" / number(
                "H", "ms", 0, 60000, "the last ball at the inner beam", unknown=0xFFFF
            ),
            "inside" / balls("in the chamber by count", unknown=255),
            "blower_raw" / number("H", "", 0, 4095, "reading of the blower"),
        ),
        "Evidence of a draw that ends void: what was known by then. The void comes next.",
    ),
    Message(
        0x31, "balls_counted", "table", True,
        Struct(
            "inside" / balls("in the chamber"),
            "expected" / number("B", "balls", 20, MOST, "that the machine has"),
            "counted_by" / choice("B", names.COUNTED_BY, "how that is known"),
        ),
        "The balls in the chamber are as many as the machine has, or were declared.",
    ),
    Message(
        0x58, "end_draw", "host", False,
        Struct("drawn" / balls("last place that counts; unknown: all so far", low=1, unknown=0)),
        "Bingo: somebody has won; the draw named ends with the balls up to that place.",
    ),
    Message(
        0x59, "declare_balls", "host", False,
        Struct("inside" / balls("counted in the chamber by a person")),
        "The set of balls was checked by a person; those outside are to be put in through the "
        "return. Refused while a round is open.",
    ),
)  # fmt: skip
