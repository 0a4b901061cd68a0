"""The port of the two readers of balls for the rig without a VM: lines in, reports out."""

from collections.abc import Callable

from tablelogic.draw_machine.lines import ReaderLines


class SimBallReaders:
    """As tabledev/drivers/ball_line.py, on bytes that wait. clock: milliseconds, which wrap."""

    def __init__(self, clock: Callable[[], int]) -> None:
        self._clock = clock
        self._lines = ReaderLines(clock())
        self._waits = bytearray()

    def hear(self, data: bytes) -> None:
        """Let bytes come in."""
        self._waits += data

    def poll(self, report: list[int]) -> bool:
        """Fill a report with what is new of a reader; False when nothing is."""
        now_ms = self._clock()
        while self._waits:
            if self._lines.take(self._waits.pop(0), now_ms, report):
                return True
        return self._lines.silent(now_ms, report)
