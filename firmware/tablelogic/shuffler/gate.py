"""One card gate of a shuffler: a light beam that each card interrupts.

A card covers it for as long as the cards before did, within five times the spread of this
machine's cards, which a calibration measures. The running median follows rollers that wear; they
may have worn much since the calibration, so it is trusted from the seventh card on. A change
within 2 ms is no card: it is the flicker of a weak beam, and the share of such edges is the margin
of the gate; an edge that flickers came when it began to. Times: microseconds on the 30-bit clock.
"""

from tablewire.compat import const

from ..core.ticks import diff
from .pass_spread import PassSpread

if -0:  # for mypy
    from collections.abc import Callable

_LASTS_US = const(2000)
_CARDS = const(7)  # number of cards of the median
_SIGMAS = const(5)
_WIDE = const(80)  # permille; of a machine that was not calibrated
_LOOSE = const(400)  # permille by which the first seven may differ from the calibration
_HALF = const(3)
_WHOLE = const(1000)
_WINDOW = const(24)  # number of edges for the margin, about

CARD = const(1)
DOUBLE = const(2)
FOREIGN = const(3)


class Gate:
    """covered: a card is in it.

    jammed: for longer than jam_us. last_us: duration of the last passage. card_us: duration of a
    card by configuration; spread: of that, permille. at_rest: time alone changes nothing, and
    nothing is wrong; see core.snapshot.
    """

    def __init__(self, card_us: int, jam_us: int, spread: int = _WIDE) -> None:
        self.at_rest = False
        self.covered = False
        self.jammed = False
        self.last_us = 0
        self._card_us = card_us
        self._slack = spread * _SIGMAS
        self._known = 0  # number of cards that the median is of, while it is not trusted
        self._jam_us = jam_us
        self._raw = 0
        self._pending = False  # the level changed, and has not lasted yet
        self._raw_us = 0
        self._flickers = False  # since the last change that lasted
        self._back_us = 0  # and ended at
        self._first_us = 0  # the first change of those that flickered into each other
        # Takes the time of each card while a self-test measures them.
        self.measured: "Callable[[int], object] | None" = None
        self._rose_us = 0
        self._fell_us = 0
        self._free = True  # for longer than the clock can measure
        self._next = 0
        self._off_us = [0] * _CARDS  # of the last cards, relative to the configuration
        self._middle_us = 0  # their median
        self._clean = _WHOLE
        self.spread = PassSpread()

    def reset(self) -> None:
        """Another machine is attached: discard what was learned from the one before."""
        for place in range(_CARDS):
            self._off_us[place] = 0
        self._middle_us = self._known = 0
        self._clean = _WHOLE

    def lift(self, percent: int) -> None:
        """Forget flicker beyond this margin: the gate may have been cleaned."""
        self._clean = max(self._clean, percent * 10)

    @property
    def margin(self) -> int:
        """Share of edges that were no flicker, of the last two dozen, in percent."""
        return self._clean // 10

    def edge(self, level: int, t_us: int) -> int:
        """The beam was interrupted (1) or came back (0). Returns as tick()."""
        self.at_rest = False
        verdict = self.tick(t_us)
        if level == self._raw:
            return verdict
        self._raw = level
        if level == self.covered:
            self._pending = False  # back within the time: no card did that
            self._clean -= self._clean // _WINDOW
            self._flickers = True
            self._back_us = t_us
        else:
            if not self._flickers or diff(t_us, self._back_us) >= _LASTS_US:
                self._first_us = t_us
            self._pending = True
            self._raw_us = t_us
        return verdict

    def tick(self, t_us: int) -> int:
        """Time passed. Returns 0, or what has just left: CARD, DOUBLE or FOREIGN."""
        verdict = 0
        if self._pending and diff(t_us, self._raw_us) >= _LASTS_US:
            self._pending = False
            verdict = self._change(self._first_us)
        if self.covered:
            if diff(t_us, self._rose_us) > self._jam_us:
                self.jammed = True
        elif not self._free and diff(t_us, self._fell_us) > self._jam_us:
            self._free = True
        return verdict

    def rest(self) -> None:
        """Nothing is wrong: at rest until the next edge, unless time has something to end."""
        self.at_rest = self._free and not self.covered and not self._pending

    def _change(self, t_us: int) -> int:
        self._flickers = False
        self._clean += (_WHOLE - self._clean) // _WINDOW
        self.covered = not self.covered
        if self.covered:
            self._rose_us = t_us
            # Two cards in a row are separated by more than this, or they are one piece.
            close = not self._free and diff(t_us, self._fell_us) < self.median_us() >> 4
            return FOREIGN if close else 0
        self._fell_us = t_us
        self._free = False
        if self.jammed:
            self.jammed = False
            return CARD
        self.last_us = diff(t_us, self._rose_us)
        if self.measured is not None:
            self.measured(self.last_us)
        if self._known < _CARDS:
            verdict = self._judge(self.last_us, _LOOSE)
            return self._learn() if verdict == CARD else verdict
        verdict = self._judge(self.last_us, self._slack)
        if verdict == CARD:
            self._keep()
        return verdict

    def _judge(self, last_us: int, slack: int) -> int:
        median_us = self.median_us()
        off = (last_us - median_us) * _WHOLE // median_us
        if off > slack:
            return DOUBLE
        if off < -slack:
            return FOREIGN
        if self._known == _CARDS:
            self.spread.add(off)
        return CARD

    def _keep(self) -> None:
        self._off_us[self._next] = self.last_us - self._card_us
        self._next = (self._next + 1) % _CARDS
        self._middle_us = self._middle()

    def _learn(self) -> int:
        self._keep()
        self._known += 1
        if self._known == _CARDS:
            for off_us in self._off_us:
                verdict = self._judge(self._card_us + off_us, self._slack)
                if verdict != CARD:
                    self.last_us = self._card_us + off_us
                    return verdict
        return CARD

    def odd(self, both: int) -> int:
        """At the end of a pass: DOUBLE or FOREIGN when one card differs from all others, or 0.

        both: of odd_at_both(). last_us is then the time of that card, about.
        """
        spread = self.spread
        off = spread.odd()
        if not off and both:
            off = spread.longest if both > 0 else -spread.shortest
        spread.begin()
        if not off:
            return 0
        self.last_us = self.median_us() * (_WHOLE + off) // _WHOLE
        return DOUBLE if off > 0 else FOREIGN

    def longest_us(self) -> int:
        """The longest duration of one card."""
        return self.median_us() * (_WHOLE + self._slack) // _WHOLE

    def median_us(self) -> int:
        """The median duration of the last seven cards."""
        return self._card_us + self._middle_us

    def _middle(self) -> int:
        # One value was replaced: the median is the one before, or its neighbour on either side.
        middle = lower = higher = self._middle_us
        below = above = 0
        for value in self._off_us:
            if value < middle:
                if not below or value > lower:
                    lower = value
                below += 1
            elif value > middle:
                if not above or value < higher:
                    higher = value
                above += 1
        if below > _HALF:
            return lower
        return higher if above > _HALF else middle
