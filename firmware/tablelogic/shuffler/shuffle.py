"""One shuffle: its passes and their counts, its time limit, and its verdict.

A pass: every card goes in and comes out once, then the machine is ready. Times: milliseconds of
the role's clock.
"""

from tablewire import messages as m
from tablewire import shuffler as words

from ..core.ticks import diff

if -0:  # for mypy
    from tabletypes import Config, RecordSink

    from ..core.round import RoundControl
    from .shoe_lock import Shoe


class Shuffle:
    """cfg: list indexed by key number. running: from the first motion to verdict or refusal.

    in_pass: cards move. passes: with a right count. reason: the first code that spoiled it, or 0.
    count_in, count_out: cards of this pass, or of the last one. shoe: gets the verdict.
    out: the sink.
    """

    def __init__(
        self, cfg: "Config", control: "RoundControl", out: "RecordSink", shoe: "Shoe"
    ) -> None:
        self._control = control
        self._out = out
        self._shoe = shoe
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
        self._began_ms = 0
        self._moved_ms = 0

    def begin(self) -> bool:
        """The machine moves cards, or is no longer ready: a pass begins unless one runs.

        True when a shuffle begins with it.
        """
        if self._shoe.manual:
            return False
        now_ms = self._moved_ms = self._control.now_ms
        begins = not self.running
        if begins:
            self.running = True
            self.passes = 0
            self.reason = 0
            self._began_ms = now_ms
        if not self.in_pass:
            self.in_pass = True
            self.count_in = 0
            self.count_out = 0
        return begins

    def card(self, is_out: int) -> None:
        """One more card left gate in, or gate out; after begin()."""
        if is_out:
            self.count_out = min(self.count_out + 1, 60000)
        else:
            self.count_in = min(self.count_in + 1, 60000)

    def still_ms(self) -> int:
        """How long nothing has moved."""
        return diff(self._control.now_ms, self._moved_ms)

    def fail(self, code: int, sensor: int, value: int, limit: int) -> None:
        """A fault of the shuffler: it spoils a shuffle, voids a round, locks the shoe."""
        if not self._shoe.manual:
            self.reason = self.reason or code
            self._shoe.spoil(code)
            self._control.raise_fault(code, sensor, value, limit)

    def worn(self, fields: "list[int]") -> None:
        """A gate is worn: gate_worn may be lost when there is no room for it."""
        if not self._shoe.manual:
            self._out.record(words.GATE_WORN, fields)

    def tick(self) -> bool:
        """Time passed; True when a shuffle that was never finished has to end."""
        if not self.running:
            return False
        still_ms = self.still_ms()
        if still_ms >= self._unfinished_ms:
            if not self.reason:
                self.fail(words.UNFINISHED, m.UNKNOWN_U8, self.count_in, self.count_out)
            return True
        if self.in_pass and self.count_in > self.count_out and still_ms >= self._transport_ms:
            self.fail(words.JAM_INSIDE, m.UNKNOWN_U8, self.count_in, self.count_out)
        return False

    def end_pass(self) -> bool:
        """The machine is ready again; True when the shuffle ends with this pass."""
        if not self.in_pass:
            return False
        self.in_pass = False
        if not self.reason:
            code = self._wrong()
            if code:
                self.fail(code, m.UNKNOWN_U8, self.count_out, self.cards)
            else:
                self.passes += 1
        return self.reason != 0 or self.passes == self._passes

    def _wrong(self) -> int:
        if self.count_in != self.count_out:
            return words.GATES_DISAGREE
        if self.count_in == self.cards:
            return 0
        if self.passes:
            return words.PASSES_DISAGREE
        return words.COUNT_SHORT if self.count_in < self.cards else words.COUNT_LONG

    def end(self, reason: int, margins: "tuple[int, int]") -> None:
        """End the shuffle, verified without a reason. margins: of both gates, percent."""
        ran_ms = max(diff(self._control.now_ms, self._began_ms), 0)
        counts = [self.count_in, self.count_out, self.cards, self.passes, ran_ms]
        self._shoe.shuffled(counts, reason, margins)
        self.running = False
        self.in_pass = False
