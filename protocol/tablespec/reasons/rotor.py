"""200 to 299: the rotor of a roulette wheel."""

from tablespec.reasons.shape import OTHER_CAUSE, Reason

REASONS: tuple[Reason, ...] = (
    Reason(
        201, "rotor_stopped", "void", 2,
        "The rotor stood still during the spin.",
        "Push the rotor and spin again. If it turned, check both ring sensors.",
        OTHER_CAUSE,
    ),
    Reason(
        202, "rotor_slow", "void", 1,
        "The rotor turned slower than its limit during the spin.",
        "Push the rotor harder and spin again.",
        OTHER_CAUSE,
    ),
    Reason(
        203, "rotor_fast", "void", 1,
        "The rotor turned faster than its limit during the spin.",
        "Let the rotor slow down and spin again.",
        OTHER_CAUSE,
    ),
    Reason(
        204, "rotor_reversed", "void", 2,
        "The rotor changed direction during the spin.",
        "Nobody may touch the rotor during a spin; spin again.",
        OTHER_CAUSE,
    ),
    Reason(
        205, "index_lost", "void", 3,
        "The rotor passed a whole turn without an index pulse.",
        "Check the index magnet and the index sensor's gap (about 2 mm).",
        OTHER_CAUSE,
    ),
    Reason(
        206, "tick_lost", "void", 3,
        "Turns of the rotor counted the wrong number of pockets.",
        "Check the ring for a missing magnet and the gap of both ring sensors.",
        OTHER_CAUSE,
    ),
)  # fmt: skip
