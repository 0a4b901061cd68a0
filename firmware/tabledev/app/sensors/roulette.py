"""The sensors of a roulette wheel: the rotor turned twice, the ball rolled."""

from tablelogic.roulette.track import RIMS
from tablewire import codes, diagnosis
from tablewire import roulette as words
from tablewire.compat import const

from .input_rows import OFF, sample

if -0:  # for mypy
    from array import array
    from typing import Any

    from tablelogic.roulette.rotor import Rotor
    from tablelogic.roulette.roulette import Roulette
    from tabletypes import Config, Row, Rows, Watch
    from tabletypes.of_role import RouletteBoard

    from ..head_place import HeadPlace
    from ..rim_angle import RimAngle
    from ..turns import Turns

_BITS = const(40)  # of five registers; a wheel has 37 or 38 switches
_RIM_CODE = words.BALL_NOT_SENSED  # says that rim_angle_mdeg is not the angle
_RIM_SLACK = const(4000)  # mdeg; beside its angle by 8000 a rim sensor makes no difference
_INDEX_SLACK = const(9)  # in 1/64 pocket; right wheels are within 5, and 13 are void
_B_SLACK = const(8)  # in 1/64 pitch, of the 16 that sensor B is beside A
_TICK_SLACK = const(1)  # a spark on the line
_RIM_TURNS = const(2)  # pairs of turns; 300 balls of hil_tests.physics were within 400 mdeg


class Places:
    """Where sensors of a wheel are and what they miss, by what passes them.

    head: None without one. rims: of each rim sensor after the first one. turns: of the rotor.
    """

    def __init__(self, head: "HeadPlace | None", rims: "list[RimAngle]", turns: "Turns") -> None:
        self.head = head
        self.rims = rims
        self.turns = turns

    def edge(self, sensor: int, level: int, t_us: int) -> None:
        """An input switched. Allocates nothing."""
        if sensor in RIMS:
            other = 1
            for rim in self.rims:
                if sensor == RIMS[0] or sensor == RIMS[other]:
                    rim.edge(sensor, level, t_us)
                other += 1
        elif sensor == words.INPUT_INDEX:
            if level:
                self.turns.index()
        elif sensor == words.INPUT_HEAD and self.head is not None:
            self.head.edge(level, t_us)


def watch(role: "Roulette", cfg: "Config", pulses: "array[int]") -> "Watch":
    """Return what measures the places of sensors while a technician moves ball and rotor."""
    from ..rim_angle import RimAngle  # for a self-test only
    from ..turns import Turns

    head = None
    if role.pocket.head:
        from ..head_place import HeadPlace  # few tables have one

        head = HeadPlace(role.rotor, cfg[words.HEAD_ANGLE_MDEG])
    rims = [RimAngle() for _ in RIMS[1 : cfg[words.RIM_SENSORS]]]
    return Places(head, rims, Turns(role.rotor, pulses))


def sensors(board: "RouletteBoard") -> "Rows":
    """Yield a row of each."""
    stuck, rotor = codes.SENSOR_STUCK, board.role.rotor
    a, b = words.INPUT_ROTOR_A, words.INPUT_ROTOR_B
    yield board.line(a, stuck, b, 8)
    yield board.line(b, stuck, a, 8)
    yield board.line(words.INPUT_INDEX, words.INDEX_LOST, a, share=rotor.pockets)
    yield sample(words.INPUT_INDEX, diagnosis.QUANTITY_ANGLE, rotor.angle_mdeg())
    lost = rotor.lost()
    yield sample(words.INPUT_INDEX, diagnosis.QUANTITY_ERROR, lost, OFF, lost)
    places: "Any" = board.tally.places
    if places is not None:
        yield from _turns(rotor, places)
        yield from _passes(places.rims)
    yield from _rims(board)
    kind = board.cfg[words.POCKET_SENSOR]
    if kind != words.POCKET_SENSOR_ARRAY:
        yield board.line(words.INPUT_HEAD, words.NO_POCKET, words.INPUT_HEAD)
        head, slack = places and places.head, 72000 // rotor.pockets  # a fifth of a pocket
        if head is not None and head.count:
            off_mdeg, limits = head.mdeg(), (-slack, slack)
            place = diagnosis.QUANTITY_PLACE
            yield sample(words.INPUT_HEAD, place, off_mdeg, limits, words.NO_POCKET)
            pocket = (head.pocket + board.cfg[words.INDEX_OFFSET]) % rotor.pockets
            yield sample(words.INPUT_HEAD, diagnosis.QUANTITY_POCKET, pocket)
    if kind != words.POCKET_SENSOR_HEAD:
        yield from _array(board)
    yield board.dome()


def _turns(rotor: "Rotor", places: "Places") -> "Rows":
    # Where index and ring sensor B are between the ring magnets, and what was missed.
    turns = places.turns
    if not turns.count:
        return
    yield _off(rotor, words.INPUT_INDEX, rotor.index_off, _INDEX_SLACK, words.INDEX_LOST)
    yield _off(rotor, words.INPUT_ROTOR_B, turns.b_off, _B_SLACK, words.TICK_LOST)
    a, b, head = turns.missed
    limits, missed = (-_TICK_SLACK, _TICK_SLACK), diagnosis.QUANTITY_MISSED
    yield sample(words.INPUT_ROTOR_A, missed, a, limits, words.TICK_LOST)
    yield sample(words.INPUT_ROTOR_B, missed, b, limits, words.TICK_LOST)
    if places.head is not None:
        yield sample(words.INPUT_HEAD, missed, head)


def _off(rotor: "Rotor", sensor: int, off_64: int, slack_64: int, code: int) -> "Row":
    # So many 1/64 pockets off its place.
    off, slack = (n * 360000 // (64 * rotor.pockets) for n in (off_64, slack_64))
    return sample(sensor, diagnosis.QUANTITY_PLACE, off, (-slack, slack), code)


def _passes(rims: "list[RimAngle]") -> "Rows":
    # What rim sensors missed of a ball.
    place = 0
    for missed in [rims[0].missed_1] + [rim.missed for rim in rims]:
        if missed:
            yield sample(RIMS[place], diagnosis.QUANTITY_MISSED, missed)
        place += 1


def _rims(board: "RouletteBoard") -> "Rows":
    # The line of each, and the angles of those after the first one, the shorter way round.
    count, places = board.cfg[words.RIM_SENSORS], board.tally.places
    for sensor in RIMS[:count]:
        partner = RIMS[1] if sensor == RIMS[0] else RIMS[0]
        yield board.line(sensor, codes.SENSOR_STUCK, partner, 3)
    for place in range(1, count):
        if places is not None and places.rims[place - 1].count >= _RIM_TURNS:
            angle = board.cfg[words.RIM_ANGLES[place - 1]]
            angle = min(angle, 360000 - angle)
            limits = (angle - _RIM_SLACK, angle + _RIM_SLACK)
            rim = places.rims[place - 1]
            yield sample(RIMS[place], diagnosis.QUANTITY_ANGLE, rim.mdeg(), limits, _RIM_CODE)
            # The ball ran clockwise, if the sensors are where they are configured.
            off = rim.arc_mdeg() - board.cfg[words.RIM_ANGLES[place - 1]]
            yield sample(RIMS[place], diagnosis.QUANTITY_PLACE, off)


def _array(board: "RouletteBoard") -> "Rows":
    # Every switch that is closed, by its pocket; one row of -1 when none is.
    bits = bytearray(_BITS // 8)
    board.array.read(bits)
    closed = [k for k in range(_BITS) if bits[k >> 3] >> (k & 7) & 1]
    switches = diagnosis.QUANTITY_CLOSED_SWITCHES
    yield sample(words.INPUT_ARRAY, switches, len(closed), (0, 1), words.SECOND_BALL)
    for k in closed or (-1,):
        yield sample(words.INPUT_ARRAY, diagnosis.QUANTITY_POCKET, k)
