"""The sensors of a shoe that reads: a card pulled, and what is silent or active by itself."""

from tablewire import card_shoe as words
from tablewire import diagnosis
from tablewire import messages as m

from .board import ANY, OFF, Board, told


def sensors(board: Board) -> object:
    """Yield a row of each."""
    a, b, reader = m.SENSOR_ROTOR_A, m.SENSOR_ROTOR_B, board.role.reader
    yield board.line(a, words.GATE_BLIND, b, sensor=m.SENSOR_GATE_IN)
    yield board.line(b, words.GATE_BLIND, a, sensor=m.SENSOR_GATE_OUT)
    yield board.contact(m.SENSOR_RIM_2, 0, ANY, words.SENSOR_SHOE_CARDS)
    yield board.contact(m.SENSOR_HEAD, words.CUT_SENSOR_STUCK, sensor=words.SENSOR_CUT_CARD)
    yield board.contact(m.SENSOR_DOME, words.SHOE_LID_OPEN, sensor=m.SENSOR_LID)
    yield board.raw(diagnosis.SENSOR_SHEET, 0, ANY)
    name = words.SENSOR_CARD_READER
    yield told(name, diagnosis.QUANTITY_SILENT, int(reader.lost), OFF, words.READER_LINK_LOST)
    yield told(name, diagnosis.QUANTITY_ERROR, reader.error, OFF, words.READER_FAILED)
