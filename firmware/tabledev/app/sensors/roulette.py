"""The sensors of a roulette wheel: the rotor turned twice, the ball rolled."""

from tablewire import codes, diagnosis
from tablewire import roulette as words
from tablewire.compat import const

from .input_rows import OFF, Board, sample

_BITS = const(40)  # of five registers; a wheel has 37 or 38 switches


def watch(role: object, cfg: list) -> object:
    """Return the object that measures the place of the reader head, or None."""
    if not role.pocket.uses_head:
        return None
    from ..head_place import HeadPlace  # few tables have one

    return HeadPlace(role.rotor, cfg[words.HEAD_ANGLE_MDEG])


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
    kind = board.cfg[words.POCKET_SENSOR]
    if kind != words.POCKET_SENSOR_ARRAY:
        yield board.line(words.INPUT_HEAD, words.NO_POCKET, words.INPUT_HEAD)
        head, slack = board.tally.head, 72000 // rotor.pockets  # a fifth of a pocket
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
