"""The sensors of a roulette wheel: the rotor turned twice, the ball rolled."""

from tablewire import codes, diagnosis
from tablewire import roulette as words
from tablewire.compat import const

from .input_rows import OFF, Board, sample

_BITS = const(40)  # of five registers; a wheel has 37 or 38 switches


_RIM_CODE = words.BALL_NOT_SENSED  # says that rim_angle_mdeg is not the angle
_RIM_SLACK = const(4000)  # mdeg; beside its angle by 8000 a rim sensor makes no difference
_RIM_TURNS = const(2)  # pairs of turns; 300 balls of hil_tests.physics were within 400 mdeg


class Places:
    """Where sensors of a wheel are, by what passes them. head: None without one."""

    def __init__(self, head: object, rim: object) -> None:
        self.head = head
        self.rim = rim

    def edge(self, sensor: int, level: int, t_us: int) -> None:
        """An input switched. Allocates nothing."""
        if sensor == words.INPUT_RIM_1 or sensor == words.INPUT_RIM_2:
            self.rim.edge(sensor, level, t_us)
        elif sensor == words.INPUT_HEAD and self.head is not None:
            self.head.edge(level, t_us)


def watch(role: object, cfg: list) -> object:
    """Return what measures the places of sensors while a technician moves ball and rotor."""
    from ..rim_angle import RimAngle  # for a self-test only

    head = None
    if role.pocket.uses_head:
        from ..head_place import HeadPlace  # few tables have one

        head = HeadPlace(role.rotor, cfg[words.HEAD_ANGLE_MDEG])
    return Places(head, RimAngle())


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
    yield board.line(words.INPUT_RIM_1, stuck, words.INPUT_RIM_2, 3)
    yield board.line(words.INPUT_RIM_2, stuck, words.INPUT_RIM_1, 3)
    places = board.tally.places
    if places is not None and places.rim.count >= _RIM_TURNS:
        angle = board.cfg[words.RIM_ANGLE_MDEG]
        limits = (angle - _RIM_SLACK, angle + _RIM_SLACK)
        found = places.rim.mdeg()
        yield sample(words.INPUT_RIM_2, diagnosis.QUANTITY_ANGLE, found, limits, _RIM_CODE)
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


def _array(board: Board) -> object:
    # Every switch that is closed, by its pocket; one row of -1 when none is.
    bits = bytearray(_BITS // 8)
    board.array.read(bits)
    closed = [k for k in range(_BITS) if bits[k >> 3] >> (k & 7) & 1]
    switches = diagnosis.QUANTITY_CLOSED_SWITCHES
    yield sample(words.INPUT_ARRAY, switches, len(closed), (0, 1), words.SECOND_BALL)
    for k in closed or (-1,):
        yield sample(words.INPUT_ARRAY, diagnosis.QUANTITY_POCKET, k)
