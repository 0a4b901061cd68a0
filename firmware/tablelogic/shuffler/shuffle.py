"""One shuffle: its passes, what each counted, and whether time runs out.

A pass: every card goes in and comes out once, then the machine is ready. Times: milliseconds of
the role's clock.
"""

from tablewire import shuffler as words

from ..core.clock import diff


class Shuffle:
    """cfg: list indexed by key number. running: from the first motion to verdict or refusal.

    in_pass: cards move. passes: that counted right. reason: the first code that spoiled it, or 0.
    count_in, count_out: cards of this pass, or of the last one.
    """

    def __init__(self, cfg: list) -> None:
        self.cards = cfg[words.CARDS]
        self._passes = cfg[words.PASSES]
        self._transport_ms = cfg[words.TRANSPORT_MS]
        self._unfinished_ms = cfg[words.UNFINISHED_MS]
        self.running = False
        self.in_pass = False
        self.passes = 0
        self.reason = 0
        self.count_in = 0
        self.count_out = 0
        self.began_ms = 0
        self._moved_ms = 0

    def begin(self, now_ms: int) -> bool:
        """The machine works: a pass begins unless one runs. True when a shuffle begins with it."""
        begins = not self.running
        if begins:
            self.running = True
            self.passes = 0
            self.reason = 0
            self.began_ms = now_ms
        if not self.in_pass:
            self.in_pass = True
            self.count_in = 0
            self.count_out = 0
        self._moved_ms = now_ms
        return begins

    def card(self, is_out: bool) -> None:
        """One more card left gate in, or gate out; after begin()."""
        if is_out:
            self.count_out = min(self.count_out + 1, 60000)
        else:
            self.count_in = min(self.count_in + 1, 60000)

    def still_ms(self, now_ms: int) -> int:
        """How long nothing has moved."""
        return diff(now_ms, self._moved_ms)

    def late(self, now_ms: int) -> int:
        """0, JAM_INSIDE, or UNFINISHED, which ends it."""
        if not self.running:
            return 0
        still_ms = self.still_ms(now_ms)
        if still_ms >= self._unfinished_ms:
            return words.UNFINISHED
        if self.in_pass and self.count_in > self.count_out and still_ms >= self._transport_ms:
            return words.JAM_INSIDE
        return 0

    def end_pass(self) -> int:
        """The machine is ready. Returns what spoils the shuffle, or 0."""
        self.in_pass = False
        if self.reason:
            return self.reason
        if self.count_in != self.count_out:
            return words.GATES_DISAGREE
        if self.count_in != self.cards:
            if self.passes:
                return words.PASSES_DISAGREE
            return words.COUNT_SHORT if self.count_in < self.cards else words.COUNT_LONG
        self.passes += 1
        return 0

    def is_complete(self) -> bool:
        """Whether every pass was made."""
        return self.passes == self._passes

    def end(self) -> None:
        """It is over, one way or the other."""
        self.running = False
        self.in_pass = False
