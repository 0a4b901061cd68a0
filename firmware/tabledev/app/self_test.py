"""The self-test: watches the sensors for a while and reports each with its limits; on demand.

It runs as a job of the table, a step in 80 ms, and ends as soon as a round opens. It passes on
every input: the role misses nothing.
"""

from array import array

from tablelogic.core.ticks import diff
from tablewire import diagnosis
from tablewire import messages as m
from tablewire.compat import const

from .sensors.all_rows import of_role, rows

if -0:  # for mypy
    from tabletypes import Steps, TakeEdge, Watch

    from .table import Table

_LINES = const(16)  # inputs of a board, by their sensor
_BOUNCE_US = const(3000)  # a line quiet for less has bounced
_MOST = const(60000)
_A_STEP = const(2)  # samples sent at once: the line has other frames to carry


class Tally:
    """What the inputs did while they were watched.

    pulses: of each input, by its sensor. low_raw, high_raw: of the converter. watched: the watch
    time is not zero. hand_on: receives each edge after this. places: sensors.roulette.Places of
    a wheel, or None.
    """

    def __init__(self, hand_on: "TakeEdge", raw: int, watched: bool) -> None:
        self.places: "Watch | None" = None
        self.pulses = array("H", bytes(2 * _LINES))
        self.low_raw = self.high_raw = raw
        self.watched = watched
        self._last_us = array("i", bytes(4 * _LINES))
        self._hand_on = hand_on

    def edge(self, sensor: int, level: int, t_us: int) -> None:
        """See the role. Allocates nothing."""
        quiet = not 0 <= diff(t_us, self._last_us[sensor]) < _BOUNCE_US
        if level and quiet and self.pulses[sensor] < _MOST:
            self.pulses[sensor] += 1
        self._last_us[sensor] = t_us
        self._hand_on(sensor, level, t_us)
        if self.places is not None:
            self.places.edge(sensor, level, t_us)

    def analog(self, raw: int) -> None:
        """A reading of the converter."""
        self.low_raw = min(self.low_raw, raw)
        self.high_raw = max(self.high_raw, raw)


def self_test(table: "Table", watch_ms: int) -> "Steps":
    """Yield after each step; the last one sends the self_test_result."""
    hal, engine = table.hal, table.engine
    role = engine.role
    watch = getattr(of_role(table.store.config), "watch", None) if watch_ms else None
    tally = Tally(engine.edge, hal.analog.read(), watch_ms > 0)
    if watch:
        tally.places = watch(role, table.store.config, tally.pulses)
    engine.tap(tally.edge)
    begun_ms = hal.clock.ticks_ms()
    watched_ms = 0
    while watched_ms < watch_ms and role.phase == m.PHASE_CLOSED and role is engine.role:
        yield
        tally.analog(hal.analog.read())
        watched_ms = min(diff(hal.clock.ticks_ms(), begun_ms), watch_ms)
    engine.tap(None)
    samples = failed = 0
    if role.phase == m.PHASE_CLOSED and role is engine.role:
        for sample in rows(table, tally):
            _, _, value, low, high = sample[:5]
            verdict = diagnosis.CHECK_SKIP
            if low <= high:
                verdict = diagnosis.CHECK_PASS if low <= value <= high else diagnosis.CHECK_FAIL
            failed += verdict == diagnosis.CHECK_FAIL
            samples += 1
            names = verdict == diagnosis.CHECK_FAIL or sample[1] == diagnosis.QUANTITY_ACTIVE
            code = sample[6] if names else 0
            table.transmitter.send_volatile(
                diagnosis.SENSOR_SAMPLE, list(sample[:6]) + [verdict, code]
            )
            if not samples % _A_STEP:
                yield
    table.transmitter.send_volatile(diagnosis.SELF_TEST_RESULT, [samples, failed, watched_ms])
