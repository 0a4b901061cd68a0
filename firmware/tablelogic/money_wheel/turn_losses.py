"""Whether a wheel loses as much energy in each turn as in the one before: nothing touches it.

A turn is measured between two passes of one magnet, so neither misplaced magnets nor unequal pins
nor a wheel out of balance count. One ends at each quarter turn.
"""

from tablewire.compat import const

from ..core.ticks import diff

if -0:  # for mypy
    from .coast_law import Law

_SPEED = const(1 << 28)  # over 64 us of a turn: below 2^15, so squares fit 30 bits
# Losses of consecutive turns differed by -12 to +15 % in 1,200 healthy turns of wheels that slow
# by 8 to 32 degrees/s^2, with air, pins and balance far from any that was built
# (protocol/decisions/money_wheel.md).
_LESS_PERCENT = const(82)  # a hand drives it
_MORE_PERCENT = const(122)  # a hand brakes it
_FREE = const(2)  # quarter turns after a push before the first turn: a hand lets go slowly


class Turns:
    """was_touched: since the last push a turn took too little energy, or too much."""

    def __init__(self, law: "Law") -> None:
        self.law = law
        # By quarter of a turn, of the turn that ended there last.
        self._ends_us = [0] * 4
        self._squares = [0] * 4
        self._losses = [0] * 4
        self.reset()

    def reset(self) -> None:
        """A hand pushes the wheel."""
        self.was_touched = False
        self.forget()

    def forget(self) -> None:
        """A pulse is missing: the turns before do not count."""
        self._quarters = -_FREE

    def quarter(self, t_us: int, is_faster: bool) -> None:
        """A quarter turn ended. is_faster: than the one before."""
        quarters, self._quarters = self._quarters, self._quarters + 1
        if quarters <= 0 and is_faster:
            self._quarters = -_FREE  # the push has not ended
        place = quarters & 3
        if quarters >= 4:
            speed = _SPEED // (diff(t_us, self._ends_us[place]) >> 6)
            square = speed * speed
            squares = self._squares
            loss, before = squares[place] - square, self._losses[place]
            if quarters >= 8 and 2 * square > loss:
                # The square of a mean speed is less than the mean square, by loss^2 / 16 square.
                part = max(loss, 0) >> 13
                more = part * part // (square >> 18) << 4
                square += more
                loss -= more
            if quarters >= 9 and square > loss:
                self.law.turn(squares[place - 1], square)
            # At less the square of its mean speed says little of the energy of a turn.
            if quarters >= 12 and 2 * square > loss:
                part = 100 * (loss >> 7)
                before >>= 7
                if not before * _LESS_PERCENT <= part <= before * _MORE_PERCENT:
                    self.was_touched = True
            squares[place], self._losses[place] = square, loss
        self._ends_us[place] = t_us
