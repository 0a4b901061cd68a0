"""300 to 399: sensors of any table."""

from tablespec.reasons.shape import NO_PLAY_WITH_A_FAULT, Reason

REASONS: tuple[Reason, ...] = (
    Reason(
        301, "sensor_stuck", "fault", 3,
        "A sensor stayed silent, or held its level, while its partner worked.",
        "Check plug, gap and supply of the sensor named; roll the ball past it or turn the rotor: "
        "the fault clears when it switches.",
        NO_PLAY_WITH_A_FAULT,
    ),
    Reason(
        302, "sensor_implausible", "fault", 3,
        "A sensor switched faster than the machine can move.",
        "Look for interference (phone, radio, motor) and a loose plug; it clears after five "
        "quiet seconds.",
        NO_PLAY_WITH_A_FAULT,
    ),
)  # fmt: skip
