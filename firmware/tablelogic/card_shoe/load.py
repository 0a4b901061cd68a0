"""What a person declares the shoe to hold, and which faults that clears."""

from tablewire import card_shoe as words
from tablewire import messages as m

# After these the content of the shoe is unknown: a new one alone clears them.
FRESH = (
    words.SHOE_SHORT,
    words.SHOE_LONG,
    words.DUPLICATE_CARD,
    words.FOREIGN_CARD,
    words.CUT_CARD_REACHED,
    words.CARDS_UNTOLD,
    words.SHOE_UNKNOWN,
)


def declare(control: object, shoe: object, mouth: object, reader: object, values: list) -> int:
    """Values of load_shoe; returns 0 or the REFUSAL cause."""
    load, cards, burns = values
    is_new = load == words.SHOE_LOAD_NEW
    if not mouth.passage.is_free() or not (is_new or shoe.known):
        return m.REFUSAL_WRONG_PHASE
    control.void(words.SHOE_EXCHANGED, m.UNKNOWN_U8)
    mouth.forsake()
    reader.drop()
    if (is_new and cards != shoe.whole) or cards > shoe.whole:
        shoe.known = False
        code = words.SHOE_SHORT if cards < shoe.whole else words.SHOE_LONG
        control.raise_fault(code, m.UNKNOWN_U8, cards, shoe.whole)
        return 0
    shoe.declare(load, cards, burns)
    for code in words.STANDING:
        if (is_new or code not in FRESH) and _is_gone(shoe, reader, code):
            control.clear_fault(code)
    if is_new and shoe.cut.closed:
        shoe.fail(words.CUT_SENSOR_STUCK, words.INPUT_CUT_CARD, 1, 0)
    return 0


def _is_gone(shoe: object, reader: object, code: int) -> bool:
    """Whether the cause of a fault is measured gone."""
    if code == words.SHOE_LID_OPEN:
        return not shoe.lid.closed
    if code == words.READER_LINK_LOST:
        return not reader.lost
    if code == words.READER_FAILED:
        return not reader.error
    if code == words.CUT_SENSOR_STUCK:
        return not shoe.cut.closed
    return code != words.SHOE_UNKNOWN or shoe.holds.closed
