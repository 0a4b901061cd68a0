"""600 to 699: a money wheel, its pins and its flapper."""

from tablespec.reasons.shape import NO_PLAY_WITH_A_FAULT, Reason

_HC = "hc2023 2:5(4); hc2011 4:2(4)"
_OTHER = f"{_HC} (a stop for another cause: the number cannot be believed)"

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
        "Spin again. If it repeats at one pin, look at that pin and at the flapper.",
        f"{_HC}: the indicator stays hanging on a pin between two compartments",
    ),
    Reason(
        603, "obstructed", "void", 2,
        "The wheel slowed more than friction can, was pushed a third time, or was moved at rest.",
        "Nobody may touch the wheel; spin again. If nobody did, check bearing and flapper, and "
        "the friction of the configuration.",
        f"{_HC}: something or somebody obstructs the free running of the wheel",
    ),
    Reason(
        604, "wheel_reversed", "void", 2,
        "The wheel turned back by more than the flapper can throw it.",
        "Nobody may touch the wheel; spin again.",
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
        "The bets closed and nobody set the wheel in motion.",
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
        "The flapper's sensor reads what no flapper gives: its wire is cut or shorted.",
        "Check the wire of the flapper's sensor; it clears when the reading is back in range.",
        NO_PLAY_WITH_A_FAULT,
    ),
)  # fmt: skip
