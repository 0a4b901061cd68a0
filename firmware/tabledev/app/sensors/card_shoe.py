"""The sensors of a shoe that reads: a card pulled, and inputs silent or active unasked."""

from tablewire import card_shoe as words
from tablewire import diagnosis

from .input_rows import ANY, OFF, Board, sample


def sensors(board: Board) -> object:
    """Yield a row of each."""
    a, b, reader = words.INPUT_GATE_IN, words.INPUT_GATE_OUT, board.role.reader
    yield board.line(a, words.GATE_BLIND, b)
    yield board.line(b, words.GATE_BLIND, a)
    yield board.contact(words.INPUT_SHOE_CARDS, 0, ANY)
    yield board.contact(words.INPUT_CUT_CARD, words.CUT_SENSOR_STUCK)
    yield board.contact(words.INPUT_LID, words.SHOE_LID_OPEN)
    yield board.raw(words.INPUT_SHEET, 0, ANY)
    name = words.INPUT_CARD_READER
    yield sample(name, diagnosis.QUANTITY_SILENT, int(reader.lost), OFF, words.READER_LINK_LOST)
    yield sample(name, diagnosis.QUANTITY_ERROR, reader.error, OFF, words.READER_FAILED)
