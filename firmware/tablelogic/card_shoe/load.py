"""What a person declares the shoe to hold, and which faults that clears."""

from tablewire import card_shoe as words
from tablewire import messages as m

# After these nobody knows what is in the shoe: a new one alone clears them.
FRESH = (
    words.SHOE_SHORT,
    words.SHOE_LONG,
    words.DUPLICATE_CARD,
    words.FOREIGN_CARD,
    words.CUT_CARD_REACHED,
    words.CARDS_UNTOLD,
    words.SHOE_UNKNOWN,
)


def declare(table: object, values: list) -> int:
    """Values of load_shoe; returns 0 or the REFUSAL cause. table: card_shoe.CardShoe."""
    load, cards, burns = values
    shoe = table.shoe
    is_new = load == words.SHOE_LOAD_NEW
    if not table.mouth.passage.is_free() or not (is_new or shoe.known):
        return m.REFUSAL_WRONG_PHASE
    table.void(words.SHOE_EXCHANGED, m.UNKNOWN_U8)
    table.mouth.forsake()
    table.drop_reads()
    if (is_new and cards != shoe.whole) or cards > shoe.whole:
        shoe.known = False
        code = words.SHOE_SHORT if cards < shoe.whole else words.SHOE_LONG
        table.raise_fault(code, m.UNKNOWN_U8, cards, shoe.whole, 0)
        return 0
    shoe.declare(load, cards, burns)
    for code in words.STANDING:
        if (is_new or code not in FRESH) and _is_gone(table, code):
            table.clear_fault(code, 0)
    if is_new and shoe.cut.closed:
        table.fail(words.CUT_SENSOR_STUCK, words.INPUT_CUT_CARD, 1, 0)
    return 0


def _is_gone(table: object, code: int) -> bool:
    """Whether the cause of a fault is measured gone."""
    if code == words.SHOE_LID_OPEN:
        return not table.shoe.lid.closed
    if code == words.READER_LINK_LOST:
        return not table.reader.lost
    if code == words.READER_FAILED:
        return not table.reader.error
    if code == words.CUT_SENSOR_STUCK:
        return not table.shoe.cut.closed
    return code != words.SHOE_UNKNOWN or table.shoe.holds.closed
