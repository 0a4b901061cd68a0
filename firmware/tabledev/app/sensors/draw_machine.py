"""The sensors of a draw machine: balls let out one by one and put back, the blower running."""

from tablewire import codes, diagnosis
from tablewire import draw_machine as words

from .input_rows import OFF, sample

if -0:  # for mypy
    from tabletypes import Rows
    from tabletypes.of_role import DrawBoard


def sensors(board: "DrawBoard") -> "Rows":
    """Yield a row of each."""
    a, b = words.INPUT_EXIT_INNER, words.INPUT_EXIT_OUTER
    yield board.line(a, words.BALL_UNSEEN, b)
    yield board.line(b, words.BALL_UNSEEN, a)
    stuck, tube, back = codes.SENSOR_STUCK, words.INPUT_TUBE, words.INPUT_RETURN
    yield board.line(tube, stuck, tube)
    yield board.line(back, stuck, back)
    yield board.contact(words.INPUT_LID, words.CHAMBER_OPEN)
    limits = (board.cfg[words.BLOWER_MIN_RAW], 4095)
    yield board.raw(words.INPUT_BLOWER, words.BLOWER_STALLED, limits)
    lost = board.role.witness.readers.lost
    for bit, sensor in ((1, words.INPUT_EXIT_READER), (2, words.INPUT_TUBE_READER)):
        silent = int(lost & bit > 0)
        yield sample(sensor, diagnosis.QUANTITY_SILENT, silent, OFF, words.READER_LOST)
