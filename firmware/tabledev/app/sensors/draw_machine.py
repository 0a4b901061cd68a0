"""The sensors of a draw machine: balls let out one by one and put back, the blower running."""

from tablewire import codes, diagnosis
from tablewire import draw_machine as words
from tablewire import messages as m

from .board import OFF, Board, told


def sensors(board: Board) -> object:
    """Yield a row of each."""
    a, b = m.SENSOR_ROTOR_A, m.SENSOR_ROTOR_B
    yield board.line(a, words.BALL_UNSEEN, b, sensor=words.SENSOR_EXIT_INNER)
    yield board.line(b, words.BALL_UNSEEN, a, sensor=words.SENSOR_EXIT_OUTER)
    stuck, tube, back = codes.SENSOR_STUCK, m.SENSOR_RIM_2, m.SENSOR_HEAD
    yield board.line(tube, stuck, tube, sensor=words.SENSOR_TUBE)
    yield board.line(back, stuck, back, sensor=words.SENSOR_RETURN)
    yield board.contact(m.SENSOR_DOME, words.CHAMBER_OPEN, sensor=m.SENSOR_LID)
    limits = (board.cfg[words.BLOWER_MIN_RAW], 4095)
    yield board.raw(words.SENSOR_BLOWER, words.BLOWER_STALLED, limits)
    lost = board.role.witness.readers.lost
    for bit, sensor in ((1, words.SENSOR_EXIT_READER), (2, words.SENSOR_TUBE_READER)):
        silent = int(lost & bit > 0)
        yield told(sensor, diagnosis.QUANTITY_SILENT, silent, OFF, words.READER_LOST)
