"""A shuffler with a serial line: it counts, and reports its state every half second.

Its reports are accepted only if its counts are those of the configuration.
"""

from tablewire import messages as m
from tablewire import shuffler as words
from tablewire.compat import const

from ..core.ticks import diff

if -0:  # for mypy
    from collections.abc import Sequence

    from ..core.round import RoundControl
    from .shuffle import Shuffle

_SILENT_MS = const(2000)


class SerialShuffler:
    """shuffle: gets its passes and faults."""

    def __init__(self, control: "RoundControl", shuffle: "Shuffle") -> None:
        self._control = control
        self._shuffle = shuffle
        self._state = 0
        self._error = 0
        self._lost = False
        self._received_ms = 0
        self._counts = [0, 0]  # reported last

    def report(self, values: "Sequence[int]") -> None:
        """Take a report: state, cards in, cards out of the pass, error number."""
        shuffle = self._shuffle
        self._received_ms = self._control.now_ms
        self._lost = False
        before, self._state, self._error = self._state, values[0], values[3]
        moved = values[1] != self._counts[0] or values[2] != self._counts[1]
        self._counts[0], self._counts[1] = values[1], values[2]
        if self._state == words.SHUFFLER_STATE_SHUFFLING:
            if moved or before != self._state:
                shuffle.begin()
            shuffle.count_in, shuffle.count_out = values[1], values[2]
        elif self._state == words.SHUFFLER_STATE_READY:
            if shuffle.in_pass:
                shuffle.count_in, shuffle.count_out = values[1], values[2]
                if shuffle.end_pass():
                    shuffle.end(shuffle.reason, self.margins())
            elif moved and before:
                shuffle.fail(words.UNFINISHED, words.INPUT_READY, 0, 1)

    def tick(self, t_us: int) -> None:
        """Time passed."""
        shuffle = self._shuffle
        if diff(self._control.now_ms, self._received_ms) >= _SILENT_MS:
            self._lost = True
        if self._lost:
            shuffle.fail(words.SHUFFLER_LINK_LOST, m.UNKNOWN_U8, 0, _SILENT_MS)
        if self._state == words.SHUFFLER_STATE_ERROR:
            shuffle.fail(words.SHUFFLER_FAILED, words.INPUT_SHUFFLER_FAULT, self._error, 0)

    def reset(self) -> None:
        """Another shuffler is attached: the reports of the one before do not count."""
        self._state = 0
        self._lost = False
        self._received_ms = self._control.now_ms
        self._counts[0] = self._counts[1] = 0

    def margins(self) -> "tuple[int, int]":
        """It has internal gates."""
        return m.UNKNOWN_U8, m.UNKNOWN_U8

    def is_gone(self, code: int) -> bool:
        """Whether the cause of a fault is gone according to the machine's reports."""
        if code == words.SHUFFLER_LINK_LOST:
            return not self._lost
        return code != words.SHUFFLER_FAILED or self._state != words.SHUFFLER_STATE_ERROR
