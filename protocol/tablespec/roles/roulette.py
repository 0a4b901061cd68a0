"""A roulette wheel.

Reasons 100 to 199: the ball; 200 to 299: the rotor.
"""

from construct import Struct

from tablespec.core.controller_keys import Key, Order
from tablespec.core.core_reasons import OTHER_CAUSE, ROULETTE_VOIDS, Reason
from tablespec.core.field_shapes import MAX_MS, Message, circuits, direction, last_lap, speed
from tablespec.core.words import RoleWords
from tablespec.field_types import Names, choice, number

POCKET: Names = (*((n, str(n)) for n in range(37)), (37, "00"))
POCKET_SENSOR: Names = ((1, "array"), (2, "head"), (3, "both"))

REASONS: tuple[Reason, ...] = (
    # 100 to 199: the ball.
    Reason(
        101, "short_spin", "void", 1,
        "The ball left the rim before it completed the required circuits.",
        "Spin again, harder. If it repeats, clean the ball track and check the level.",
        f"{ROULETTE_VOIDS}: the ball will not make seven circuits",
    ),
    Reason(
        102, "ball_with_rotor", "void", 1,
        "The ball ran in the direction of the rotor.",
        "Spin again against the rotor. If the ball did run against it, the rim sensors or the "
        "ring sensors are swapped: see WIRING.md.",
        f"{ROULETTE_VOIDS}: the ball spins in the direction of the wheel",
    ),
    Reason(
        103, "no_pocket", "void", 2,
        "After the drop no pocket was agreed within the settle time.",
        "Look where the ball is. In a pocket: clean the pocket sensors and check the index. "
        "Elsewhere: spin again.",
        f"{ROULETTE_VOIDS}: the ball does not fall into one of the number pockets",
    ),
    Reason(
        104, "foreign_object", "void", 2,
        "The rim sensors detected passes that one ball cannot make.",
        "Look for an object or a second ball in the wheel and remove it; spin again.",
        f"{ROULETTE_VOIDS}: any other object lands in the wheel",
    ),
    Reason(
        105, "second_ball", "void", 2,
        "Two pockets report a ball after the drop.",
        "Remove the second ball; call the supervisor.",
        f"{ROULETTE_VOIDS}: any other object lands in the wheel",
    ),
    Reason(
        106, "ball_removed", "void", 2,
        "The ball disappeared from the rim while it was too fast to drop.",
        "Ask who took the ball; spin again. If no one did, check the rim sensors.",
        OTHER_CAUSE,
    ),
    Reason(
        107, "ball_not_sensed", "void", 3,
        "A ball appeared in a pocket although no rim sensor detected it.",
        "Spin again. If it repeats, the rim sensors are blind: check their supply and gap; or the "
        "keys of their angles (rim_angle_mdeg and so on) are wrong.",
        f"{ROULETTE_VOIDS}: seven circuits were not measured",
    ),
    Reason(
        108, "ball_stuck", "void", 2,
        "The ball stayed in the track slower than a ball can.",
        "Take the ball out, clean ball and track, check the level; spin again.",
        f"{ROULETTE_VOIDS}: the ball does not fall into one of the number pockets",
    ),
    Reason(
        109, "launch_failed", "void", 1,
        "The ball was lost from the rim within its first two circuits.",
        "Spin again.",
        f"{ROULETTE_VOIDS}: the ball will not make seven circuits",
    ),
    Reason(
        110, "slow_launch", "void", 1,
        "The first lap took longer than allowed.",
        "Spin again, harder. Bets are closed already.",
        f"{ROULETTE_VOIDS}: the ball will not make seven circuits",
    ),
    Reason(
        111, "foreign_magnet", "void", 3,
        "A pocket sensor reported a ball while the ball ran on the rim.",
        "Look for a magnet or a second ball in the pockets; check the ball with a compass; "
        "call the supervisor.",
        f"{ROULETTE_VOIDS}: any other object lands in the wheel",
    ),
    Reason(
        112, "ball_left", "void", 2,
        "The ball left the wheel after it left the rim, or entered a pocket at a time at which no "
        "ball lands.",
        "A ball that left the wheel decides nothing, even if it is put back: spin again. If it "
        "did not leave, clean the pocket sensors.",
        f"{ROULETTE_VOIDS}: the ball does not fall into one of the number pockets",
    ),
    Reason(
        113, "bracket_moved", "void", 3,
        "The ball passed the reader head more than a third of a pocket off a pocket's middle.",
        "Check the bracket of the reader head, then run the calibration reader_offset.",
        OTHER_CAUSE,
    ),
    Reason(
        114, "sensors_differ", "void", 3,
        "The reader head read another pocket than the switch array for two turns.",
        "Look where the ball is. The sensor that shows another pocket is wrong: run the walk, "
        "which names it.",
        OTHER_CAUSE,
    ),
    # 200 to 299: the rotor.
    Reason(
        201, "rotor_stopped", "void", 2,
        "The rotor was at rest during the spin.",
        "Push the rotor and spin again. If it turned, check both ring sensors.",
        OTHER_CAUSE,
    ),
    Reason(
        202, "rotor_slow", "void", 1,
        "The rotor turned slower than its limit during the spin.",
        "Push the rotor harder and spin again.",
        OTHER_CAUSE,
    ),
    Reason(
        203, "rotor_fast", "void", 1,
        "The rotor turned faster than its limit during the spin.",
        "Let the rotor slow down and spin again.",
        OTHER_CAUSE,
    ),
    Reason(
        204, "rotor_reversed", "void", 2,
        "The rotor changed direction during the spin.",
        "No one may touch the rotor during a spin; spin again.",
        OTHER_CAUSE,
    ),
    Reason(
        205, "index_lost", "void", 3,
        "The rotor passed two turns without an index pulse half way between two ring magnets.",
        "Check the index magnet, its place between two ring magnets, and the index sensor's gap"
        " (about 2 mm).",
        OTHER_CAUSE,
    ),
    Reason(
        206, "tick_lost", "void", 3,
        "Turns of the rotor counted the wrong number of pockets.",
        "Check the ring for a missing magnet and the gap of both ring sensors.",
        OTHER_CAUSE,
    ),
)  # fmt: skip

KEYS: tuple[Key, ...] = (
    Key(2, "wheel", "", 1, 2, 1, "1 single zero, 2 double zero"),
    Key(3, "reading_direction", "", 0, 1, 0, "printed order read 0 clockwise, 1 the other way"),
    Key(4, "index_offset", "pockets", 0, 37, 0, "pocket after the index, counted clockwise"),
    Key(5, "pocket_sensor", "", 1, 3, 1, "1 switch array, 2 reader head, 3 both must agree"),
    Key(6, "head_angle_mdeg", "mdeg", 0, 359_999, 180_000, "reader head, clockwise from index"),
    Key(7, "rim_angle_mdeg", "mdeg", 30_000, 150_000, 90_000, "rim 1 to rim 2, clockwise"),
    Key(8, "min_circuits", "circuits", 1, 20, 7, "fewer void the spin (hc2023 2:1(2): seven)"),
    Key(10, "close_on_ball", "", 0, 1, 1, "1: first ball evidence closes bets; 0: lap time"),
    Key(11, "nmb_lap_ms", "ms", 400, 2_500, 1_000, "no more bets when a lap takes longer"),
    Key(12, "launch_lap_max_ms", "ms", 500, 3_000, 1_000, "a longer first lap is a slow launch"),
    Key(13, "drop_lap_ms", "ms", 600, 3_000, 1_100, "a ball leaving after shorter laps was taken"),
    Key(14, "stuck_lap_ms", "ms", 1_500, 6_000, 2_600, "a ball this slow cannot be on the rim"),
    Key(15, "settle_ms", "ms", 5_000, 60_000, 45_000, "drop to number at the latest"),
    Key(16, "array_stable_ms", "ms", 500, 5_000, 2_500, "one single pocket switch for this long"),
    Key(17, "head_turns", "turns", 1, 10, 1, "whole rotor turns that read the same pocket"),
    Key(18, "rotor_min_drpm", "0.1 rpm", 10, 500, 60, "slower is a void"),
    Key(19, "rotor_max_drpm", "0.1 rpm", 100, 2_000, 300, "faster is a void"),
    Key(86, "rim_sensors", "", 2, 4, 2, "rim sensors fitted"),
    Key(87, "rim_3_angle_mdeg", "mdeg", 60_000, 300_000, 180_000, "rim 1 to rim 3, clockwise"),
    Key(88, "rim_4_angle_mdeg", "mdeg", 90_000, 330_000, 270_000, "rim 1 to rim 4, clockwise"),
    Key(89, "rim_roughness", "1/1000", 20, 300, 200, "share by which the rim's drag varies"),
    Key(90, "lap_steady", "0.0001 turns/s2", 0, 4_000, 0, "steady drag of the ball"),
    Key(91, "lap_square", "0.0001 per turn", 0, 2_000, 0, "drag by speed squared; 0: unknown"),
)
# Where each rim sensor after the first is.
RIM_ANGLES = ("rim_angle_mdeg", "rim_3_angle_mdeg", "rim_4_angle_mdeg")
ORDERS: tuple[Order, ...] = (
    Order("index_offset", "wheel", -35, "a single-zero wheel has no place 37"),
    Order("nmb_lap_ms", "drop_lap_ms", 0, "the ball could drop with bets open"),
    Order("launch_lap_max_ms", "drop_lap_ms", 0, "a launch would be as slow as a dropping ball"),
    Order("drop_lap_ms", "stuck_lap_ms", 1, "a ball would be stuck before it may drop"),
    Order("array_stable_ms", "settle_ms", 1, "the time would be over before a number is stable"),
    Order("rotor_min_drpm", "rotor_max_drpm", 1, "no rotor speed would be valid"),
    Order("rim_angle_mdeg", "rim_3_angle_mdeg", 30_000, "rim sensors 2 and 3 would be one"),
    Order("rim_3_angle_mdeg", "rim_4_angle_mdeg", 30_000, "rim sensors 3 and 4 would be one"),
)


MESSAGES: tuple[Message, ...] = (
    Message(
        0x12, "wheel_result", "table", True,
        Struct(
            "pocket" / choice("B", POCKET, "the number; 37 is the double zero"),
            "pocket_index" / number("B", "pockets", 0, 37, "place on the rotor, 0 = number 0"),
            "sensor" / choice("B", POCKET_SENSOR, "sensors that agreed"),
            "agreements" / number("B", "readings", 1, 255, "readings that agreed"),
            "circuits_centi" / circuits(),
            "ball_direction" / direction("ball"),
            "rotor_direction" / direction("rotor"),
            "rotor_drpm" / speed(),
            "last_lap_ms" / last_lap(),
            "track_ms" / number("I", "ms", 0, MAX_MS, "first ball evidence to drop"),
            "result_ms" / number("I", "ms", 0, MAX_MS, "drop to number"),
            "drop_rim" / number("B", "", 1, 4, "rim sensor that the ball passed last"),
            "friction_ddegss" / number(
                "H", "0.1 deg/s2", 0, 60000, "slowing of the ball in its last lap", unknown=0xFFFF
            ),
            "head_off_centi" / number(
                "b", "0.01 pocket", -50, 50, "reading beside the pocket, clockwise", unknown=-128
            ),
        ),
        "A number, of a valid run, agreed by every working sensor.",
    ),
)  # fmt: skip

INPUTS: Names = (
    (1, "rotor_a"),
    (2, "rotor_b"),
    (3, "index"),
    (4, "rim_1"),
    (5, "rim_2"),
    (6, "head"),
    (12, "array"),
    (14, "rim_3"),
    (15, "rim_4"),
)
ROLE = RoleWords(
    1,
    "roulette",
    MESSAGES,
    "wheel_result",
    REASONS,
    KEYS,
    ORDERS,
    enums=(("POCKET_SENSOR", POCKET_SENSOR),),
    adds=(
        ("WHEEL", ((1, "single"), (2, "double"))),
        ("PHASE", ((3, "ball_in_rim"), (5, "dropped"))),
        ("CLOSE_CAUSE", ((1, "ball_detected"),)),
    ),
    inputs=INPUTS,
    key_lists=(("RIM_ANGLES", RIM_ANGLES),),
    labels=(
        ("layout", "wheel"),
        ("requirement", "min_circuits"),
        ("progress", "circuits"),
        ("progress_centi", "circuits_centi"),
        ("object_direction", "ball_direction"),
        ("machine_direction", "rotor_direction"),
        ("machine_drpm", "rotor_drpm"),
    ),
)
