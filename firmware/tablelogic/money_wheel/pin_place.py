"""The place of a money wheel from the two hall sensors over its pins, checked by the index.

One magnet per pin. Sensor A is over pin k's magnet while the pin coordinate P under the flapper is
within 0.25 of k, sensor B while within 0.25 of k + 0.25: each quarter of a segment has a unique
pair of levels, so every change is one quarter forth or back. P rises while the wheel turns
counter-clockwise. The index sensor is over its magnet while P is within 0.125 of n - 0.5.
"""

from tablewire.compat import const
from tablewire.money_wheel import INPUT_ROTOR_A

from ..core.ticks import diff

if -0:  # for mypy
    from .wheel_run import Run

_INDEX = const(2)  # lines from 0 on: A, B and the index
# Levels of A and B as a + 2b -> quarter of the segment, from the pin on.
_QUARTER = bytes((2, 3, 1, 0))
# A level counts once it has lasted: at 90 rpm a sensor is covered for 6 ms, the index for 3.
_LASTS_US = const(1000)
# After a pin in this time or less the wheel cannot turn back at once: a pulse is missing.
_FAST_PIN_US = const(150000)
_REST_US = const(1000000)
# A wheel at rest in the middle of a segment is at the edge of sensor B.
_TREMOR = const(2)  # quarters


class Pins:
    """Tracks the quarters. run: called for each as run.step(1 or -1, t_us).

    pins: 52 or 54. clean: consecutive index passes where expected, or a segment later after one
    missing pulse, 0..2. missed: consecutive turns without an index. bad: consecutive index passes
    at a wrong place.
    """

    def __init__(self, pins: int, run: "Run") -> None:
        self.clean = 0
        self.missed = 0
        self.bad = 0
        self.moved_us = 0  # when it last moved by more than a tremor
        self._quarters = 4 * pins
        self._run = run
        self._levels = 0
        self._pending = 0  # bits of the sensors whose level has just changed
        self._at_us = [0, 0, 0]
        self._place = _QUARTER[0]
        self._since_index = 0  # quarters moved since it passed, either way
        self._step_us = 0
        self._rebound = False
        self._doubts = 0  # missing pulses since the index, 0..2
        self._drift = 0  # quarters since it moved by more than a tremor

    def edge(self, sensor: int, level: int, t_us: int) -> None:
        """A, B or the index switched."""
        if self._pending:
            self.tick(t_us)
        line, pending = sensor - INPUT_ROTOR_A, self._pending
        bit = 1 << line
        if level == self._levels >> line & 1:
            self._pending = pending & ~bit  # back within the time: nothing was there
        elif not pending & bit:
            self._pending = pending | bit
            self._at_us[line] = t_us

    def tick(self, t_us: int) -> None:
        """Apply the levels that have lasted by now, in the order in which they came."""
        at_us, pending = self._at_us, self._pending
        while pending:
            first = pending >> 1  # of one bit: 1, 2, 4 -> 0, 1, 2
            if pending & (pending - 1):
                first = self._earliest(pending)
            if diff(t_us, at_us[first]) < _LASTS_US:
                return
            self._pending = pending = pending ^ 1 << first
            self._change(first, at_us[first])

    def _earliest(self, pending: int) -> int:
        at_us, first = self._at_us, -1
        for line in range(_INDEX + 1):
            if pending >> line & 1 and (first < 0 or diff(at_us[line], at_us[first]) < 0):
                first = line
        return first

    def _change(self, line: int, t_us: int) -> None:
        levels, run = self._levels, self._run
        before = levels & 3
        self._levels = levels = levels ^ 1 << line
        if line == _INDEX:
            if levels >> line:
                self._index()
            return
        quarters, before, direction = self._quarters, _QUARTER[before], run.direction
        step = 1 if (_QUARTER[levels & 3] - before) & 3 == 1 else -1
        if direction and (step != direction or self._rebound):
            self._doubt(step, before, t_us)
        self._step_us = t_us
        self._place = (self._place + step) % quarters
        since = self._since_index + 1
        if since > quarters + 8:
            since -= quarters
            self.missed += 1
            self.clean = 0
        self._since_index = since
        drift = self._drift + step
        if not -_TREMOR < drift < _TREMOR:
            drift = 0
            self.moved_us = t_us
        self._drift = drift
        if step == direction and not run.back:
            place = self._place
            quarter = place & 3 if step > 0 else 3 - (place & 3)
            run.coasting.further(quarter, t_us, place >> 2, step)
        run.step(step, t_us)

    def _doubt(self, step: int, before: int, t_us: int) -> None:
        # A step against the run, or the first one with it again.
        # A pulse that one sensor does not give looks like a quarter back and forth. A wheel rolls
        # back only from the flapper, slowly, and then for good; at rest it may tremble.
        run = self._run
        if run.back and (self._rebound or step == run.direction):
            return  # it rocks behind the furthest point
        if step != run.direction:
            if diff(t_us, self._step_us) > _REST_US:
                return
            # The flapper throws it back on either side of the pin's mark.
            is_at_pin = before == 3 or before == 0
            self._rebound = is_at_pin and run.pin_us >= _FAST_PIN_US
            missing = not self._rebound
        else:
            missing = True
            self._rebound = False
        if missing:
            self._doubts = min(self._doubts + 1, 2)
            run.doubt()

    def _index(self) -> None:
        # In the last segment, in either direction; the levels give the quarter.
        expected = self._quarters - 4 + self.quarter()
        off = (expected - self._place) * (self._run.direction or 1) % self._quarters
        if self._doubts < 2 and off in (0, 4 * self._doubts):
            self.clean = min(self.clean + 1, 2)
            self.bad = 0
        else:
            self.clean = 0
            self.bad += 1
        self._place = expected
        self._doubts = self._since_index = self.missed = 0

    def launched(self) -> None:
        """A run begins: events between rounds do not count."""
        self.missed = self.bad = 0
        self._rebound = False

    def segment(self) -> int:
        """The segment under the flapper, 0..pins - 1 from the index on; -1 when it is uncertain.

        Certain: the last two index passes came after exactly one turn, except for a pulse known to
        be missing, and none has gone missing since the last.
        """
        return self._place // 4 if self.clean == 2 and not self._doubts else -1

    def quarter(self) -> int:
        """The quarter of the segment under the flapper, 0..3 from its pin on."""
        return _QUARTER[self._levels & 3]
