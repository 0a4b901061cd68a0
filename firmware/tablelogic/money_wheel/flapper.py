"""The flapper of a money wheel: how far a pin bends it.

A passing pin bends it; hanging on a pin it stays bent. Raw values are those of a 12-bit
converter; rest and top of a pin come from calibration, in either order.
"""

from tablewire.compat import const

LOW = const(20)  # beyond: the wire is cut or shorted
HIGH = const(4075)
_OUT_READS = const(5)
# It falls behind a pin at once. A wheel that it throws back, and that stays within the quarter
# before the pin, lets it go by 40 percent in a tick at most (hil_tests.physics: bounce to 0.35).
_BENT_PERCENT = const(60)
FREE_PERCENT = const(20)


class Flapper:
    """raw: the last reading, 0..4095. percent: how bent, 0 at rest, 100 on top of a pin.

    out: consecutive readings that no flapper gives, 0..5. has_snapped: it fell behind a pin, and
    no mark of a pin came since.
    """

    def __init__(self, rest_raw: int, top_raw: int) -> None:
        self.raw = 0
        self.percent = 0
        self.out = 0
        self._rest = rest_raw
        self._span = top_raw - rest_raw
        self.forget()

    def forget(self) -> None:
        """A run begins: earlier readings do not count."""
        self.has_snapped = False
        self._least = 4095
        self._most = 0

    def read(self, raw: int) -> None:
        """One reading, at every tick."""
        self.raw = raw
        if not LOW <= raw <= HIGH:
            if self.out < _OUT_READS:
                self.out += 1
            return
        self.out = 0
        self._least = min(self._least, raw)
        self._most = max(self._most, raw)
        bend = raw - self._rest if self._span > 0 else self._rest - raw
        before = self.percent
        self.percent = bend * 100 // abs(self._span)
        if before >= _BENT_PERCENT and self.percent <= FREE_PERCENT:
            self.has_snapped = True

    def is_broken(self) -> bool:
        """Whether five consecutive readings were beyond its range."""
        return self.out >= _OUT_READS

    def is_stiff(self) -> bool:
        """Whether it never swung a quarter of its way while pins passed it."""
        return (self._most - self._least) * 4 < abs(self._span)
