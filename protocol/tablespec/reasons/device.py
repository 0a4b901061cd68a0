"""500 to 599: the controller itself."""

from tablespec.reasons.shape import NO_PLAY_WITH_A_FAULT, Reason

REASONS: tuple[Reason, ...] = (
    Reason(
        501, "edges_lost", "fault", 3,
        "Sensor edges came faster than the controller could take them.",
        "Look for interference or a chattering sensor; it clears after five quiet seconds.",
        NO_PLAY_WITH_A_FAULT,
    ),
    Reason(
        502, "not_configured", "fault", 3,
        "No valid configuration is stored: both copies are missing or damaged.",
        "Provision the table again; set any configuration value to store a fresh copy.",
        NO_PLAY_WITH_A_FAULT,
    ),
    Reason(
        503, "task_stopped", "fault", 3,
        "A part of the controller's program stopped and was restarted.",
        "Send the log to support; it clears when the part has run for ten seconds.",
        NO_PLAY_WITH_A_FAULT,
    ),
    Reason(
        504, "journal_full", "fault", 3,
        "Records wait for the host until there is no room for those of another round.",
        "Check the line and whether the host stores and acknowledges; it clears when half of the "
        "journal is free. Nothing is lost meanwhile.",
        "AGCO guide 11 (buffer full): the device stops before it overwrites",
    ),
    Reason(
        505, "memory_damaged", "fault", 3,
        "Neither copy of counters, configuration or faults on the flash was good.",
        "Note round and serial number; provision the table again if they are wrong. Then clear "
        "the fault by command. If it repeats, replace the board.",
        "NY 9 NYCRR 5319.54; Oklahoma 325:85-15-18: no automatic clearing",
    ),
)  # fmt: skip
