"""All rows of a self-test: sensors of the role, contacts, supply, active faults."""

from tablewire import codes, config, diagnosis
from tablewire import messages as m

from ..roles import module_of
from .input_rows import ANY, OFF, Board, sample

if -0:  # for mypy
    from typing import Any

    from tabletypes import Config, Rows

    from ..self_test import Tally
    from ..table import Table


def of_role(cfg: "Config") -> "Any":
    """The module of the configured role's sensors."""
    return module_of(cfg[config.ROLE], "tabledev.app.sensors.%s")


def rows(table: "Table", tally: "Tally") -> "Rows":
    """Yield the rows, see board. tally: self_test.Tally."""
    board = Board(table, tally)
    yield from of_role(board.cfg).sensors(board)
    yield board.contact(m.INPUT_BUTTON, codes.SENSOR_STUCK)
    yield board.fitted(m.INPUT_TILT, codes.TILT, config.TILT_FITTED)
    supply, chip = table.hal.supplies()
    if supply:
        yield sample(m.UNKNOWN_U8, diagnosis.QUANTITY_SUPPLY, supply[0], supply[1:])
    if chip:
        yield sample(m.UNKNOWN_U8, diagnosis.QUANTITY_TEMPERATURE, chip[0], chip[1:])
    stood = table.store.faults
    for place in range(0, len(stood), 2):
        own = stood[place] == codes.MAINTENANCE_OPEN  # the tester may have opened it
        code, limits = stood[place], ANY if own else OFF
        yield sample(stood[place + 1], diagnosis.QUANTITY_ACTIVE, 1, limits, code)
