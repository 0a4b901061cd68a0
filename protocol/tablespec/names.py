"""Enumerations used in message fields, as pairs (value, name). A value is never reused."""

from tablespec.fields import Names
from tablespec.reasons import REASONS

ROLE: Names = (
    (1, "roulette"),
    (2, "money_wheel"),
    (3, "dice_tray"),
    (4, "shuffler"),
    (5, "draw_machine"),
    (6, "card_shoe"),
)
# What only a dice tray says; its words stand in the module of its role.
DICE_WHEEL: Names = ((5, "dice"),)
DICE_PHASE: Names = ((7, "picked_up"), (8, "thrown"))
DICE_CLOSE_CAUSE: Names = ((8, "dice_taken"), (9, "dice_thrown"))
DICE_SENSOR: Names = (
    (17, "pick_up"),
    (18, "throw_line"),
    (19, "far_wall"),
    (20, "edge_beams"),
    (21, "camera"),
)
# The same of a draw machine.
DRAW_WHEEL: Names = ((7, "balls"),)
DRAW_PHASE: Names = ((9, "drawing"),)
DRAW_SENSOR: Names = (
    (22, "exit_inner"),
    (23, "exit_outer"),
    (24, "tube"),
    (25, "return"),
    (29, "blower"),
    (30, "exit_reader"),
    (31, "tube_reader"),
)
# What only a self test names.
DIAGNOSIS_SENSOR: Names = ((32, "motor"), (33, "sheet"))
WHEEL: Names = (
    (1, "single"),
    (2, "double"),
    (3, "segments_52"),
    (4, "segments_54"),
    *DICE_WHEEL,
    (6, "cards"),
    *DRAW_WHEEL,
    (8, "shoe"),
)
PHASE: Names = (
    (1, "closed"),
    (2, "bets_open"),
    (3, "ball_in_rim"),
    (4, "no_more_bets"),
    (5, "dropped"),
    (6, "turning"),
    *DICE_PHASE,
    *DRAW_PHASE,
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
    *DICE_CLOSE_CAUSE,
    (10, "host_silent"),
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
    *DICE_SENSOR,
    *DRAW_SENSOR,
    (26, "cut_card"),
    (27, "card_reader"),
    (28, "shoe_cards"),
    *DIAGNOSIS_SENSOR,
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
    (10, "not_understood"),
    (11, "stale"),
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
CARD: Names = tuple(
    (1 + 13 * suit + rank, "23456789TJQKA"[rank] + "CDHS"[suit])
    for suit in range(4)
    for rank in range(13)
)
CARD_USE: Names = ((1, "round"), (2, "burned"), (3, "void"))
READER_ASK: Names = ((0, "hold"), (1, "hand"), (2, "drop"))
READER_STATE: Names = ((1, "alive"), (2, "failed"), (3, "value"))
CORNER: Names = ((0, "unread"), (62, "cut_card"), (63, "foreign"))
SHOE_LOAD: Names = ((1, "new"), (2, "continued"))
SHOE_EVENT: Names = ((1, "new"), (2, "continued"), (3, "cut_card"), (4, "empty"))
READING: Names = (
    (1, "read"),
    (2, "no_dice"),
    (3, "count_wrong"),
    (4, "cut_off"),
    (5, "foreign_object"),
    (6, "unreadable"),
    (7, "ambiguous"),
    (8, "cocked"),
    (9, "too_dark"),
    (10, "moving"),
    (11, "line_not_passed"),
    (12, "covered"),
    (13, "moved"),
    (14, "frozen"),
    (15, "no_frame"),
    (16, "good"),
)
READER: Names = ((1, "exit"), (2, "tube"))
DRAW_END: Names = ((1, "count"), (2, "command"), (3, "croupier"))
COUNTED_BY: Names = ((1, "declared"), (2, "returned"))
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
    (10, "standing"),
    (11, "silent"),
    (12, "pocket"),
    (13, "raw_least"),
    (14, "error"),
    (15, "supply"),
    (16, "temperature"),
    (17, "place"),
)
CHECK: Names = ((1, "pass"), (2, "fail"), (3, "skip"))
CHANGE_CAUSE: Names = ((1, "command"), (2, "factory"), (3, "provision"))
REASON: Names = tuple((reason.number, reason.name) for reason in REASONS)
