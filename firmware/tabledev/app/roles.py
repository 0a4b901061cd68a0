"""Which logic plays which role. The image has them all; memory holds the one configured."""

from tablewire.config import ROLE
from tablewire.messages import (
    ROLE_CARD_SHOE,
    ROLE_DICE_TRAY,
    ROLE_DRAW_MACHINE,
    ROLE_MONEY_WHEEL,
    ROLE_ROULETTE,
    ROLE_SHUFFLER,
)

PLAYED = (
    ROLE_ROULETTE,
    ROLE_MONEY_WHEEL,
    ROLE_DICE_TRAY,
    ROLE_SHUFFLER,
    ROLE_DRAW_MACHINE,
    ROLE_CARD_SHOE,
)


def make_role(config: list, out: object) -> object:
    """The logic of the configured role. out: the controller.Controller it reports to."""
    if config[ROLE] == ROLE_ROULETTE:
        from tablelogic.roulette import Roulette

        return Roulette(config, out)
    if config[ROLE] == ROLE_MONEY_WHEEL:
        from tablelogic.money_wheel.table import MoneyWheel

        return MoneyWheel(config, out)
    if config[ROLE] == ROLE_SHUFFLER:
        from tablelogic.shuffler.table import Shuffler

        return Shuffler(config, out)
    if config[ROLE] == ROLE_CARD_SHOE:
        from tablelogic.card_shoe.table import CardShoe

        return CardShoe(config, out)
    if config[ROLE] == ROLE_DICE_TRAY:
        from tablelogic.dice_tray.table import DiceTray

        return DiceTray(config, out)
    if config[ROLE] == ROLE_DRAW_MACHINE:
        from tablelogic.draw_machine.table import DrawMachine

        return DrawMachine(config, out)
    raise ValueError("role %d is not in this firmware" % config[ROLE])
