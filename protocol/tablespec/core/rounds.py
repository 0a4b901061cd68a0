"""A round of any table, from its opening to its end."""

from construct import Struct

from tablespec.core.shapes import (
    MAX_MS,
    Message,
    OpenChoice,
    circuits,
    direction,
    last_lap,
    phase,
    reason,
    sensor,
    speed,
)
from tablespec.fields import number

MESSAGES: tuple[Message, ...] = (
    Message(
        0x10, "round_opened", "table", True,
        Struct(
            "wheel" / OpenChoice("B", "WHEEL", "zeros on the wheel"),
            "min_circuits" / number(
                "B", "circuits", 1, 20,
                "circuits this round must reach; cards: passes of the shuffle before it; "
                "balls: drawn at least, 20 of more",
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
            "sensor" / sensor(),
            "circuits_centi" / circuits(unknown=0xFFFF),
            "ball_direction" / direction("ball"),
            "rotor_direction" / direction("rotor"),
            "rotor_drpm" / speed(),
            "last_lap_ms" / last_lap(),
        ),
        "Nothing is decided; bets stand for the next spin.",
    ),
)  # fmt: skip
