"""The sensors around a shuffler while it shuffles; one with a serial line has none."""

from tablewire import shuffler as words

from .input_rows import ANY, Board


def sensors(board: Board) -> object:
    """Yield a row of each."""
    if board.cfg[words.SERIAL_SHUFFLER]:
        return
    a, b = words.INPUT_GATE_IN, words.INPUT_GATE_OUT
    half = board.cfg[words.CARDS] // 2  # a test may end in the middle of a pass
    yield board.line(a, words.GATE_DIRTY, a, half)
    yield board.line(b, words.GATE_DIRTY, b, half)
    yield board.contact(words.INPUT_LID, words.LID_OPEN)
    yield board.contact(words.INPUT_READY, 0, ANY)
    failed = words.SHUFFLER_FAILED
    yield board.contact(words.INPUT_SHUFFLER_FAULT, failed)
    limits = (0, board.cfg[words.MOTOR_LIMIT_RAW])
    yield board.raw(words.INPUT_MOTOR, words.MOTOR_STALLED, limits)
