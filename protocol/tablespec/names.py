"""Enumerations used in message fields, as pairs (value, name). A value is never reused."""

from tablespec.fields import Names
from tablespec.reasons import REASONS

ROLE: Names = ((1, "roulette"), (2, "money_wheel"), (4, "shuffler"))
WHEEL: Names = ((1, "single"), (2, "double"), (3, "segments_52"), (4, "segments_54"), (6, "cards"))
PHASE: Names = (
    (1, "closed"),
    (2, "bets_open"),
    (3, "ball_in_rim"),
    (4, "no_more_bets"),
    (5, "dropped"),
    (6, "turning"),
)
DIRECTION: Names = ((-1, "counter_clockwise"), (1, "clockwise"))
POCKET: Names = (*((n, str(n)) for n in range(37)), (37, "00"))
POCKET_SENSOR: Names = ((1, "array"), (2, "head"), (3, "both"))
CLOSE_CAUSE: Names = (
    (1, "ball_detected"),
    (2, "lap_time"),
    (3, "croupier"),
    (4, "command"),
    (5, "timeout"),
    (6, "void"),
    (7, "wheel_turns"),
)
SENSOR: Names = (
    (0, "rotor_a"),
    (1, "rotor_b"),
    (2, "index"),
    (3, "rim_1"),
    (4, "rim_2"),
    (5, "head"),
    (6, "button"),
    (7, "tilt"),
    (8, "dome"),
    (9, "array"),
    (10, "maintenance"),
    (11, "flapper"),
    (12, "gate_in"),
    (13, "gate_out"),
    (14, "lid"),
    (15, "ready"),
    (16, "shuffler_fault"),
)
AUTHENTICATION: Names = ((0, "unauthenticated"), (1, "key"))
RESET_CAUSE: Names = ((1, "power"), (2, "watchdog"), (3, "reset"))
MAINTENANCE: Names = ((1, "open"), (2, "closed"))
USE: Names = ((0, "bench"), (1, "production"))
REFUSAL: Names = (
    (1, "round_open"),
    (2, "out_of_range"),
    (3, "unknown_key"),
    (4, "wrong_phase"),
    (5, "wrong_boot"),
    (6, "fault_standing"),
    (7, "wrong_round"),
    (8, "journal_full"),
    (9, "contradiction"),
)
TAMPER: Names = (
    (1, "unauthenticated"),
    (2, "tag"),
    (3, "replayed"),
    (4, "session"),
    (5, "malformed"),
    (6, "device"),
)
SHOE: Names = ((1, "locked"), (2, "unlocked"), (3, "replaced"))
REPLACEMENT: Names = ((1, "shuffler"), (2, "manual_shoe"), (3, "deck"))
VERDICT: Names = ((1, "verified"), (2, "refused"))
SHUFFLER_STATE: Names = ((1, "ready"), (2, "shuffling"), (3, "error"))
CHANGE_CAUSE: Names = ((1, "command"), (2, "factory"), (3, "provision"))
REASON: Names = tuple((reason.number, reason.name) for reason in REASONS)
