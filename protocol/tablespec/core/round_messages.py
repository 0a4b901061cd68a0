"""A round of any table, from its opening to its end."""

from construct import Struct

from tablespec.core.field_shapes import (
    MAX_MS,
    Message,
    OpenChoice,
    circuits,
    concerned,
    direction,
    last_lap,
    phase,
    reason,
    speed,
)
from tablespec.field_types import number

MESSAGES: tuple[Message, ...] = (
    Message(
        0x10, "round_opened", "table", True,
        Struct(
            "layout" / OpenChoice("B", "WHEEL", "what is played on"),
            "requirement" / number(
                "B", "", 1, 20,
                "what this round must reach: circuits, revolutions, dice; cards: passes of the "
                "shuffle before it, or decks; balls: drawn at least, 20 of more",
            ),
            "max_bet_ms" / number("I", "ms", 0, MAX_MS, "bets close by then at the latest"),
        ),
        "Bets are open for the round named in the header.",
    ),
    Message(
        0x11, "bets_closed", "table", True,
        Struct(
            "cause" / OpenChoice("B", "CLOSE_CAUSE", "what closed the bets"),
            "open_ms" / number("I", "ms", 0, MAX_MS, "time since round_opened"),
        ),
        "No more bets.",
    ),
    Message(
        0x13, "round_void", "table", True,
        Struct(
            "reason" / reason("why the round is void"),
            "phase" / phase("phase it happened in"),
            "input" / concerned(),
            "progress_centi" / circuits(unknown=0xFFFF),
            "object_direction" / direction("ball"),
            "machine_direction" / direction("rotor or wheel"),
            "machine_drpm" / speed("speed of rotor or wheel"),
            "last_lap_ms" / last_lap(),
        ),
        "Nothing is decided; bets stay in play for the next spin.",
    ),
)  # fmt: skip
