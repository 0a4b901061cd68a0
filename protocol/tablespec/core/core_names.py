"""Enumerations of every table, as pairs (value, name). A value is never reused.

Each role adds values to phases, causes and inputs: see tablespec.roles, and tablespec.names for
the complete lists.
"""

from tablespec.field_types import Names

PHASE: Names = (
    (1, "closed"),
    (2, "bets_open"),
    (4, "no_more_bets"),
)
DIRECTION: Names = ((-1, "counter_clockwise"), (1, "clockwise"))
CLOSE_CAUSE: Names = (
    (2, "lap_time"),
    (3, "croupier"),
    (4, "command"),
    (5, "timeout"),
    (6, "void"),
    (10, "host_silent"),
)
# Of each board: eight lines for hall sensors, beams and switches, four contacts, one converter. A
# role has names for them; 12 and 13 are its inputs without a pin. Lines 7 and 8 are of 1.1.
INPUT: Names = (
    (1, "input_1"),
    (2, "input_2"),
    (3, "input_3"),
    (4, "input_4"),
    (5, "input_5"),
    (6, "input_6"),
    (7, "button"),
    (8, "tilt"),
    (9, "dome"),
    (10, "maintenance"),
    (11, "analog"),
    (14, "input_7"),
    (15, "input_8"),
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
    (6, "fault_active"),
    (7, "wrong_round"),
    (8, "journal_full"),
    (9, "contradiction"),
    (10, "not_understood"),
    (11, "stale"),
    (12, "key_exchange"),
    (13, "no_memory"),
)
TAMPER: Names = (
    (1, "unauthenticated"),
    (2, "tag"),
    (3, "replayed"),
    (4, "session"),
    (5, "malformed"),
    (6, "device"),
)
CARD: Names = tuple(
    (1 + 13 * suit + rank, "23456789TJQKA"[rank] + "CDHS"[suit])
    for suit in range(4)
    for rank in range(13)
)
QUANTITY: Names = (
    (1, "pulses"),
    (2, "level"),
    (3, "raw"),
    (4, "raw_span"),
    (5, "closed_switches"),
    (6, "grey"),
    (7, "grey_span"),
    (8, "shift"),
    (9, "angle"),
    (10, "active"),
    (11, "silent"),
    (12, "pocket"),
    (13, "raw_least"),
    (14, "error"),
    (15, "supply"),
    (16, "temperature"),
    (17, "place"),
    (18, "missed"),
    (19, "card_us"),
    (20, "card_ratio"),
    (21, "card_spread"),
    (22, "card_off"),
)
CHECK: Names = ((1, "pass"), (2, "fail"), (3, "skip"))
CHANGE_CAUSE: Names = ((1, "command"), (2, "factory"), (3, "provision"))
