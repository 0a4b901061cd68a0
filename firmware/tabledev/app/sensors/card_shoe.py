"""The sensors of a shoe that reads: a card pulled, and inputs silent or active unasked."""

from tablewire import card_shoe as words
from tablewire import diagnosis

from .input_rows import ANY, OFF, sample

if -0:  # for mypy
    from array import array

    from tablelogic.card_shoe.card_shoe import CardShoe
    from tablelogic.card_shoe.mouth import Mouth
    from tablelogic.card_shoe.passage import Passage
    from tabletypes import Config, Rows, Watch
    from tabletypes.of_role import ShoeBoard


class Pulls:
    """Length and thickness of the cards that pass the mouth."""

    def __init__(self, mouth: "Mouth") -> None:
        from ..card_times import Values  # for a self-test only

        self.ratios, self.sheets = Values(), Values()
        mouth.measured = self.take

    def take(self, passage: "Passage") -> None:
        """A card has passed."""
        self.ratios.add(passage.ratio)
        self.sheets.add(passage.thickest)

    def edge(self, sensor: int, level: int, t_us: int) -> None:
        """An input switched: the mouth sees it."""


def watch(role: "CardShoe", cfg: "Config", pulses: "array[int]") -> "Watch":
    """Return what measures the cards that are pulled."""
    return Pulls(role.mouth)


def sensors(board: "ShoeBoard") -> "Rows":
    """Yield a row of each."""
    a, b, reader = words.INPUT_GATE_IN, words.INPUT_GATE_OUT, board.role.reader
    yield board.line(a, words.GATE_BLIND, b)
    yield board.line(b, words.GATE_BLIND, a)
    yield from _cards(board, a)
    yield board.contact(words.INPUT_SHOE_CARDS, 0, ANY)
    yield board.contact(words.INPUT_CUT_CARD, words.CUT_SENSOR_STUCK)
    yield board.contact(words.INPUT_LID, words.SHOE_LID_OPEN)
    yield board.raw(words.INPUT_SHEET, 0, ANY)
    name = words.INPUT_CARD_READER
    yield sample(name, diagnosis.QUANTITY_SILENT, int(reader.lost), OFF, words.READER_LINK_LOST)
    yield sample(name, diagnosis.QUANTITY_ERROR, reader.error, OFF, words.READER_FAILED)


def _cards(board: "ShoeBoard", gate: int) -> "Rows":
    # What a calibration learns; see card_times.
    pulls = board.tally.places
    board.role.mouth.measured = None
    if pulls is None or not pulls.ratios.count:
        return
    thin, thick = pulls.sheets.inner()
    yield sample(gate, diagnosis.QUANTITY_CARD_RATIO, pulls.ratios.median())
    yield sample(gate, diagnosis.QUANTITY_CARD_SPREAD, pulls.ratios.spread())
    yield sample(words.INPUT_SHEET, diagnosis.QUANTITY_RAW_LEAST, thin)
    yield sample(words.INPUT_SHEET, diagnosis.QUANTITY_RAW, thick)
