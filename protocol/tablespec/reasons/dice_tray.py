"""700 to 799: a dice tray, its throws and its camera.

D-1 to D-10 are the ten conditions of hc2023 4:1(3); hc2011 4:1(3) asks for dice that lie
separately and flat. A person sees what no sensor does (702, 708, 709) and says it at the button.
"""

from tablespec.reasons.shape import NO_PLAY_WITH_A_FAULT, Reason

_HC = "hc2023 4:1(3)"
_OTHER = f"{_HC}; hc2011 4:1(3) (another cause: the faces cannot be believed)"
_AGAIN = "Give the dice back and have them thrown again."

REASONS: tuple[Reason, ...] = (
    Reason(
        701, "late_throw", "void", 1,
        "More than five seconds passed between picking up the dice and throwing them.",
        f"{_AGAIN} If throws seem quick enough, check where the pick-up beam stands.",
        f"{_HC} D-1: not thrown within 5 seconds after picking them up",
    ),
    Reason(
        702, "two_hands", "void", 1,
        "The croupier said at the button, or the host by command, that both hands were used.",
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
        f"{_AGAIN} From the head end. If it was so, check the throw-line beam.",
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
        "A die leans: more of its sides is seen than of a die that lies flat.",
        f"{_AGAIN} If it repeats at one place, look for a fold of the cloth or a chip there.",
        f"{_HC} D-7 (READING-16); hc2011 4:1(3): not flat",
    ),
    Reason(
        708, "die_broken", "void", 2,
        "The croupier said at the button, or the host by command, that a die is broken.",
        "Take the set out of play, put in another one, then have it thrown.",
        f"{_HC} D-8: one or more dice are broken",
    ),
    Reason(
        709, "die_irregular", "void", 2,
        "The croupier said at the button, or the host by command, that a die is irregular.",
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
        "The picture is that of the round before: the dice have not moved, or it is an old one.",
        "See that the dice were thrown; look at the camera and its cable.",
        _OTHER,
    ),
    Reason(
        712, "camera_covered", "fault", 2,
        "The picture is one even surface: something lies over the lens.",
        "Uncover and clean the lens; it clears with the next good picture.",
        NO_PLAY_WITH_A_FAULT,
    ),
    Reason(
        713, "camera_moved", "fault", 3,
        "Far wall or its mark do not stand in the picture where calibration put them.",
        "Set the camera right and tighten it, or calibrate wall_row and mark_column anew; it "
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
        "No new picture came, or the same one again and again.",
        "Check plug and supply of the camera; it clears with the next good picture.",
        NO_PLAY_WITH_A_FAULT,
    ),
    Reason(
        717, "not_thrown", "void", 1,
        "The bets closed and nobody picked the dice up.",
        "Have the dice thrown when the next round opens. If they were, check the pick-up beam.",
        _OTHER,
    ),
    Reason(
        718, "face_unsure", "void", 1,
        "The dice lie still and a face cannot be read beyond doubt.",
        f"{_AGAIN} If it repeats, look for glare, worn pips and dirt; `tabletool dice` reads a "
        "picture and says why.",
        _OTHER,
    ),
    Reason(
        719, "never_rested", "void", 2,
        "The picture did not come to rest, or no two pictures agreed, within rest_limit_ms.",
        f"{_AGAIN} If the dice did lie still, look for a moving shadow or a loose camera.",
        _OTHER,
    ),
    Reason(
        720, "tray_obstructed", "void", 2,
        "A hand or a thing reached over the dice before their faces were read.",
        f"Nobody may reach in before the result stands. {_AGAIN}",
        _OTHER,
    ),
    Reason(
        721, "dice_not_apart", "void", 1,
        "Dice lie on or so close to each other that two readings of one place are possible.",
        _AGAIN,
        "hc2011 4:1(3) S-1: not lying separately (READING-51)",
    ),
)  # fmt: skip
