"""The port of the two readers of balls for the rig without a VM: lines in, reports out."""

from collections.abc import Callable

from tablelogic.draw_machine.reader_line import ReaderLines


class SimBallReaders:
    """As tabledev/drivers/ball_line.py, on bytes that wait. clock: milliseconds, which wrap."""

    def __init__(self, clock: Callable[[], int]) -> None:
        self._clock = clock
        self._lines = ReaderLines(clock())

    def hear(self, data: bytes) -> None:
        """Let bytes come in."""
        self._lines.feed(data)

    def poll(self, report: list[int]) -> bool:
        """Fill a report with what is new of a reader; False when nothing is."""
        now_ms = self._clock()
        return self._lines.take(now_ms, report) or self._lines.silent(now_ms, report)
