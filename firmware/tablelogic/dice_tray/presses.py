"""The croupier's report of what no sensor sees: presses of the table button in a row.

Once the bets are closed, two presses mean two hands, three a broken die, four an irregular one;
one press means nothing. Held for 1.5 s it voids the round without a reason, as at every table.
"""

from tablewire import dice_tray as words
from tablewire.compat import const

from ..core.ticks import diff

_APART_MS = const(900)  # longer after the last press the row is over
_BOUNCE_MS = const(40)
_CODES = (0, 0, words.TWO_HANDS, words.DIE_BROKEN, words.DIE_IRREGULAR)


class Presses:
    """count: presses of the row so far. pending: a row has begun and is not over."""

    def __init__(self) -> None:
        self.level = 0
        self._changed_ms = 0
        self.reset()

    def reset(self) -> None:
        """Start a round."""
        self.count = 0
        self.pending = False

    def edge(self, level: int, now_ms: int, counts: bool) -> None:
        """The button switched. counts: a press now belongs to a row."""
        if level == self.level:
            return
        rest_ms = diff(now_ms, self._changed_ms)
        self.level = level
        self._changed_ms = now_ms
        if level and counts and not (self.pending and rest_ms < _BOUNCE_MS):
            self.count = min(self.count + 1, 255)
            self.pending = True

    def tick(self, now_ms: int) -> int:
        """Time passed; the meaning of the row as a code once it is over, else 0."""
        if not self.pending or self.level or diff(now_ms, self._changed_ms) < _APART_MS:
            return 0
        self.pending = False
        count, self.count = self.count, 0
        return _CODES[count] if count < len(_CODES) else 0
