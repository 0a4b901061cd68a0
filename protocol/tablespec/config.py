"""Configuration keys of a controller: every value is a 32-bit integer with a unit and a range."""

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Key:
    """One configuration value. number: key on the wire and in the stored slots, never reused.

    role: the only one that reads it; a table keeps all keys, so that it can change its role.
    """

    number: int
    name: str
    unit: str
    low: int
    high: int
    default: int
    meaning: str
    role: str = ""


@dataclass(frozen=True)
class Order:
    """Two values that must agree: value of `lower` + gap <= value of `upper`. why: or else."""

    lower: str
    upper: str
    gap: int
    why: str


_COMMON: tuple[Key, ...] = (
    Key(1, "role", "", 1, 6, 1, "1 roulette, 2 money wheel, 3 dice, 4 shuffler, 5 balls, 6 shoe"),
    Key(2, "wheel", "", 1, 2, 1, "1 single zero, 2 double zero"),
    Key(3, "reading_direction", "", 0, 1, 0, "printed order read 0 clockwise, 1 the other way"),
    Key(4, "index_offset", "pockets", 0, 37, 0, "pocket after the index, counted clockwise"),
    Key(5, "pocket_sensor", "", 1, 3, 1, "1 switch array, 2 reader head, 3 both must agree"),
    Key(6, "head_angle_mdeg", "mdeg", 0, 359_999, 180_000, "reader head, clockwise from index"),
    Key(7, "rim_angle_mdeg", "mdeg", 30_000, 150_000, 90_000, "rim 1 to rim 2, clockwise"),
    Key(8, "min_circuits", "circuits", 1, 20, 7, "fewer void the spin (hc2023 2:1(2): seven)"),
    Key(9, "max_bet_ms", "ms", 5_000, 300_000, 60_000, "bets close by then at the latest"),
    Key(10, "close_on_ball", "", 0, 1, 1, "1: first ball evidence closes bets; 0: lap time"),
    Key(11, "nmb_lap_ms", "ms", 400, 2_500, 1_000, "no more bets when a lap takes longer"),
    Key(12, "launch_lap_max_ms", "ms", 500, 3_000, 1_000, "a longer first lap is a slow launch"),
    Key(13, "drop_lap_ms", "ms", 600, 3_000, 1_100, "a ball leaving after shorter laps was taken"),
    Key(14, "stuck_lap_ms", "ms", 1_500, 6_000, 2_600, "a ball this slow cannot be on the rim"),
    Key(15, "settle_ms", "ms", 5_000, 60_000, 45_000, "drop to number at the latest"),
    Key(16, "array_stable_ms", "ms", 500, 5_000, 2_500, "one single pocket switch for this long"),
    Key(17, "head_turns", "turns", 2, 10, 2, "whole rotor turns that read the same pocket"),
    Key(18, "rotor_min_drpm", "0.1 rpm", 10, 500, 60, "slower is a void"),
    Key(19, "rotor_max_drpm", "0.1 rpm", 100, 2_000, 300, "faster is a void"),
    Key(20, "result_hold_ms", "ms", 0, 60_000, 5_500, "result or void to the next opening"),
    Key(21, "auto_open", "", 0, 1, 1, "1: rounds open by themselves; 0: by command or button"),
    Key(22, "tilt_fitted", "", 0, 1, 1, "1: the tilt input is wired"),
    Key(23, "dome_fitted", "", 0, 1, 1, "1: the dome input is wired"),
    Key(24, "production", "", 0, 1, 0, "1: the console is closed but in maintenance"),
)

_MONEY_WHEEL: tuple[Key, ...] = (
    Key(25, "segments", "", 1, 2, 1, "1: 52 segments, 2: 54"),
    Key(26, "pin_offset", "pins", 0, 53, 0, "pin half a segment after the index"),
    Key(27, "min_revolutions", "turns", 1, 10, 4, "fewer void the spin (hc2023 2:5(4): four)"),
    Key(28, "revolutions_from", "", 0, 1, 1, "0: first push, 1: end of the last (READING-14)"),
    Key(29, "max_pushes", "", 1, 5, 2, "a further one is a hand that obstructs"),
    Key(30, "close_on_turn", "", 0, 1, 1, "1: a turning wheel closes bets; 0: nmb_drpm"),
    Key(31, "nmb_drpm", "0.1 rpm", 20, 600, 150, "no more bets when slower after the last push"),
    Key(32, "wheel_max_drpm", "0.1 rpm", 100, 900, 750, "faster is a runaway"),
    Key(33, "friction_ddegss", "0.1 deg/s2", 20, 2_000, 170, "slowing of a free run, calibrated"),
    Key(34, "flapper_rest_raw", "", 100, 3_995, 1_000, "reading between two pins, calibrated"),
    Key(35, "flapper_top_raw", "", 100, 3_995, 3_000, "reading on top of a pin, calibrated"),
    Key(36, "rest_ms", "ms", 1_500, 10_000, 2_500, "at rest for this long before the result"),
    Key(37, "max_run_ms", "ms", 20_000, 300_000, 120_000, "still turning after that is a void"),
)

_SHUFFLER: tuple[Key, ...] = (
    Key(38, "cards", "cards", 20, 832, 52, "that each pass of a shuffle must count"),
    Key(39, "passes", "passes", 1, 2, 1, "2: a second pass must count the same"),
    Key(40, "card_ms", "ms", 20, 500, 80, "one card at a gate, calibrated"),
    Key(41, "jam_ms", "ms", 500, 10_000, 1_500, "a gate covered for longer is a jam"),
    Key(42, "transport_ms", "ms", 1_000, 60_000, 8_000, "a card inside and none moving: a jam"),
    Key(43, "unfinished_ms", "ms", 5_000, 300_000, 30_000, "no card and not ready: unfinished"),
    Key(44, "motor_limit_raw", "", 100, 3_995, 3_000, "motor current above is a stall"),
    Key(45, "stall_ms", "ms", 200, 5_000, 800, "for this long"),
    Key(46, "margin_warn", "percent", 50, 95, 80, "clean edges of a gate: below is told"),
    Key(47, "margin_min", "percent", 10, 90, 50, "below locks the shoe"),
    Key(48, "serial_shuffler", "", 0, 1, 0, "0: gates are wired; 1: the machine counts"),
)

_CARD_SHOE: tuple[Key, ...] = (
    Key(49, "decks", "decks", 1, 8, 8, "of 52 cards in a new shoe"),
    Key(50, "round_burns", "cards", 0, 5, 0, "burned at the start of each round"),
    Key(51, "rounds_after_cut", "rounds", 0, 2, 0, "after the one in which the cut card came"),
    Key(52, "card_ratio", "percent", 150, 1_500, 440, "card over gate distance, calibrated"),
    Key(53, "ratio_slack", "percent", 5, 60, 15, "a card may seem longer by, two are longer"),
    Key(54, "sheet_limit_raw", "", 100, 3_995, 2_500, "thickness above is more than one card"),
    Key(55, "stuck_ms", "ms", 500, 10_000, 2_500, "a gate covered for longer is a stuck card"),
    Key(56, "read_ms", "ms", 200, 5_000, 1_000, "after a card passed, its value at the latest"),
    Key(57, "dealing_ms", "ms", 30_000, 3_600_000, 600_000, "no more bets to the end, at most"),
)

# Places in the picture are those of 160 x 120 px, also where it has 320 x 240.
_DICE_TRAY: tuple[Key, ...] = (
    Key(58, "dice", "dice", 1, 6, 3, "the table has: Sic Bo 3, other games 2"),
    Key(59, "throw_rules", "", 1, 2, 1, "1: all of hc2023 4:1(3); 2: hc2011, apart and flat"),
    Key(60, "throw_ms", "ms", 1_000, 20_000, 5_000, "picked up to thrown (hc2023 4:1(3): five s)"),
    Key(61, "together_ms", "ms", 20, 1_000, 200, "first die over the throw line to the last"),
    Key(62, "wall_hits", "hits", 0, 6, 0, "of the far wall, 0: as many as dice"),
    Key(63, "hit_gap_ms", "ms", 2, 100, 12, "hits of one plate within that time count once"),
    Key(64, "rest_limit_ms", "ms", 4_000, 60_000, 15_000, "thrown to faces at the latest"),
    Key(65, "objection_ms", "ms", 0, 10_000, 1_500, "faces read to result, for the button"),
    Key(66, "close_on_pickup", "", 0, 1, 1, "1: picking up closes bets; 0: the throw"),
    Key(67, "frame_size", "", 1, 2, 1, "1: 160 x 120 px, 2: 320 x 240"),
    Key(68, "wall_row", "px", 2, 40, 6, "row where far wall and cloth meet, calibrated"),
    Key(69, "mark_column", "px", 12, 148, 80, "column of the mark on the wall, calibrated"),
    Key(70, "line_row", "px", 10, 56, 36, "row of the dice line's far side, calibrated"),
    Key(71, "camera_shift", "px", 1, 10, 2, "wall or mark further off: the camera moved"),
    Key(72, "dark_grey", "greys", 2, 100, 20, "mean of the frame: less is too dark"),
)

_DRAW_MACHINE: tuple[Key, ...] = (
    Key(73, "balls", "balls", 20, 90, 80, "the machine has: Keno 80, Bingo 75, 80 or 90"),
    Key(74, "draw_count", "balls", 0, 90, 20, "to draw; 0: until somebody has won (Bingo)"),
    Key(75, "ball_set", "", 0, 255, 0, "that the tags must name; 0: tags name none"),
    Key(76, "ball_ms", "ms", 10, 200, 40, "one ball at a beam of the gate, calibrated"),
    Key(77, "ball_stuck_ms", "ms", 400, 10_000, 1_500, "a beam covered for longer is a jam"),
    Key(78, "transit_ms", "ms", 200, 20_000, 3_000, "gate to tube at the latest"),
    Key(79, "ball_read_ms", "ms", 200, 10_000, 1_500, "in the tube to both readings"),
    Key(80, "blower_min_raw", "", 100, 3_995, 1_500, "a lower reading: it does not run"),
    Key(81, "blower_stall_ms", "ms", 200, 5_000, 800, "for this long"),
    Key(82, "mix_ms", "ms", 0, 60_000, 5_000, "no more bets to the first ball at least"),
    Key(83, "ball_wait_ms", "ms", 5_000, 600_000, 60_000, "to the next ball at the latest"),
    Key(84, "recall_ms", "ms", 2_000, 300_000, 30_000, "recalled balls come in that close"),
)

KEYS: tuple[Key, ...] = (
    *_COMMON,
    *(replace(key, role="money_wheel") for key in _MONEY_WHEEL),
    *(replace(key, role="shuffler") for key in _SHUFFLER),
    *(replace(key, role="card_shoe") for key in _CARD_SHOE),
    *(replace(key, role="dice_tray") for key in _DICE_TRAY),
    *(replace(key, role="draw_machine") for key in _DRAW_MACHINE),
)

# Values in their ranges that contradict each other. Any set of rules like these can be changed
# into any other one value at a time (raise the upper first, lower the lower first).
ORDERS: tuple[Order, ...] = (
    Order("index_offset", "wheel", -35, "a single-zero wheel has no place 37"),
    Order("nmb_lap_ms", "drop_lap_ms", 0, "the ball could drop with bets open"),
    Order("launch_lap_max_ms", "drop_lap_ms", 0, "a launch would be as slow as a dropping ball"),
    Order("drop_lap_ms", "stuck_lap_ms", 1, "a ball would be stuck before it may drop"),
    Order("array_stable_ms", "settle_ms", 1, "the time would be over before a number stands"),
    Order("rotor_min_drpm", "rotor_max_drpm", 1, "no rotor speed would do"),
    Order("margin_min", "margin_warn", 5, "the lock would come before its warning"),
    Order("wall_row", "line_row", 4, "the dice line would lie on the wall"),
    Order("draw_count", "balls", 0, "more would be drawn than there are"),
    Order("ball_ms", "ball_stuck_ms", 200, "a ball that passes would be a jam"),
)
