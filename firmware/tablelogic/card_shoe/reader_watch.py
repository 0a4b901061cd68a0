"""The card reader behind the mouth of a shoe: whether it lives, and whether its count matches.

It reads two corners of each card. What it read is requested only after the card has passed: until
then the value stays in the reader's driver, and neither this program nor a trace has it.
"""

from tablewire import card_shoe as words
from tablewire.compat import const

from ..core.ticks import diff

if -0:  # for mypy
    from collections.abc import Sequence

    from ..core.round import RoundControl
    from .shoe_state import Shoe

# A report: [0] READER_ASK, the request to the driver: keep what was read, return the oldest value
# after a card has passed, or drop all; [1] READER_STATE: counted when it has counted a card, alive
# once a second; [2] the reader's count of cards modulo 256, or its error number; [3], [4] CORNER,
# or 1..52 as in card_dealt.
# A type used only in traces, which no message has.
READER_SAID = const(0x35)
SILENT_MS = const(3000)
_COUNTS = const(255)
_HALF = const(127)


class Reader:
    """report: see above. lost: no report for three seconds. error: what it reports is wrong.

    confirmed: since the last card was read and the mouth is empty it reported the count that it
    must have: it counted no card twice. shoe: gets its faults.
    """

    def __init__(self, read_ms: int, control: "RoundControl", shoe: "Shoe") -> None:
        self._control = control
        self._shoe = shoe
        self._read_ms = read_ms
        self.report = [words.READER_ASK_DROP, 0, 0, 0, 0]
        self.lost = False
        self.error = 0
        self.confirmed = False
        self._received_ms = 0
        self._even_ms = 0  # when its count last matched
        self._count = -1  # of its cards that were handed over; -1: not known
        self._newest = -1

    def drop(self) -> None:
        """Drop what it has read, of no card that passed; its count starts with its next report."""
        self.report[0] = words.READER_ASK_DROP
        self._count = -1
        self._newest = -1

    def is_dropping(self) -> bool:
        """Whether it has yet to drop what it has read."""
        return self.report[0] == words.READER_ASK_DROP

    def ask(self, is_awaited: bool) -> None:
        """Request the oldest value if one is awaited, unless it has to drop all."""
        if self.report[0] != words.READER_ASK_DROP:
            self.report[0] = words.READER_ASK_HAND if is_awaited else words.READER_ASK_HOLD

    def receive(self, values: "Sequence[int]") -> bool:
        """Take a report; returns whether it has the requested value, with the expected number."""
        asked, state, number = values[0], values[1], values[2]
        if asked == words.READER_ASK_DROP:
            self.report[0] = words.READER_ASK_HOLD
        self._received_ms = self._control.now_ms
        self.lost = False
        self.error = max(number, 1) if state == words.READER_STATE_FAILED else 0
        if state == words.READER_STATE_ALIVE or state == words.READER_STATE_COUNTED:
            self._newest = number
            is_counted = state == words.READER_STATE_COUNTED
            if self._count < 0:
                waits = is_counted and asked != words.READER_ASK_DROP
                self._count = (number - waits) & _COUNTS
            self.confirmed = number == self._count and not is_counted
        if state != words.READER_STATE_VALUE:
            return False
        due = (self._count + 1) & _COUNTS
        is_due = self._count < 0 or number == due
        self._count = number
        self.confirmed = False
        if self._newest < 0 or (self._newest - number) & _COUNTS > _HALF:
            self._newest = number
        if not is_due:
            self._shoe.fail(words.READ_WITHOUT_CARD, words.INPUT_CARD_READER, number, due)
        return is_due and asked == words.READER_ASK_HAND

    def ahead(self) -> int:
        """How many cards it has counted of which it has not given the value yet."""
        ahead = (self._newest - self._count) & _COUNTS
        return ahead if self._count >= 0 and ahead <= _HALF else 0

    def skip(self) -> None:
        """Give up the value of a card that it may have counted."""
        if self.ahead():
            self._count = (self._count + 1) & _COUNTS

    def tick(self, unread: int, is_free: bool) -> None:
        """Time passed. unread: cards that passed and have no value yet; is_free: the mouth is."""
        now_ms, shoe = self._control.now_ms, self._shoe
        if diff(now_ms, self._received_ms) >= SILENT_MS:
            self.lost = True
        if unread or not is_free:
            self.confirmed = False
        if not shoe.known:
            self._even_ms = now_ms
            return
        if self.lost:
            shoe.fail(words.READER_LINK_LOST, words.INPUT_CARD_READER, 0, SILENT_MS)
        if self.error:
            shoe.fail(words.READER_FAILED, words.INPUT_CARD_READER, self.error, 0)
        if unread or not is_free or not (self._newest - self._count) & _COUNTS:
            self._even_ms = now_ms
        # More than have passed: a card was counted twice, or passed the gates unseen. Its value
        # would be taken for that of the next card. After a fault it is of what caused that.
        # Fewer: it began to count again.
        is_over = is_free and self.ahead() > unread and not self._control.faults.count
        if is_over or diff(now_ms, self._even_ms) > self._read_ms:
            shoe.fail(words.READ_WITHOUT_CARD, words.INPUT_CARD_READER, self._newest, self._count)
