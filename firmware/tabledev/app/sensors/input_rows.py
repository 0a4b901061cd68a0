"""Rows about the inputs of a board: what each did while it was watched, and its level now.

A row: sensor, quantity, value, lowest and highest that pass, level of its line, code of a
failure. With the lowest above the highest nothing is judged.
"""

from tablewire import codes, config, diagnosis
from tablewire import messages as m
from tablewire.compat import const

if -0:  # for mypy
    from tabletypes import Row

    from ..self_test import Tally
    from ..table import Table

_SLACK = const(2)  # pulses by which partners may differ
_MOST = const(60000)
ANY = (1, 0)  # limits of a value that is only reported
OFF = (0, 0)


def sample(
    sensor: int, quantity: int, value: int, limits: "tuple[int, int]" = ANY, code: int = 0
) -> "Row":
    """Return a row of a quantity that is not a line."""
    return (sensor, quantity, value) + limits + (m.UNKNOWN_U8, code)


class Board:
    """table: table.Table; tally: self_test.Tally. levels: by sensor, 255 where there is none.

    array: of the pocket switches, see hal; None where there is none.
    """

    def __init__(self, table: "Table", tally: "Tally") -> None:
        self.role = table.engine.role
        self.cfg = table.store.config
        self.sight = table.sight
        self.array = table.hal.array
        self.tally = tally
        self.levels = bytearray(b"\xff" * len(tally.pulses))
        for item in table.hal.inputs:
            self.levels[item.sensor] = item.level()

    def line(self, place: int, code: int, partner: int, least: int = 1, share: int = 1) -> "Row":
        """A line that must switch: at least this often, and as often as its partner / share."""
        pulses = self.tally.pulses
        low = max(least, pulses[partner] // share - _SLACK)
        limits = (low, _MOST) if self.tally.watched else ANY
        pulse_count = (place, diagnosis.QUANTITY_PULSES, pulses[place])
        return pulse_count + limits + (self.levels[place], code)

    def contact(self, place: int, code: int, limits: "tuple[int, int]" = OFF) -> "Row":
        """A contact that must be off now."""
        level = self.levels[place]
        if level == m.UNKNOWN_U8:
            limits = ANY
        return (place, diagnosis.QUANTITY_LEVEL, level) + limits + (level, code)

    def fitted(self, place: int, code: int, key: int) -> "Row":
        """A contact that not every table has. key: of the configuration that says so."""
        return self.contact(place, code, OFF if self.cfg[key] else ANY)

    def dome(self) -> "Row":
        """The dome contact of a wheel."""
        return self.fitted(m.INPUT_DOME, codes.DOME_OPEN, config.DOME_FITTED)

    def raw(self, sensor: int, code: int, limits: "tuple[int, int]") -> "Row":
        """The highest value of the converter."""
        return sample(sensor, diagnosis.QUANTITY_RAW, self.tally.high_raw, limits, code)
