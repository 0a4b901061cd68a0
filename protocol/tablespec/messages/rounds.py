"""A roulette round, from its opening to its end."""

from construct import Struct

from tablespec import names
from tablespec.fields import choice, number
from tablespec.messages.shapes import MAX_MS, Message, circuits, direction, last_lap, sensor, speed

MESSAGES: tuple[Message, ...] = (
    Message(
        0x10, "round_opened", "table", True,
        Struct(
            "wheel" / choice("B", names.WHEEL, "zeros on the wheel"),
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
            "cause" / choice("B", names.CLOSE_CAUSE, "what closed the bets"),
            "open_ms" / number("I", "ms", 0, MAX_MS, "time since round_opened"),
        ),
        "No more bets.",
    ),
    Message(
        0x12, "wheel_result", "table", True,
        Struct(
            "pocket" / choice("B", names.POCKET, "the number; 37 is the double zero"),
            "pocket_index" / number("B", "pockets", 0, 37, "place on the rotor, 0 = number 0"),
            "sensor" / choice("B", names.POCKET_SENSOR, "sensors that agreed"),
            "agreements" / number("B", "readings", 1, 255, "readings that agreed"),
            "circuits_centi" / circuits(),
            "ball_direction" / direction("ball"),
            "rotor_direction" / direction("rotor"),
            "rotor_drpm" / speed(),
            "last_lap_ms" / last_lap(),
            "track_ms" / number("I", "ms", 0, MAX_MS, "first ball evidence to drop"),
            "result_ms" / number("I", "ms", 0, MAX_MS, "drop to number"),
        ),
        "A number, of a valid run, agreed by every working sensor.",
    ),
    Message(
        0x13, "round_void", "table", True,
        Struct(
            "reason" / choice("H", names.REASON, "why the round is void"),
            "phase" / choice("B", names.PHASE, "phase it happened in"),
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
