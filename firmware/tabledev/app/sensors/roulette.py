"""The sensors of a roulette wheel: the rotor turned twice, the ball rolled."""

from tablelogic.roulette.track import RIMS
from tablewire import codes, diagnosis
from tablewire import roulette as words
from tablewire.compat import const

from .input_rows import OFF, Board, sample

_BITS = const(40)  # of five registers; a wheel has 37 or 38 switches
_RIM_CODE = words.BALL_NOT_SENSED  # says that rim_angle_mdeg is not the angle
_RIM_SLACK = const(4000)  # mdeg; beside its angle by 8000 a rim sensor makes no difference
_RIM_TURNS = const(2)  # pairs of turns; 300 balls of hil_tests.physics were within 400 mdeg


class Places:
    """Where sensors of a wheel are, by what passes them.

    head: None without one. rims: of each rim sensor after the first one.
    """

    def __init__(self, head: object, rims: list) -> None:
        self.head = head
        self.rims = rims

    def edge(self, sensor: int, level: int, t_us: int) -> None:
        """An input switched. Allocates nothing."""
        if sensor in RIMS:
            other = 1
            for rim in self.rims:
                if sensor == RIMS[0] or sensor == RIMS[other]:
                    rim.edge(sensor, level, t_us)
                other += 1
        elif sensor == words.INPUT_HEAD and self.head is not None:
            self.head.edge(level, t_us)


def watch(role: object, cfg: list) -> object:
    """Return what measures the places of sensors while a technician moves ball and rotor."""
    from ..rim_angle import RimAngle  # for a self-test only

    head = None
    if role.pocket.head:
        from ..head_place import HeadPlace  # few tables have one

        head = HeadPlace(role.rotor, cfg[words.HEAD_ANGLE_MDEG])
    return Places(head, [RimAngle() for _ in RIMS[1 : cfg[words.RIM_SENSORS]]])


def sensors(board: Board) -> object:
    """Yield a row of each."""
    stuck, rotor = codes.SENSOR_STUCK, board.role.rotor
    a, b = words.INPUT_ROTOR_A, words.INPUT_ROTOR_B
    yield board.line(a, stuck, b, 8)
    yield board.line(b, stuck, a, 8)
    yield board.line(words.INPUT_INDEX, words.INDEX_LOST, a, share=rotor.pockets)
    yield sample(words.INPUT_INDEX, diagnosis.QUANTITY_ANGLE, rotor.angle_mdeg())
    lost = rotor.lost()
    yield sample(words.INPUT_INDEX, diagnosis.QUANTITY_ERROR, lost, OFF, lost)
    yield from _rims(board)
    places = board.tally.places
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


def _rims(board: Board) -> object:
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
            found = places.rims[place - 1].mdeg()
            yield sample(RIMS[place], diagnosis.QUANTITY_ANGLE, found, limits, _RIM_CODE)


def _array(board: Board) -> object:
    # Every switch that is closed, by its pocket; one row of -1 when none is.
    bits = bytearray(_BITS // 8)
    board.array.read(bits)
    closed = [k for k in range(_BITS) if bits[k >> 3] >> (k & 7) & 1]
    switches = diagnosis.QUANTITY_CLOSED_SWITCHES
    yield sample(words.INPUT_ARRAY, switches, len(closed), (0, 1), words.SECOND_BALL)
    for k in closed or (-1,):
        yield sample(words.INPUT_ARRAY, diagnosis.QUANTITY_POCKET, k)
