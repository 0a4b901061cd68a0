"""A shuffler with a serial line of its own: it counts, and says every half second what it does.

What it says is believed no further than its counts: they must be those of the configuration.
"""

from tablewire import messages as m
from tablewire import shuffler as words
from tablewire.compat import const

from ..core.clock import diff

_SILENT_MS = const(2000)


class SerialShuffler:
    """table: shuffler.Shuffler, told of passes and faults."""

    def __init__(self, table: object) -> None:
        self._table = table
        self._state = 0
        self._error = 0
        self._lost = False
        self._heard_ms = 0
        self._counts = [0, 0]  # said last

    def report(self, values: list) -> None:
        """The machine said: state, cards in, cards out of the pass, error number."""
        table, shuffle = self._table, self._table.shuffle
        self._heard_ms = table.now_ms
        self._lost = False
        before, self._state, self._error = self._state, values[0], values[3]
        moved = values[1] != self._counts[0] or values[2] != self._counts[1]
        self._counts[0], self._counts[1] = values[1], values[2]
        if self._state == words.SHUFFLER_STATE_SHUFFLING:
            if moved or before != self._state:
                table.working()
            shuffle.count_in, shuffle.count_out = values[1], values[2]
        elif self._state == words.SHUFFLER_STATE_READY:
            if shuffle.in_pass:
                shuffle.count_in, shuffle.count_out = values[1], values[2]
                table.pass_over()
            elif moved and before:
                table.fail(words.UNFINISHED, words.INPUT_READY, 0, 1)

    def tick(self, t_us: int) -> None:
        """Time passed."""
        table = self._table
        if diff(table.now_ms, self._heard_ms) >= _SILENT_MS:
            self._lost = True
        if self._lost:
            table.fail(words.SHUFFLER_LINK_LOST, m.UNKNOWN_U8, 0, _SILENT_MS)
        if self._state == words.SHUFFLER_STATE_ERROR:
            table.fail(words.SHUFFLER_FAILED, words.INPUT_SHUFFLER_FAULT, self._error, 0)

    def edge(self, sensor: int, level: int, t_us: int) -> None:
        """Nothing is wired: what switches here means nothing."""

    def begun(self) -> None:
        """A shuffle begins."""

    def reset(self) -> None:
        """Another shuffler stands here: what the one before said does not count."""
        self._state = 0
        self._lost = False
        self._heard_ms = self._table.now_ms
        self._counts[0] = self._counts[1] = 0

    def margins(self) -> tuple:
        """It has gates of its own."""
        return m.UNKNOWN_U8, m.UNKNOWN_U8

    def is_gone(self, code: int) -> bool:
        """Whether the cause of a fault is gone by what the machine says."""
        if code == words.SHUFFLER_LINK_LOST:
            return not self._lost
        return code != words.SHUFFLER_FAILED or self._state != words.SHUFFLER_STATE_ERROR
