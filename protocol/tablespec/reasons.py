"""Reason codes: why a round is void or a table is locked. A number is never reused.

kind "void": ends the round, nothing stands afterwards. kind "fault": also stands, and no round
opens until its cause is measured gone. Rule articles: rules/rulebook chapter 2 (R-1 to R-4).
"""

from dataclasses import dataclass
from typing import Literal

_HC = "hc2023 2:1(2); hc2011 2:1(2)"
_OTHER = f"{_HC} (the list is not exhaustive: a stop for another cause)"
_NO_FAULT = "25 CFR 547.8: no play with a fault that affects the outcome"


@dataclass(frozen=True)
class Reason:
    """One code. severity: 1 spin again, 2 the croupier acts, 3 the technician acts."""

    number: int
    name: str
    kind: Literal["void", "fault"]
    severity: int
    cause: str
    remedy: str
    rule: str


REASONS: tuple[Reason, ...] = (
    Reason(
        101, "short_spin", "void", 1,
        "The ball left the rim before it completed the required circuits.",
        "Spin again, harder. If it repeats, clean the ball track and check the level.",
        f"{_HC}: the ball will not make seven circuits",
    ),
    Reason(
        102, "ball_with_rotor", "void", 1,
        "The ball ran in the direction of the rotor.",
        "Spin again against the rotor. If the ball did run against it, the rim sensors or the "
        "ring sensors are swapped: see WIRING.md.",
        f"{_HC}: the ball spins in the direction of the wheel",
    ),
    Reason(
        103, "no_pocket", "void", 2,
        "After the drop no pocket was agreed within the settle time.",
        "Look where the ball lies. In a pocket: clean the pocket sensors and check the index. "
        "Elsewhere: spin again.",
        f"{_HC}: the ball does not fall into one of the number pockets",
    ),
    Reason(
        104, "foreign_object", "void", 2,
        "The rim sensors saw passes that one ball cannot make.",
        "Look for an object or a second ball in the wheel and remove it; spin again.",
        f"{_HC}: any other object lands in the wheel",
    ),
    Reason(
        105, "second_ball", "void", 2,
        "Two pockets report a ball after the drop.",
        "Remove the second ball; call the supervisor.",
        f"{_HC}: any other object lands in the wheel",
    ),
    Reason(
        106, "ball_removed", "void", 2,
        "The ball vanished from the rim while too fast to drop.",
        "Ask who took the ball; spin again. If nobody did, check both rim sensors.",
        _OTHER,
    ),
    Reason(
        107, "ball_not_sensed", "void", 3,
        "A ball appeared in a pocket although no rim sensor saw it run.",
        "Spin again. If it repeats, both rim sensors are blind: check their supply and gap.",
        f"{_HC}: seven circuits were not measured",
    ),
    Reason(
        108, "ball_stuck", "void", 2,
        "The ball stayed in the track slower than a ball can.",
        "Take the ball out, clean ball and track, check the level; spin again.",
        f"{_HC}: the ball does not fall into one of the number pockets",
    ),
    Reason(
        109, "launch_failed", "void", 1,
        "The ball was lost from the rim within its first two circuits.",
        "Spin again.",
        f"{_HC}: the ball will not make seven circuits",
    ),
    Reason(
        110, "slow_launch", "void", 1,
        "The first lap took longer than allowed.",
        "Spin again, harder. Bets are closed already.",
        f"{_HC}: the ball will not make seven circuits",
    ),
    Reason(
        111, "foreign_magnet", "void", 3,
        "A pocket sensor reported a ball while the ball ran on the rim.",
        "Look for a magnet or a second ball in the pockets; check the ball with a compass; "
        "call the supervisor.",
        f"{_HC}: any other object lands in the wheel",
    ),
    Reason(
        201, "rotor_stopped", "void", 2,
        "The rotor stood still during the spin.",
        "Push the rotor and spin again. If it turned, check both ring sensors.",
        _OTHER,
    ),
    Reason(
        202, "rotor_slow", "void", 1,
        "The rotor turned slower than its limit during the spin.",
        "Push the rotor harder and spin again.",
        _OTHER,
    ),
    Reason(
        203, "rotor_fast", "void", 1,
        "The rotor turned faster than its limit during the spin.",
        "Let the rotor slow down and spin again.",
        _OTHER,
    ),
    Reason(
        204, "rotor_reversed", "void", 2,
        "The rotor changed direction during the spin.",
        "Nobody may touch the rotor during a spin; spin again.",
        _OTHER,
    ),
    Reason(
        205, "index_lost", "void", 3,
        "The rotor passed a whole turn without an index pulse.",
        "Check the index magnet and the index sensor's gap (about 2 mm).",
        _OTHER,
    ),
    Reason(
        206, "tick_lost", "void", 3,
        "Turns of the rotor counted the wrong number of pockets.",
        "Check the ring for a missing magnet and the gap of both ring sensors.",
        _OTHER,
    ),
    Reason(
        301, "sensor_stuck", "fault", 3,
        "A sensor stayed silent, or held its level, while its partner worked.",
        "Check plug, gap and supply of the sensor named; roll the ball past it or turn the rotor: "
        "the fault clears when it switches.",
        _NO_FAULT,
    ),
    Reason(
        302, "sensor_implausible", "fault", 3,
        "A sensor switched faster than the machine can move.",
        "Look for interference (phone, radio, motor) and a loose plug; it clears after five "
        "quiet seconds.",
        _NO_FAULT,
    ),
    Reason(
        401, "tilt", "fault", 2,
        "The tilt switch closed: the wheel was moved or is not level.",
        "Level the wheel and let it rest; it clears when the switch opens.",
        _NO_FAULT,
    ),
    Reason(
        402, "dome_open", "fault", 2,
        "The dome or door contact is open.",
        "Close the dome; it clears when the contact closes.",
        _NO_FAULT,
    ),
    Reason(
        403, "croupier_void", "void", 2,
        "The croupier stopped the spin.",
        "Spin again; the croupier notes why.",
        _OTHER,
    ),
    Reason(
        404, "system_interruption", "void", 3,
        "The controller restarted while a round was open.",
        "Spin again. If it repeats, check the supply (5 V, 1 A) and read the reset cause.",
        "de-live Roul 2.1.5: a system interruption voids the game",
    ),
    Reason(
        501, "edges_lost", "fault", 3,
        "Sensor edges came faster than the controller could take them.",
        "Look for interference or a chattering sensor; it clears after five quiet seconds.",
        _NO_FAULT,
    ),
    Reason(
        502, "not_configured", "fault", 3,
        "No valid configuration is stored: both copies are missing or damaged.",
        "Provision the table again; set any configuration value to store a fresh copy.",
        _NO_FAULT,
    ),
    Reason(
        503, "task_stopped", "fault", 3,
        "A part of the controller's program stopped and was restarted.",
        "Send the log to support; it clears when the part has run for ten seconds.",
        _NO_FAULT,
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
