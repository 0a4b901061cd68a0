"""Every row of a self test: sensors of the role, contacts, supply, faults that stand."""

from tablewire import codes, config, diagnosis
from tablewire import messages as m

from .board import ANY, OFF, Board, told


def rows(table: object, tally: object) -> object:
    """Yield the rows, see board. tally: self_test.Tally."""
    board = Board(table, tally)
    yield from _of_role(board.cfg[config.ROLE])(board)
    yield board.contact(m.SENSOR_BUTTON, codes.SENSOR_STUCK)
    yield board.fitted(m.SENSOR_TILT, codes.TILT, config.TILT_FITTED)
    supply, chip = table.hal.supplies()
    if supply:
        yield told(m.UNKNOWN_U8, diagnosis.QUANTITY_SUPPLY, supply[0], supply[1:])
    if chip:
        yield told(m.UNKNOWN_U8, diagnosis.QUANTITY_TEMPERATURE, chip[0], chip[1:])
    stood = table.store.faults
    for place in range(0, len(stood), 2):
        own = stood[place] == codes.MAINTENANCE_OPEN  # whoever tests may have opened it
        code, limits = stood[place], ANY if own else OFF
        yield told(stood[place + 1], diagnosis.QUANTITY_STANDING, 1, limits, code)


def _of_role(role: int) -> object:
    if role == m.ROLE_ROULETTE:
        from .roulette import sensors
    elif role == m.ROLE_MONEY_WHEEL:
        from .money_wheel import sensors
    elif role == m.ROLE_SHUFFLER:
        from .shuffler import sensors
    elif role == m.ROLE_DICE_TRAY:
        from .dice_tray import sensors
    elif role == m.ROLE_DRAW_MACHINE:
        from .draw_machine import sensors
    else:
        from .card_shoe import sensors
    return sensors
