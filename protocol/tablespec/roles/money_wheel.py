"""A money wheel.

A round of the money wheel.
Reasons 600 to 699: a money wheel, its pins and its flapper.
"""

from construct import Struct

from tablespec.core.controller_keys import Key
from tablespec.core.core_reasons import NO_PLAY_WITH_A_FAULT, Reason
from tablespec.core.field_shapes import MAX_MS, Message, direction
from tablespec.core.words import RoleWords
from tablespec.field_types import Names, number

_HC = "hc2023 2:5(4); hc2011 4:2(4)"
_OTHER = f"{_HC} (a stop for another cause: the number is not reliable)"

REASONS: tuple[Reason, ...] = (
    Reason(
        601, "short_turn", "void", 1,
        "The wheel came to rest before it completed the required revolutions.",
        "Spin again, harder. If it repeats, check bearing and flapper.",
        f"{_HC}: the wheel does not make four revolutions (READING-14)",
    ),
    Reason(
        602, "flapper_on_pin", "void", 1,
        "The wheel rests with the flapper hanging on a pin.",
        "Spin again. If it repeats at one pin, check that pin and the flapper.",
        f"{_HC}: the indicator stays hanging on a pin between two compartments",
    ),
    Reason(
        603, "obstructed", "void", 2,
        "The wheel slowed more than friction can, was pushed a third time, or was moved at rest.",
        "No one may touch the wheel; spin again. If no one did, check bearing and flapper, then "
        "calibrate wheel_law.",
        f"{_HC}: something or somebody obstructs the free running of the wheel",
    ),
    Reason(
        604, "wheel_reversed", "void", 2,
        "The wheel turned back by more than the flapper can push it.",
        "No one may touch the wheel; spin again.",
        f"{_HC}: something or somebody obstructs the free running of the wheel",
    ),
    Reason(
        605, "runaway", "void", 2,
        "The wheel turned faster than its limit.",
        "Let it come to rest, then spin again, less hard.",
        _OTHER,
    ),
    Reason(
        606, "never_stopped", "void", 2,
        "The wheel did not come to rest within the time allowed.",
        "Stop the wheel and spin again. If it repeats, check bearing and flapper.",
        _OTHER,
    ),
    Reason(
        607, "not_spun", "void", 1,
        "The bets closed and no one set the wheel in motion.",
        "Spin the wheel when the next round opens. If it did turn, check both pin sensors.",
        _OTHER,
    ),
    Reason(
        608, "boundary_stop", "void", 1,
        "The wheel rests so near to a pin that the segment is not certain.",
        "Spin again.",
        f"{_HC}: the indicator stays hanging on a pin between two compartments",
    ),
    Reason(
        609, "pins_lost", "void", 3,
        "The pins counted do not agree with the index, or a pulse is missing.",
        "Spin again. If it repeats, check the magnets of the pins and the gap of both sensors.",
        _OTHER,
    ),
    Reason(
        610, "pin_index_lost", "void", 3,
        "The wheel made two turns without an index pulse.",
        "Check the index magnet and the index sensor's gap (about 2 mm).",
        _OTHER,
    ),
    Reason(
        611, "flapper_stiff", "void", 3,
        "The flapper did not bend while pins passed it.",
        "Check that flapper and sensor are in place, then calibrate rest and top of a pin.",
        _OTHER,
    ),
    Reason(
        612, "flapper_lost", "fault", 3,
        "The flapper's sensor reads a value that no flapper gives: its wire is cut or shorted.",
        "Check the wire of the flapper's sensor; it clears when the reading is back in range.",
        NO_PLAY_WITH_A_FAULT,
    ),
)  # fmt: skip

KEYS: tuple[Key, ...] = (
    Key(25, "segments", "", 1, 2, 1, "1: 52 segments, 2: 54"),
    Key(26, "pin_offset", "pins", 0, 53, 0, "pin half a segment after the index"),
    Key(27, "min_revolutions", "turns", 1, 10, 4, "fewer void the spin (hc2023 2:5(4): four)"),
    Key(28, "revolutions_from", "", 0, 1, 1, "0: first push, 1: end of the last (READING-14)"),
    Key(29, "max_pushes", "", 1, 5, 2, "a further one is a hand that obstructs"),
    Key(30, "close_on_turn", "", 0, 1, 1, "1: a turning wheel closes bets; 0: nmb_drpm"),
    Key(31, "nmb_drpm", "0.1 rpm", 20, 600, 150, "no more bets when slower after the last push"),
    Key(32, "wheel_max_drpm", "0.1 rpm", 100, 900, 750, "faster is a runaway"),
    Key(
        33,
        "friction_ddegss",
        "0.1 deg/s2",
        20,
        2_000,
        170,
        "slowing of a free run, calibrated",
    ),
    Key(34, "flapper_rest_raw", "", 100, 3_995, 1_000, "reading between two pins, calibrated"),
    Key(35, "flapper_top_raw", "", 100, 3_995, 3_000, "reading on top of a pin, calibrated"),
    Key(36, "rest_ms", "ms", 1_500, 10_000, 2_500, "at rest for this long before the result"),
    Key(37, "max_run_ms", "ms", 20_000, 300_000, 120_000, "still turning after that is a void"),
    Key(95, "air_1024", "1/1024", 0, 4_096, 0, "more friction at one turn a second"),
    Key(96, "imbalance_percent", "%", 0, 100, 0, "what a heavy side gives, of the friction"),
    Key(97, "imbalance_pin", "pins", 0, 53, 0, "from which that drives counter-clockwise"),
    Key(98, "law_slack_percent", "%", 1, 30, 15, "by this the friction of a run may differ"),
    Key(99, "turn_limit", "0.01 pin", 0, 20_000, 0, "turns take no more besides; 0: not known"),
    Key(100, "slow_limit", "0.01 pin", 0, 2_000, 500, "slow pins take no more besides"),
    Key(101, "last_limit", "0.01 pin", 0, 1_000, 230, "the last seven pins take no more besides"),
    Key(102, "hold_low_percent", "%", 0, 200, 50, "with less of a pin's energy none is passed"),
    Key(103, "hold_high_percent", "%", 50, 400, 230, "with more a pin is passed"),
)


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

INPUTS: Names = (
    (1, "rotor_a"),
    (2, "rotor_b"),
    (3, "index"),
    (11, "flapper"),
)
ROLE = RoleWords(
    2,
    "money_wheel",
    MESSAGES,
    "money_wheel_result",
    REASONS,
    KEYS,
    adds=(
        ("WHEEL", ((3, "segments_52"), (4, "segments_54"))),
        ("PHASE", ((6, "turning"),)),
        ("CLOSE_CAUSE", ((7, "wheel_turns"),)),
    ),
    inputs=INPUTS,
)
