"""The port of a card reader for the rig without a VM: its lines in, reports out.

As tabledev/drivers/card_reader.py does it, written apart from it.
"""

from tablespec import names
from tablewire import card_shoe as words

_CARDS = {name: value for value, name in names.CARD}
_STATES = {"R": words.READER_STATE_ALIVE, "E": words.READER_STATE_FAILED}


class SimReader:
    """Holds what was read until it is asked for."""

    def __init__(self) -> None:
        self._said: tuple[int, int] | None = None
        self._values: list[tuple[int, int, int]] = []

    def hear(self, data: bytes) -> None:
        """Take one whole line of an undamaged port."""
        kind, number, *corners = data.decode().strip().partition("*")[0].split(",")
        if kind in _STATES:
            self._said = (_STATES[kind], int(number))
        else:
            one, two = (_corner(corner) for corner in corners)
            self._values.append((int(number), one, two))

    def poll(self, report: list[int]) -> bool:
        """Fill a report as the driver does; False when nothing was said."""
        said, self._said = self._said, None
        if report[0] == words.READER_ASK_DROP:
            self._values.clear()
        is_asked = report[0] == words.READER_ASK_HAND and self._values
        if is_asked and (said is None or said[0] != words.READER_STATE_FAILED):
            report[1:] = [words.READER_STATE_VALUE, *self._values.pop(0)]
            return True
        report[1:] = [*(said or (0, 0)), 0, 0]
        return said is not None


def _corner(text: str) -> int:
    known = {"??": words.CORNER_UNREAD, "CC": words.CORNER_CUT_CARD} | _CARDS
    value: int = known.get(text, words.CORNER_FOREIGN)
    return value
