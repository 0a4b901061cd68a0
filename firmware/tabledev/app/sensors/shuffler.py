"""The sensors round a shuffler while it shuffles; one with a line of its own has none."""

from tablewire import diagnosis
from tablewire import messages as m
from tablewire import shuffler as words

from .board import ANY, Board


def sensors(board: Board) -> object:
    """Yield a row of each."""
    if board.cfg[words.SERIAL_SHUFFLER]:
        return
    a, b = m.SENSOR_ROTOR_A, m.SENSOR_ROTOR_B
    half = board.cfg[words.CARDS] // 2  # a test may end in the middle of a pass
    yield board.line(a, words.GATE_DIRTY, a, half, sensor=m.SENSOR_GATE_IN)
    yield board.line(b, words.GATE_DIRTY, b, half, sensor=m.SENSOR_GATE_OUT)
    yield board.contact(m.SENSOR_RIM_1, words.LID_OPEN, sensor=m.SENSOR_LID)
    yield board.contact(m.SENSOR_RIM_2, 0, ANY, words.SENSOR_READY)
    failed = words.SHUFFLER_FAILED
    yield board.contact(m.SENSOR_HEAD, failed, sensor=words.SENSOR_SHUFFLER_FAULT)
    limits = (0, board.cfg[words.MOTOR_LIMIT_RAW])
    yield board.raw(diagnosis.SENSOR_MOTOR, words.MOTOR_STALLED, limits)
