"""400 to 499: contacts and hands on any table."""

from tablespec.reasons.shape import NO_PLAY_WITH_A_FAULT, OTHER_CAUSE, Reason

REASONS: tuple[Reason, ...] = (
    Reason(
        401, "tilt", "fault", 2,
        "The tilt switch closed: the wheel was moved or is not level.",
        "Level the wheel and let it rest; it clears when the switch opens.",
        NO_PLAY_WITH_A_FAULT,
    ),
    Reason(
        402, "dome_open", "fault", 2,
        "The dome or door contact is open.",
        "Close the dome; it clears when the contact closes.",
        NO_PLAY_WITH_A_FAULT,
    ),
    Reason(
        403, "croupier_void", "void", 2,
        "The croupier stopped the spin.",
        "Spin again; the croupier notes why.",
        OTHER_CAUSE,
    ),
    Reason(
        404, "system_interruption", "void", 3,
        "The controller restarted while a round was open.",
        "Spin again. If it repeats, check the supply (5 V, 1 A) and read the reset cause.",
        "de-live Roul 2.1.5: a system interruption voids the game",
    ),
)  # fmt: skip
