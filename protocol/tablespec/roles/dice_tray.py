"""A dice tray.

A round of a dice tray: what the camera saw, the faces, and how the dice were thrown.
Reasons 700 to 799: a dice tray, its throws and its camera.

D-1 to D-10 are the ten conditions of hc2023 4:1(3); hc2011 4:1(3) requires dice that are separate
and flat. An operator sees what no sensor does (702, 708, 709) and reports it with the button.
"""

from construct import Struct

from tablespec.core.controller_keys import Key, Order
from tablespec.core.core_reasons import NO_PLAY_WITH_A_FAULT, Reason
from tablespec.core.field_shapes import Message, reason
from tablespec.core.words import RoleWords
from tablespec.field_types import Names, Ranged, choice, number

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
    (17, "not_read"),
    (18, "glare"),
    (19, "blurred"),
    (20, "wrong_size"),
    (21, "not_commissioned"),
)

_HC = "hc2023 4:1(3)"
_OTHER = f"{_HC}; hc2011 4:1(3) (another cause: the faces are not reliable)"
_AGAIN = "Give the dice back and have them thrown again."

REASONS: tuple[Reason, ...] = (
    Reason(
        701, "late_throw", "void", 1,
        "More than five seconds passed between picking up the dice and throwing them.",
        f"{_AGAIN} If throws seem quick enough, check the position of the pick-up beam.",
        f"{_HC} D-1: not thrown within 5 seconds after picking them up",
    ),
    Reason(
        702, "two_hands", "void", 1,
        "The croupier (button) or the host (command) reported that both hands were used.",
        f"{_AGAIN} One hand holds and throws them.",
        f"{_HC} D-2: held or thrown with two hands",
    ),
    Reason(
        703, "not_together", "void", 1,
        "The dice crossed the throw line too far apart in time.",
        f"{_AGAIN} All dice leave the hand at once; sleeves stay out of the line.",
        f"{_HC} D-3: not thrown simultaneously",
    ),
    Reason(
        704, "not_from_head", "void", 1,
        "Dice hit the far wall and none had crossed the throw line.",
        f"{_AGAIN} They must be thrown from the head end. If they were, check the throw-line "
        "beam.",
        f"{_HC} D-4: not thrown from the head end of the table",
    ),
    Reason(
        705, "wall_missed", "void", 1,
        "The far wall was hit fewer times than there are dice.",
        f"{_AGAIN} If all hit the wall, check its sensors and hit_gap_ms: hits of one plate "
        "within that time count once.",
        f"{_HC} D-5: one or more dice have not touched the far wall",
    ),
    Reason(
        706, "off_table", "void", 1,
        "A die went through an edge beam.",
        f"Find the die, check it for damage, then: {_AGAIN}",
        f"{_HC} D-6: one or more dice fell off the table",
    ),
    Reason(
        707, "die_cocked", "void", 1,
        "A die leans: more of its sides is visible than of a die that lies flat.",
        f"{_AGAIN} If it repeats at one place, look for a fold of the cloth or a chip there.",
        f"{_HC} D-7 (READING-16); hc2011 4:1(3): not flat",
    ),
    Reason(
        708, "die_broken", "void", 2,
        "The croupier (button) or the host (command) reported that a die is broken.",
        "Take the set out of play, put in another one, then have it thrown.",
        f"{_HC} D-8: one or more dice are broken",
    ),
    Reason(
        709, "die_irregular", "void", 2,
        "The croupier (button) or the host (command) reported that a die is irregular.",
        "Keep the set for inspection, put in another one, then have it thrown.",
        f"{_HC} D-9: one or more dice show an irregularity",
    ),
    Reason(
        710, "line_not_passed", "void", 1,
        "A die lies on the dice line, or between it and the far wall.",
        f"{_AGAIN} If it lay beyond the line, check line_row against the picture.",
        f"{_HC} D-10 (READING-17): not completely past the dice line",
    ),
    Reason(
        711, "no_motion_proof", "void", 2,
        "The picture equals that of the previous round: the dice have not moved, or it is old.",
        "Make sure that the dice were thrown; check the camera and its cable.",
        _OTHER,
    ),
    Reason(
        712, "camera_covered", "fault", 2,
        "The picture is one even surface: something covers the lens.",
        "Uncover and clean the lens; it clears with the next good picture.",
        NO_PLAY_WITH_A_FAULT,
    ),
    Reason(
        713, "camera_moved", "fault", 3,
        "The far wall or its mark is not at its calibrated place in the picture.",
        "Adjust and tighten the camera, or calibrate wall_row and mark_column again; it "
        "clears with the next good picture.",
        NO_PLAY_WITH_A_FAULT,
    ),
    Reason(
        714, "camera_dark", "fault", 2,
        "The picture is darker than dark_grey: the light is off, or a cap is on the lens.",
        "Switch the table's light on; it clears with the next good picture.",
        NO_PLAY_WITH_A_FAULT,
    ),
    Reason(
        715, "dice_count_wrong", "void", 2,
        "More or fewer dice are seen than the table has.",
        "Count the dice, look under rails and chips, then have all of them thrown again.",
        _OTHER,
    ),
    Reason(
        716, "camera_stopped", "fault", 3,
        "No new picture arrived, or the same one arrived repeatedly.",
        "Check plug and supply of the camera; it clears with the next good picture.",
        NO_PLAY_WITH_A_FAULT,
    ),
    Reason(
        717, "not_thrown", "void", 1,
        "The bets closed and no one picked the dice up.",
        "Have the dice thrown when the next round opens. If they were, check the pick-up beam.",
        _OTHER,
    ),
    Reason(
        718, "face_unsure", "void", 1,
        "The dice are at rest and a face cannot be read with certainty.",
        f"{_AGAIN} If it repeats, look for worn pips and dirt; `tabletool dice` reads a picture "
        "and says why.",
        _OTHER,
    ),
    Reason(
        719, "never_rested", "void", 2,
        "The picture did not come to rest, or no two pictures agreed, within rest_limit_ms.",
        f"{_AGAIN} If the dice were at rest, look for a moving shadow or a loose camera.",
        _OTHER,
    ),
    Reason(
        720, "tray_obstructed", "void", 2,
        "A hand or an object was over the dice before their faces were read.",
        f"No one may reach in before the result is shown. {_AGAIN}",
        _OTHER,
    ),
    Reason(
        721, "dice_not_apart", "void", 1,
        "Dice lie on or so close to each other that two readings of one place are possible.",
        _AGAIN,
        "hc2011 4:1(3) S-1: not lying separately (READING-51)",
    ),
    Reason(
        722, "not_commissioned", "fault", 3,
        "The table reads the faces (dice_reading 1), and its board has no measured tray: no file "
        "`tray.0`, a damaged one, or one of pictures of another size; with two lights in turn "
        "(lights 3) `tray.1` too, measured in the second.",
        "Measure the tray with `tabletool commission-tray`, which writes the file to the board "
        "(--port); or let the host read the dice: dice_reading 2.",
        NO_PLAY_WITH_A_FAULT,
    ),
    Reason(
        723, "die_size", "void", 2,
        "Something shaped like a flat die lies in the tray, and has not the size of its dice.",
        f"Put the set back for which the tray was commissioned, or commission it again. {_AGAIN}",
        _OTHER,
    ),
    Reason(
        724, "die_shines", "void", 1,
        "A highlight on a die, which could hide a pip or look like one; or its faces differ under "
        "the two lights.",
        f"{_AGAIN} If it repeats, tilt or cover the lamp that shines there; matt dice help.",
        _OTHER,
    ),
    Reason(
        725, "picture_blurred", "void", 2,
        "The edges of a die are less sharp than when the tray was commissioned.",
        f"Clean the lens and focus the camera. {_AGAIN} If the lens was changed, commission the "
        "tray again.",
        _OTHER,
    ),
)  # fmt: skip

# Places in the picture are those of 160 x 120 px, even where it has 320 x 240.
KEYS: tuple[Key, ...] = (
    Key(58, "dice", "dice", 1, 6, 3, "the table has: Sic Bo 3, other games 2"),
    Key(59, "throw_rules", "", 1, 2, 1, "1: all of hc2023 4:1(3); 2: hc2011, apart and flat"),
    Key(60, "throw_ms", "ms", 1_000, 20_000, 5_000, "picked up to thrown (hc2023 4:1(3): five s)"),
    Key(61, "together_ms", "ms", 20, 1_000, 200, "first die over the throw line to the last"),
    Key(62, "wall_hits", "hits", 0, 6, 0, "of the far wall, 0: as many as dice"),
    Key(63, "hit_gap_ms", "ms", 2, 100, 12, "hits of one plate within that time count once"),
    Key(64, "rest_limit_ms", "ms", 4_000, 60_000, 15_000, "thrown to faces at the latest"),
    Key(65, "objection_ms", "ms", 0, 10_000, 1_000, "dice at rest to result, for the button"),
    Key(66, "close_on_pickup", "", 0, 1, 1, "1: picking up closes bets; 0: the throw"),
    Key(67, "frame_size", "", 1, 2, 1, "1: 160 x 120 px, 2: 320 x 240"),
    Key(68, "wall_row", "px", 2, 40, 6, "row where far wall and cloth meet, calibrated"),
    Key(69, "mark_column", "px", 12, 148, 80, "column of the mark on the wall, calibrated"),
    Key(70, "line_row", "px", 10, 56, 36, "row of the dice line's far side, calibrated"),
    Key(71, "camera_shift", "px", 1, 10, 2, "wall or mark further off: the camera moved"),
    Key(72, "dark_grey", "greys", 2, 100, 20, "mean of the frame: less is too dark"),
    Key(85, "dice_reading", "", 1, 2, 2, "1: the table reads the faces; 2: the host alone does"),
    Key(104, "lights", "", 0, 3, 0, "0: not switched; 1, 2: that lamp alone; 3: both in turn"),
)
ORDERS: tuple[Order, ...] = (
    Order("wall_row", "line_row", 4, "the dice line would be on the wall"),
)


_MOST_MS = 60000
_UNKNOWN = 0xFFFF


def span(meaning: str) -> Ranged:
    return number("H", "ms", 0, _MOST_MS, meaning, unknown=_UNKNOWN)


def die(place: str) -> Ranged:
    return number("B", "", 1, 6, f"the {place} face, from low to high", unknown=0)


def blocks(meaning: str) -> Ranged:
    return number("H", "blocks", 0, 4000, meaning, unknown=_UNKNOWN)


def crc() -> Ranged:
    return number("I", "", 0, 0xFFFFFFFF, "CRC-32 of the frame's pixels")


def grey() -> Ranged:
    return number("B", "greys", 0, 255, "mean of the frame")


MESSAGES: tuple[Message, ...] = (
    Message(
        0x0B, "dice_seen", "table", False,
        Struct(
            "reading" / choice("B", READING, "result of the reading"),
            "die_1" / die("first"),
            "die_2" / die("second"),
            "die_3" / die("third"),
            "die_4" / die("fourth"),
            "die_5" / die("fifth"),
            "die_6" / die("sixth"),
            "changed" / blocks("of 8 x 8 px that differ from the frame before"),
            "since_last" / blocks("that differ from the frame of the last result"),
            "grey" / grey(),
            "shift" / number("B", "px", 0, 250, "displacement of wall and mark", unknown=255),
            "frame_crc" / crc(),
            "rig" / number(
                "I", "", 1, 0xFFFFFFFF, "digest of the commissioned tray it was read with",
                unknown=0, since=1,
            ),
        ),
        "The reading of one frame of the camera. Faces are given only with the reading `read`.",
    ),
    Message(
        0x24, "dice_result", "table", True,
        Struct(
            "die_1" / die("first"),
            "die_2" / die("second"),
            "die_3" / die("third"),
            "die_4" / die("fourth"),
            "die_5" / die("fifth"),
            "die_6" / die("sixth"),
            "held_ms" / span("picked up to thrown"),
            "spread_ms" / span("first die over the throw line to the last"),
            "hits" / number("B", "hits", 0, 255, "of the far wall"),
            "rest_ms" / span("thrown to the first of the frames that agreed"),
            "agreed" / number("B", "frames", 2, 255, "at rest in a row, with these faces"),
            "refused" / number("B", "frames", 0, 255, "at rest that could not be read before"),
            "since_last" / blocks("that differ from the frame of the last result"),
            "frame_crc" / crc(),
        ),
        "Faces, of a valid throw, read alike in two frames at rest. None with dice_reading 2: the "
        "frames at rest are alike, and the host reads the one with frame_crc.",
    ),
    Message(
        0x25, "throw_evidence", "table", True,
        Struct(
            "reason" / reason("why the round is void"),
            "held_ms" / span("picked up to thrown"),
            "spread_ms" / span("first die over the throw line to the last"),
            "crossings" / number("B", "", 0, 255, "of the throw line"),
            "hits" / number("B", "hits", 0, 255, "of the far wall"),
            "wall_ms" / span("thrown to the last hit of the wall"),
            "edges" / number("B", "", 0, 255, "breaks of an edge beam"),
            "presses" / number("B", "", 0, 255, "of the croupier's button"),
            "frames" / number("B", "frames", 0, 255, "read since the throw"),
            "reading" / choice("B", READING, "of the last of them", unknown=0),
            "frame_crc" / crc(),
        ),
        "Evidence of a throw whose round is void; sent right before the void.",
    ),
)  # fmt: skip

INPUTS: Names = (
    (1, "pick_up"),
    (2, "throw_line"),
    (3, "far_wall"),
    (4, "far_wall"),
    (5, "far_wall"),
    (6, "edge_beams"),
    (12, "camera"),
)
ROLE = RoleWords(
    3,
    "dice_tray",
    MESSAGES,
    "dice_result",
    REASONS,
    KEYS,
    ORDERS,
    enums=(("READING", READING),),
    adds=(
        ("WHEEL", ((5, "dice"),)),
        ("PHASE", ((7, "picked_up"), (8, "thrown"))),
        ("CLOSE_CAUSE", ((8, "dice_taken"), (9, "dice_thrown"))),
    ),
    inputs=INPUTS,
)
