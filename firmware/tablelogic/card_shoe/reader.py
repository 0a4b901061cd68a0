"""The card reader behind the mouth of a shoe: whether it lives, and whether its count is ours.

It reads two corners of each card. What it read is asked for only after the card has passed: until
then the value stays in the reader's driver, and nothing here or in a trace knows it.
"""

from tablewire import card_shoe as words
from tablewire.compat import const

from ..core.clock import diff

# A report: [0] READER_ASK, what is asked of the driver: to hold what was read, to hand over the
# oldest value, as a card has passed, or to drop all; [1] READER_STATE; [2] the reader's count of
# cards modulo 256, or its error number; [3], [4] CORNER, or 1..52 as in card_dealt.
# As a type, which no message has, it stands in traces.
READER_SAID = const(0x35)
SILENT_MS = const(3000)
_COUNTS = const(255)
_HALF = const(127)


class Reader:
    """table: card_shoe.CardShoe, told of faults. lost: not heard for three seconds.

    error: what it says is wrong with it.
    """

    def __init__(self, read_ms: int, table: object) -> None:
        self._table = table
        self._read_ms = read_ms
        self.lost = False
        self.error = 0
        self._heard_ms = 0
        self._even_ms = 0  # when its count was ours last
        self._count = -1  # of its cards that were handed over; -1: not known
        self._newest = -1

    def forget(self) -> None:
        """Its count begins anew with what it says next."""
        self._count = -1
        self._newest = -1

    def said(self, state: int, number: int) -> bool:
        """It said something; returns whether a value came with the number that was due."""
        self._heard_ms = self._table.now_ms
        self.lost = False
        self.error = max(number, 1) if state == words.READER_STATE_FAILED else 0
        if state == words.READER_STATE_ALIVE:
            self._newest = number
            if self._count < 0:
                self._count = number
        if state != words.READER_STATE_VALUE:
            return False
        due = (self._count + 1) & _COUNTS
        is_due = self._count < 0 or number == due
        self._count = number
        if self._newest < 0 or (self._newest - number) & _COUNTS > _HALF:
            self._newest = number
        if not is_due:
            self._table.fail(words.READ_WITHOUT_CARD, words.INPUT_CARD_READER, number, due)
        return is_due

    def tick(self, is_resting: bool) -> None:
        """Time passed. is_resting: nothing is in the mouth and no value is waited for."""
        table = self._table
        if diff(table.now_ms, self._heard_ms) >= SILENT_MS:
            self.lost = True
        if not table.shoe.known:
            self._even_ms = table.now_ms
            return
        if self.lost:
            table.fail(words.READER_LINK_LOST, words.INPUT_CARD_READER, 0, SILENT_MS)
        if self.error:
            table.fail(words.READER_FAILED, words.INPUT_CARD_READER, self.error, 0)
        if not is_resting or not (self._newest - self._count) & _COUNTS:
            self._even_ms = table.now_ms
        elif diff(table.now_ms, self._even_ms) > self._read_ms:
            table.fail(words.READ_WITHOUT_CARD, words.INPUT_CARD_READER, self._newest, self._count)
