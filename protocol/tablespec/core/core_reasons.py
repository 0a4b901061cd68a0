"""The contents of a reason code, and the codes of every table: 300 to 599."""

from dataclasses import dataclass
from typing import Literal

ROULETTE_VOIDS = "hc2023 2:1(2); hc2011 2:1(2)"
OTHER_CAUSE = f"{ROULETTE_VOIDS} (the list is not exhaustive: a stop for another cause)"
NO_PLAY_WITH_A_FAULT = "25 CFR 547.8: no play with a fault that affects the outcome"


@dataclass(frozen=True)
class Reason:
    """One code. severity: 1 play again, 2 the croupier acts, 3 the technician acts."""

    number: int
    name: str
    kind: Literal["void", "fault", "check"]
    severity: int
    cause: str
    remedy: str
    rule: str


REASONS: tuple[Reason, ...] = (
    # Sensors.
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
    # Contacts and hands.
    Reason(
        401, "tilt", "fault", 2,
        "The tilt switch opened: the wheel was moved or is not level, or its wire is cut.",
        "Level the wheel and let it rest; it clears when the switch closes. If it does not, check "
        "its wire.",
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
    # The controller.
    Reason(
        501, "edges_lost", "fault", 3,
        "Sensor edges came faster than the controller could store them, or a sensor's interrupt"
        " ended with an error and was started again.",
        "Look for interference or a chattering sensor; it clears after five quiet seconds. If it"
        " comes back with one lost edge each time, send a bundle to support.",
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
        "Records wait for the host, and there is no space for those of another round.",
        "Check the line and whether the host stores and acknowledges; it clears when half of the "
        "journal is free. Nothing is lost meanwhile.",
        "AGCO guide 11 (buffer full): the device stops before it overwrites",
    ),
    Reason(
        505, "memory_damaged", "fault", 3,
        "Neither copy of counters, configuration or faults on the flash was good; or, with a "
        "value, so many records in the journal were damaged before the host had them.",
        "Note round and serial number; provision the table again if they are wrong. Look for a "
        "round without an end at the host. Then clear the fault by command. If it repeats, "
        "replace the board.",
        "NY 9 NYCRR 5319.54; Oklahoma 325:85-15-18: no automatic clearing",
    ),
    Reason(
        506, "link_tampered", "fault", 3,
        "A frame that was forged or replayed arrived during a session.",
        "Find who else is on the line, from controller to host; the tamper records show "
        "the frames. Then clear the fault by command from the host.",
        "NY 9 NYCRR 5321.12(c): data between components is authenticated",
    ),
    Reason(
        507, "maintenance_open", "fault", 3,
        "The console is open, by the maintenance switch or by command: the program can be "
        "stopped and changed.",
        "Finish the work, turn the switch back or send maintenance closed, then attest. The fault "
        "clears when the console is closed.",
        "NY 9 NYCRR 5319.58: no play in test or maintenance; 25 CFR 547.8",
    ),
    Reason(
        508, "firmware_mismatch", "fault", 3,
        "The host found that the files on the flash are not those of the signed release.",
        "Keep the board for the auditor or install the release again; attest, and clear the fault "
        "after a match: `tabletool attest PORT --manifest FILE --key FILE --clear`.",
        "NY 9 NYCRR 5319.14: an error until the program authenticates",
    ),
    Reason(
        509, "firmware_rollback", "fault", 3,
        "The program is an older release than one this table ran before.",
        "Install the newest release, or publish the older program under a higher number; the "
        "fault clears at the boot.",
        "AGCO (program verified before it runs); requirements 11: rollback refused",
    ),
    Reason(
        510, "memory_short", "fault", 3,
        "A part of the controller's program found no contiguous memory, and was restarted.",
        "Note the part and the bytes it requested and send them to support; restart the table. If "
        "it repeats, the role needs a board with more memory: see unfit_roles in boards/.",
        NO_PLAY_WITH_A_FAULT,
    ),
)  # fmt: skip
